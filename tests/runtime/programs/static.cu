// What nvcc links into a program when nothing else is asked for: the runtime, which `heddle exec` replaces
// function by function. Arguments of all kinds come through: structures, floats, those on the stack.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

__constant__ float factor = 2;
__device__ int counter = 5;
__managed__ int managed = 7;

__global__ void scale(float* out, const float* in, int n, float add) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor + add;
  if (i == 0) {
    atomicAdd(&counter, n);
    managed += n;
  }
}

struct AtStart {
  int devices = 0;
  AtStart() { cudaGetDeviceCount(&devices); }
};
AtStart at_start;

static bool all_ok = true;
static void check(const char* what, bool ok) {
  printf("%s: %s\n", what, ok ? "PASS" : "FAIL");
  all_ok = all_ok && ok;
}

static void run(const char* what, cudaStream_t stream, float add) {
  constexpr int n = 1000;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i;
  float *a, *b;
  cudaMallocAsync(&a, n * sizeof(float), stream);
  cudaMallocAsync(&b, n * sizeof(float), stream);
  cudaMemcpyAsync(a, in.data(), n * sizeof(float), cudaMemcpyDefault, stream);
  scale<<<(n + 127) / 128, 128, 0, stream>>>(b, a, n, add);
  cudaMemcpy2DAsync(out.data(), 40, b, 40, 40, n / 10, cudaMemcpyDefault, stream);
  const bool ok = cudaStreamSynchronize(stream) == cudaSuccess;
  bool same = true;
  for (int i = 0; i < n; ++i) same = same && out[i] == in[i] * 2 + add;
  cudaFreeAsync(a, stream);
  cudaFreeAsync(b, stream);
  check(what, ok && same);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "clock") == 0) {
    const time_t now = time(nullptr);
    char text[32];
    strftime(text, sizeof text, "%Y-%m-%d", gmtime(&now));
    printf("began %s\n", text);
  }
  check("devices when it began", at_start.devices == 1);
  int runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  check("CUDA 13", runtime / 1000 == 13);
  cudaDeviceProp p{};
  cudaGetDeviceProperties(&p, 0);
  check("properties", p.warpSize == 32 && p.multiProcessorCount > 0);

  run("default stream", nullptr, 1);
  run("default stream of the thread", cudaStreamPerThread, 2);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  run("stream", s, 3);
  std::thread([&] { run("another thread", s, 4); }).join();

  int got = 0;
  cudaMemcpyFromSymbol(&got, counter, sizeof got);
  check("symbols", got == 5 + 4 * 1000 && managed == 7 + 4 * 1000);

  float *in, *out;
  cudaMallocManaged(&in, 256 * sizeof(float));
  cudaMallocManaged(&out, 256 * sizeof(float));
  for (int i = 0; i < 256; ++i) in[i] = i;
  cudaLaunchConfig_t config{};
  config.gridDim = 2;
  config.blockDim = 128;
  config.stream = s;
  check("launch by a structure", cudaLaunchKernelEx(&config, scale, out, static_cast<const float*>(in), 256, 0.5f) == cudaSuccess);
  cudaStreamSynchronize(s);
  check("its result", out[255] == 510.5f);

  std::vector<float> host(256);
  float* device;
  cudaMalloc(&device, 256 * sizeof(float));
  cudaMemcpy(device, in, 256 * sizeof(float), cudaMemcpyDefault);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, host.data(), device, 256 * sizeof(float), cudaMemcpyDefault);
  const bool made = cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess;
  check("graph", made && cudaGraphLaunch(exec, s) == cudaSuccess && cudaStreamSynchronize(s) == cudaSuccess && host[255] == 255);

  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  cudaEventRecord(from, s);
  scale<<<2, 128, 0, s>>>(out, in, 256, 0);
  cudaEventRecord(to, s);
  cudaEventSynchronize(to);
  float ms = -1;
  check("events", cudaEventElapsedTime(&ms, from, to) == cudaSuccess && ms >= 0);

  scale<<<1, 2048>>>(out, in, 256, 0);
  check("errors", strcmp(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidValue") == 0 &&
                      cudaGetLastError() == cudaSuccess);
  printf(all_ok ? "all PASS\n" : "FAIL\n");
  return all_ok ? 0 : 1;
}
