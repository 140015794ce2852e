// C69: x, a, b across two SMs and the CPU (CUDA C++ Programming Guide, memory synchronization domains): what one thread has written
// before it released a flag of the device's scope is seen by the CPU behind a flag of the system's.
#include <cstdio>
#include <cstdlib>

#include <cuda/atomic>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    cudaError_t status_ = (call);                                                           \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__managed__ int x;
__device__ cuda::atomic<int, cuda::thread_scope_device> a;
__managed__ cuda::atomic<int, cuda::thread_scope_system> b;
__device__ int unseen;

__global__ void turns(int round) {
  if (blockIdx.x == 0) {
    x = round;
    a = round;
  } else {
    while (a != round) {
    }
    if (x != round) unseen = 1;
    b = round;
  }
}

int main() {
  int wrong = 0;
  for (int round = 1; round <= 5; ++round) {
    turns<<<2, 1>>>(round);
    while (b != round) {
    }
    wrong += x != round;
    CHECK(cudaDeviceSynchronize());
  }
  int seen = 0;
  CHECK(cudaMemcpyFromSymbol(&seen, unseen, sizeof seen));
  std::printf("on another SM: %s\non the CPU: %s\n", seen == 0 ? "PASS" : "FAIL", wrong == 0 ? "PASS" : "FAIL");
  return wrong + seen;
}
