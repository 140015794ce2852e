// The smallest kernels: what reading the thread's number, the launch's shape and a parameter costs each, and
// a store behind them. Prints nothing: it runs under ncu, which gives active and elapsed cycles of each
// launch (results/h200_kernel_parts.csv; FINDINGS.md 54).
#include "mb.h"
enum Reads {
  kNothing,
  kParameter,
  kStore,
  kIndexStore,
  kScanInit,
  kThread,
  kShape,
  kShapeParameter,
  kThreadParameter
};
template <Reads READS>
__global__ void k_small(u64* d, int n) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (READS == kParameter && n == 12345) {
    d[0] = 0;
  }
  if (READS == kStore) {
    d[threadIdx.x] = 1;
  }
  if (READS == kIndexStore) {
    d[i] = 1;
  }
  if (READS == kScanInit) {  // as CUB's DeviceScanInitKernel
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
      d[32 + j] = 0x63;
    }
    if (blockIdx.x == 0 && threadIdx.x < 32) {
      d[threadIdx.x] = 0;
    }
  }
  if (READS == kThread && threadIdx.x == 12345) {
    d[0] = 0;
  }
  if (READS == kShape && i == 12345) {
    d[0] = 0;
  }
  if (READS == kShapeParameter && i == (u32)n) {
    d[0] = 0;
  }
  if (READS == kThreadParameter && threadIdx.x == (u32)n) {
    d[0] = 0;
  }
}
template <Reads... READS>
static void go(u64* d) {
  auto launches = [&](auto kernel) {
    for (int blocks : {1, 2, 8, 66, 132}) {
      for (int threads : {32, 128, 256}) {
        kernel<<<blocks, threads>>>(d, 1);
        CK(cudaGetLastError());
        sync();
      }
    }
  };
  (launches(k_small<READS>), ...);
}
int main() {
  u64* d = dmalloc<u64>(1 << 17);
  for (int pass = 0; pass < 9; pass++) {
    go<kNothing, kParameter, kStore, kIndexStore, kScanInit, kThread, kShape, kShapeParameter,
       kThreadParameter>(d);
  }
}
