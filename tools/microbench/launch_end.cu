// What a launch takes besides its SMs' active cycles: by grid, by what its blocks do last (nothing, a wait, a
// store, a load, a reduction), ends together or apart. Prints nothing: it runs under ncu, which gives elapsed
// and active cycles of each launch (results/h200_launch_end.csv; FINDINGS.md 54).
#include "mb.h"
enum Last { kNothing, kWait, kStore, kLoad, kReduce, kStores, kApart };
template <Last LAST>
__global__ void k_end(u32* p, u32 cycles) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (LAST == kWait || LAST == kApart) {
    const u32 from = clk();
    const u32 wait = LAST == kWait ? cycles : cycles * (1 + (blockIdx.x * 37) % 64) / 16;
    while (clk() - from < wait) {
    }
  }
  if (LAST == kStore || LAST == kApart) {
    p[i] = i;
  }
  if (LAST == kStores) {
    for (u32 n = 0; n < 16; n++) {
      p[i + n * gridDim.x * blockDim.x] = i;
    }
  }
  if (LAST == kLoad) {
    if (p[i] == 0xdeadbeef) {
      p[i] = 0;
    }
  }
  if (LAST == kReduce) {
    atomicAdd(p + i, 1);
  }
}
template <Last LAST>
static void grids(u32* p) {
  for (int threads : {32, 128, 1024}) {
    for (int blocks : {1, 2, 4, 8, 16, 33, 66, 132, 264, 528, 1056, 2112, 4224}) {
      k_end<LAST><<<blocks, threads>>>(p, 2000);
      CK(cudaGetLastError());
      sync();
    }
  }
}
int main() {
  u32* p;
  CK(cudaMalloc(&p, size_t{512} << 20));
  CK(cudaMemset(p, 0, size_t{512} << 20));
  sync();
  for (int pass = 0; pass < 3; pass++) {
    grids<kNothing>(p);
    grids<kWait>(p);
    grids<kStore>(p);
    grids<kLoad>(p);
    grids<kReduce>(p);
    grids<kStores>(p);
    grids<kApart>(p);
  }
  return 0;
}
