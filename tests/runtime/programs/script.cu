// A host program that another one has written: a call a line, of the file that is its argument. So one compiled program is every
// program of tests/python/same_host_test.py, which also says each of them to Python's builder. Objects are numbers; "mark" prints
// the host's time in nanoseconds.
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>

// Arithmetic alone: as many steps in each thread.
__global__ void spin(int steps, float* out) {
  float x = threadIdx.x;
  for (int i = 0; i < steps; ++i) x = x * 0.999f + 1.f;
  if (x < 0) *out = x;
}
// A pass over memory.
__global__ void pass(float* data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] = data[i] * 2.f + 1.f;
}

namespace {
std::map<int, cudaStream_t> streams = {{-1, nullptr}};
std::map<int, cudaEvent_t> events;
std::map<int, char*> buffers;
std::map<int, cudaGraphExec_t> graphs;

long long now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
void nothing(void*) {}

cudaError_t call(const std::string& what, std::istringstream& in) {
  long long a = 0, b = 0, c = 0, d = 0, e = 0;
  in >> a >> b >> c >> d >> e;
  const auto stream = [](long long s) { return streams.at(static_cast<int>(s)); };
  if (what == "stream") return cudaStreamCreateWithFlags(&streams[a], b ? cudaStreamNonBlocking : cudaStreamDefault);
  if (what == "priority") return cudaStreamCreateWithPriority(&streams[a], cudaStreamNonBlocking, b);
  if (what == "stream_destroy") return cudaStreamDestroy(stream(a));
  if (what == "event") return cudaEventCreateWithFlags(&events[a], b ? cudaEventDefault : cudaEventDisableTiming);
  if (what == "event_destroy") return cudaEventDestroy(events.at(a));
  if (what == "malloc") return cudaMalloc(reinterpret_cast<void**>(&buffers[a]), b);
  if (what == "malloc_host") return cudaMallocHost(reinterpret_cast<void**>(&buffers[a]), b);
  if (what == "malloc_async") return cudaMallocAsync(reinterpret_cast<void**>(&buffers[a]), b, stream(c));
  if (what == "pageable") return buffers[a] = static_cast<char*>(calloc(b, 1)), cudaSuccess;
  if (what == "managed") return cudaMallocManaged(reinterpret_cast<void**>(&buffers[a]), b);
  if (what == "prefetch") {
    const cudaMemLocation to{c < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, 0};
    return cudaMemPrefetchAsync(buffers.at(a), b, to, 0, stream(d));
  }
  if (what == "register") return cudaHostRegister(buffers.at(a), b, cudaHostRegisterDefault);
  if (what == "unregister") return cudaHostUnregister(buffers.at(a));
  if (what == "info") {
    size_t free = 0, total = 0;
    return cudaMemGetInfo(&free, &total);
  }
  if (what == "copy_2d") return cudaMemcpy2DAsync(buffers.at(a), 4 * c, buffers.at(b), c, c, d, cudaMemcpyDefault, stream(e));
  if (what == "last_error") return cudaGetLastError();
  if (what == "free") return cudaFree(buffers.at(a));
  if (what == "free_host") return cudaFreeHost(buffers.at(a));
  if (what == "free_async") return cudaFreeAsync(buffers.at(a), stream(b));
  if (what == "memcpy") return cudaMemcpy(buffers.at(a), buffers.at(b), c, cudaMemcpyDefault);
  if (what == "memcpy_async") return cudaMemcpyAsync(buffers.at(a), buffers.at(b), c, cudaMemcpyDefault, stream(d));
  if (what == "memset") return cudaMemset(buffers.at(a), 0, b);
  if (what == "memset_async") return cudaMemsetAsync(buffers.at(a), 0, b, stream(c));
  if (what == "spin") return spin<<<a, b, 0, stream(d)>>>(c, nullptr), cudaGetLastError();
  if (what == "pass") return pass<<<a, b, 0, stream(e)>>>(reinterpret_cast<float*>(buffers.at(c)), d), cudaGetLastError();
  if (what == "record") return cudaEventRecord(events.at(a), stream(b));
  if (what == "wait") return cudaStreamWaitEvent(stream(a), events.at(b), 0);
  if (what == "event_sync") return cudaEventSynchronize(events.at(a));
  if (what == "event_query") return cudaEventQuery(events.at(a)), cudaSuccess;
  if (what == "elapsed") {
    float ms = 0;
    const cudaError_t error = cudaEventElapsedTime(&ms, events.at(a), events.at(b));
    printf("elapsed %.6f\n", ms * 1000);
    return error;
  }
  if (what == "stream_sync") return cudaStreamSynchronize(stream(a));
  if (what == "stream_query") return cudaStreamQuery(stream(a)), cudaSuccess;
  if (what == "device_sync") return cudaDeviceSynchronize();
  if (what == "host_func") return cudaLaunchHostFunc(stream(a), nothing, nullptr);
  if (what == "capture") return cudaStreamBeginCapture(stream(a), cudaStreamCaptureModeGlobal);
  if (what == "instantiate") {
    cudaGraph_t graph;
    if (const cudaError_t error = cudaStreamEndCapture(stream(b), &graph)) return error;
    return cudaGraphInstantiate(&graphs[a], graph, 0);
  }
  if (what == "graph") return cudaGraphLaunch(graphs.at(a), stream(b));
  if (what == "sleep") return std::this_thread::sleep_for(std::chrono::microseconds(a)), cudaSuccess;
  if (what == "mark") return printf("mark %lld\n", now()), cudaSuccess;
  fprintf(stderr, "no call '%s'\n", what.c_str());
  return cudaErrorInvalidValue;
}
}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return printf("usage: script FILE\n"), 0;
  std::ifstream file(argv[1]);
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string what;
    in >> what;
    if (const cudaError_t error = call(what, in)) {
      fprintf(stderr, "%s: %s\n", line.c_str(), cudaGetErrorName(error));
      return 1;
    }
  }
  return 0;
}
