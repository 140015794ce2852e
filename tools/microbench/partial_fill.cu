// Stores that fill no whole sector: what DRAM reads and writes because of them (under ncu; launches in the
// order of main()). FINDINGS.md 62. Build: nvcc -O3 -std=c++17 -arch=sm_90 partial_fill.cu -o partial_fill
#include <cuda_runtime.h>
#include <cstdint>
#include "row_kernels.h"

#include <cstdio>
#include <cstdlib>
// bytes of each sector, one thread a piece of `piece` words
__global__ void sectors_w(float* p, size_t sectors, int words, int first) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  size_t s = i / words;
  int w = i % words;
  if (s < sectors) {
    p[s * 8 + first + w] = 1.f;
  }
}
// lower half of all, then (same block, behind a barrier) upper half
__global__ void halves_block(float* p, size_t sectors) {
  size_t base = blockIdx.x * size_t(blockDim.x);
  size_t s = base + threadIdx.x;
  if (s < sectors) {
    p[s * 8] = 1.f;
  }
  __syncthreads();
  for (int k = 1; k < 8; ++k) {
    if (s < sectors) {
      p[s * 8 + k] = 1.f;
    }
  }
}
// lower half by block b, upper half `lag` blocks later
__global__ void halves_lag(float* p, size_t sectors, int lag) {
  size_t n = blockDim.x;
  int w = threadIdx.x % 4;
  size_t per = n / 4;
  size_t a = (size_t)blockIdx.x * per + threadIdx.x / 4;
  if (a < sectors) {
    p[a * 8 + w] = 1.f;
  }
  if ((int)blockIdx.x >= lag) {
    size_t b = (size_t)(blockIdx.x - lag) * per + threadIdx.x / 4;
    if (b < sectors) {
      p[b * 8 + 4 + w] = 2.f;
    }
  }
}
// partial store, then the same thread loads another word of the sector
__global__ void store_load(float* p, float* o, size_t sectors) {
  size_t s = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (s < sectors) {
    p[s * 8] = 1.f;
    __threadfence();
    float v = __ldcg(p + s * 8 + 5);
    if (v == 123.f) {
      o[0] = v;
    }
  }
}
__global__ void bytes1(char* p, size_t sectors) {
  size_t s = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (s < sectors) {
    p[s * 32 + 3] = 1;
  }
}
__global__ void red(float* p, size_t sectors) {
  size_t s = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (s < sectors) {
    atomicAdd(p + s * 8, 1.f);
  }
}
// one word of each second sector / of each line
__global__ void spread(float* p, size_t n, int stride) {
  size_t s = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (s < n) {
    p[s * stride] = 1.f;
  }
}
int main() {
  const size_t bytes = size_t(1) << 30, sectors = bytes / 32;
  float *p, *q;
  cudaMalloc(&p, bytes + 4096);
  cudaMalloc(&q, bytes + 4096);
  auto b = [](size_t n) { return unsigned((n + 255) / 256); };
  for (int words : {8, 4, 2, 1}) {
    sectors_w<<<b(sectors * words), 256>>>(p, sectors, words, 0);  // 0-3
  }
  sectors_w<<<b(sectors * 7), 256>>>(p, sectors, 7, 1);  // 4
  halves_block<<<b(sectors), 256>>>(p, sectors);         // 5
  for (int lag : {1, 1000, 20000, 200000}) {
    halves_lag<<<b(sectors * 4), 256>>>(p, sectors, lag);  // 6-9; a block is 64 sectors = 2 KB
  }
  for (int n : {8, 9, 12, 16, 33, 40, 60, 100, 250}) {
    rows<<<b(bytes / 4 / n * 32), 256>>>(p, bytes / 4 / n, n);  // 10-18
  }
  for (int n : {32, 36, 33, 64, 60, 250, 256}) {
    copy_rows<<<b(bytes / 4 / n * 32), 256>>>(p, q, bytes / 4 / n, n);  // 19-25
  }
  store_load<<<b(sectors), 256>>>(p, q, sectors);       // 26
  bytes1<<<b(sectors), 256>>>((char*)p, sectors);       // 27
  red<<<b(sectors), 256>>>(p, sectors);                 // 28
  spread<<<b(sectors / 2), 256>>>(p, sectors / 2, 16);  // 29
  spread<<<b(sectors / 4), 256>>>(p, sectors / 4, 32);  // 30
  // partial, small buffer (fits L2): 16 MB
  size_t small = (16u << 20) / 32;
  spread<<<b(small), 256>>>(p, small, 8);  // 31
  spread<<<b(small), 256>>>(p, small, 8);  // 32 again
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
}
