// What calls answer to bad arguments, the last error, and errors of kernels.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void nothing() {}
__global__ void fill(int* x, int n, int v) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = v;
}
__global__ void __launch_bounds__(128) narrow(int* x) { x[threadIdx.x] = 1; }
__global__ void dynamicShared(int* x) {
  extern __shared__ int s[];
  s[threadIdx.x] = 1;
  x[threadIdx.x] = s[threadIdx.x];
}
__device__ int variable[4];

static void say(const char* what, cudaError_t e) {
  std::printf("%-36s %d %s\n", what, int(e), cudaGetErrorName(e));
  cudaGetLastError();
}

static void launch(const char* what, dim3 grid, dim3 block, size_t shared = 0) {
  nothing<<<grid, block, shared>>>();
  cudaError_t peeked = cudaPeekAtLastError(), got = cudaGetLastError(), after = cudaGetLastError();
  std::printf("launch %-29s %d %s%s\n", what, int(got), cudaGetErrorName(got),
              peeked == got && after == cudaSuccess ? "" : " not cleared");
}

int main() {
  int *p = nullptr, *q = nullptr, host[16] = {};

  launch("fine", 1, 32);
  launch("no threads", 1, 0);
  launch("no blocks", 0, 32);
  launch("1025 threads", 1, 1025);
  launch("2 x 1024 threads", 1, dim3(2, 1024));
  launch("z of 65 threads", 1, dim3(1, 1, 65));
  launch("y of 65536 blocks", dim3(1, 65536), 1);
  launch("49153 bytes of shared memory", 1, 32, 49153);
  narrow<<<1, 256>>>(nullptr);
  say("more threads than launch bounds", cudaGetLastError());

  say("cudaMalloc(4 PB)", cudaMalloc(&p, 1ull << 52));
  say("cudaMalloc(-1)", cudaMalloc(&p, size_t(-1)));
  cudaError_t zero = cudaMalloc(&p, 0);
  std::printf("%-36s %d %s, %s\n", "cudaMalloc(0)", int(zero), cudaGetErrorName(zero), p ? "a pointer" : "null");
  say("cudaMalloc(null)", cudaMalloc(static_cast<void**>(nullptr), 16));
  say("cudaFree(null)", cudaFree(nullptr));
  say("cudaFree of the host's", cudaFree(host));
  say("cudaMalloc", cudaMalloc(&p, 4096));
  say("cudaFree in the middle", cudaFree(p + 4));
  say("cudaMemcpy of -1 bytes", cudaMemcpy(p, host, size_t(-1), cudaMemcpyHostToDevice));
  say("cudaMemcpy of too many bytes", cudaMemcpy(host, p, 1ull << 40, cudaMemcpyDeviceToHost));
  say("cudaMemcpy of wrong kind", cudaMemcpy(p, host, 16, cudaMemcpyKind(9)));
  say("cudaMemcpy of null, 0 bytes", cudaMemcpy(p, nullptr, 0, cudaMemcpyHostToDevice));
  say("cudaMemcpy2D of pitch < width", cudaMemcpy2D(p, 8, host, 8, 16, 2, cudaMemcpyHostToDevice));
  say("cudaMemset of null", cudaMemset(nullptr, 0, 4));
  say("cudaMemcpyToSymbol over the end", cudaMemcpyToSymbol(variable, host, sizeof(host)));
  say("cudaMemcpyToSymbol of no symbol", cudaMemcpyToSymbol(reinterpret_cast<const void*>(host), host, 4));
  say("cudaFreeHost of the stack's", cudaFreeHost(host));
  say("cudaSetDevice(99)", cudaSetDevice(99));
  say("cudaSetDevice(-1)", cudaSetDevice(-1));
  int value;
  say("cudaDeviceGetAttribute(9999)", cudaDeviceGetAttribute(&value, cudaDeviceAttr(9999), 0));
  cudaDeviceProp prop;
  say("cudaGetDeviceProperties(7777)", cudaGetDeviceProperties(&prop, 7777));
  size_t limit;
  say("cudaDeviceGetLimit(77)", cudaDeviceGetLimit(&limit, cudaLimit(77)));
  cudaFuncAttributes attributes;
  say("cudaFuncGetAttributes of no kernel", cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(host)));
  say("cudaFuncSetAttribute, 1 MB shared",
      cudaFuncSetAttribute(dynamicShared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  say("cudaLaunchKernel of no kernel", cudaLaunchKernel(reinterpret_cast<const void*>(host), dim3(1), dim3(1), nullptr, 0, 0));
  cudaStream_t stream;
  cudaEvent_t event, later;
  say("cudaStreamCreateWithFlags(99)", cudaStreamCreateWithFlags(&stream, 99));
  say("cudaEventCreate", cudaEventCreate(&event));
  say("cudaEventCreate", cudaEventCreate(&later));
  float ms;
  say("cudaEventElapsedTime, not recorded", cudaEventElapsedTime(&ms, event, later));
  say("cudaEventQuery, not recorded", cudaEventQuery(event));
  say("cudaEventSynchronize, not recorded", cudaEventSynchronize(event));
  say("cudaEventDestroy", cudaEventDestroy(event));
  say("cudaEventDestroy", cudaEventDestroy(later));
  say("cudaEventDestroy(null)", cudaEventDestroy(nullptr));
  say("cudaStreamCreate", cudaStreamCreate(&stream));
  say("cudaStreamBeginCapture", cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  say("cudaStreamSynchronize in capture", cudaStreamSynchronize(stream));
  cudaGraph_t graph;
  say("cudaStreamEndCapture after it", cudaStreamEndCapture(stream, &graph));
  say("cudaStreamEndCapture of none", cudaStreamEndCapture(stream, &graph));
  say("cudaStreamDestroy", cudaStreamDestroy(stream));

  const cudaError_t known[] = {cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInvalidConfiguration,
                               cudaErrorNotReady, cudaErrorIllegalAddress, cudaErrorLaunchFailure, cudaError(12345)};
  for (cudaError_t e : known) std::printf("%d %s: %s\n", int(e), cudaGetErrorName(e), cudaGetErrorString(e));

  // After all these the device still works.
  fill<<<1, 32>>>(p, 16, 7);
  say("a kernel", cudaDeviceSynchronize());
  say("cudaMemcpy", cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("value %d\n", host[15]);
  say("cudaFree", cudaFree(p));
  say("cudaFree twice", cudaFree(p));

  // A bad access: every later call answers with it, and it cannot be cleared.
  fill<<<1, 1>>>(q, 1, 1);
  std::printf("%-36s %d\n", "launch of a bad access", int(cudaPeekAtLastError()));
  say("cudaDeviceSynchronize", cudaDeviceSynchronize());
  say("cudaMalloc after it", cudaMalloc(&p, 16));
  say("cudaGetLastError after it", cudaGetLastError());
  return 0;
}
