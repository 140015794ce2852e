// Compiled with --default-stream per-thread: <<<>>> and calls without a stream are in the calling thread's own stream, which does not
// wait for another's; cudaStreamLegacy still does for all.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

static std::atomic<int> failures{0};
static void same(const char* name, long got, long want) {
  std::printf("%s: %ld%s\n", name, got, got == want ? "" : " FAIL");
  failures += got != want;
}

__global__ void add(int* p, int v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += v;
}
// Ends when somebody else's kernel has set the flag.
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void raise(volatile int* flag) { *flag = 1; }

__device__ int variable;

int main() {
  // A kernel of one thread waits for another thread's: no order between them. Both are loaded before: loading may wait for the device.
  int* flag;
  CHECK(cudaMalloc(&flag, 4));
  raise<<<1, 1>>>(flag);
  wait_for<<<1, 1>>>(flag);
  CHECK(cudaMemset(flag, 0, 4));
  CHECK(cudaStreamSynchronize(0));
  wait_for<<<1, 1>>>(flag);
  std::thread([&] {
    raise<<<1, 1>>>(flag);
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  }).join();
  CHECK(cudaStreamSynchronize(0));
  int raised = 0;
  CHECK(cudaMemcpy(&raised, flag, 4, cudaMemcpyDeviceToHost));
  same("raised by the other thread", raised, 1);

  // Two threads, each with copies, memsets, kernels, events and memory in its own order.
  long sums[2] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      constexpr int kN = 1000;
      int *p, *q;
      std::vector<int> h(kN, t + 1);
      CHECK(cudaMallocAsync(&p, kN * 4, 0));
      CHECK(cudaMalloc(&q, kN * 4));
      CHECK(cudaMemcpyAsync(p, h.data(), kN * 4, cudaMemcpyHostToDevice, 0));
      for (int i = 0; i < 10; ++i) add<<<4, 256>>>(p, 10, kN);
      CHECK(cudaMemsetAsync(q, 0, kN * 4));
      CHECK(cudaMemcpy(q, p, kN * 4, cudaMemcpyDeviceToDevice));
      cudaEvent_t e;
      CHECK(cudaEventCreate(&e));
      CHECK(cudaEventRecord(e));
      CHECK(cudaStreamWaitEvent(0, e, 0));
      CHECK(cudaMemcpy2D(h.data(), 40, q, 40, 40, kN / 10, cudaMemcpyDeviceToHost));
      CHECK(cudaFreeAsync(p, 0));
      CHECK(cudaFree(q));
      for (int v : h) sums[t] += v;
      unsigned long long id = 0, own = 0;
      CHECK(cudaStreamGetId(0, &id));
      CHECK(cudaStreamGetId(cudaStreamPerThread, &own));
      failures += id != own;
    });
  }
  for (std::thread& t : threads) t.join();
  same("first thread's sum", sums[0], 101000);
  same("second thread's sum", sums[1], 102000);

  // Captured: it is a stream like any other.
  int* p;
  CHECK(cudaMalloc(&p, 4));
  CHECK(cudaMemset(p, 0, 4));
  cudaGraph_t g;
  cudaGraphExec_t x;
  CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal));
  add<<<1, 1>>>(p, 3, 1);
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(0, &status));
  same("captures", status, cudaStreamCaptureStatusActive);
  CHECK(cudaStreamEndCapture(0, &g));
  CHECK(cudaGraphInstantiate(&x, g, 0));
  CHECK(cudaGraphLaunch(x, 0));
  CHECK(cudaGraphLaunch(x, 0));
  int got = 0, one = 41;
  CHECK(cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost));
  same("two launches of the graph", got, 6);
  CHECK(cudaMemcpyToSymbol(variable, &one, 4));
  CHECK(cudaMemcpyFromSymbol(&got, variable, 4));
  same("variable", got, 41);
  // The legacy stream waits for it.
  add<<<1, 1>>>(p, 100, 1);
  add<<<1, 1, 0, cudaStreamLegacy>>>(p, 1000, 1);
  CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  CHECK(cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost));
  same("legacy", got, 1106);
  static int called = 0;
  CHECK(cudaLaunchHostFunc(0, [](void*) { ++called; }, nullptr));
  CHECK(cudaStreamSynchronize(0));
  same("host function", called, 1);
  // The driver's calls are those of such code, too, unless it asks for the others.
  for (unsigned long long flags : {cudaEnableDefault, cudaEnableLegacyStream}) {
    void* call = nullptr;
    CHECK(cudaGetDriverEntryPointByVersion("cuStreamGetId", &call, 13000, flags, nullptr));
    unsigned long long id = 0, own = 0;
    CHECK(cudaStreamGetId(0, &own));
    same("the driver's call", ((int (*)(void*, unsigned long long*))call)(nullptr, &id), 0);
    same(flags == cudaEnableDefault ? "own by default" : "legacy where it is asked for", id == own, flags == cudaEnableDefault);
  }
  std::printf("%s\n", failures == 0 ? "all ok" : "FAIL");
  return failures != 0;
}
