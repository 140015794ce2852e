// Stores that fill no whole sector: what DRAM reads and writes because of them, and what they cost (under
// ncu; FINDINGS.md 62). Prints a line for each launch, in their order: row,kernel,blocks,arguments; the first
// pointer is `to`, the second `from`. Build: nvcc -O3 -std=c++17 -arch=sm_90 partial_fill.cu -o partial_fill
#include <cuda_runtime.h>
#include "row_kernels.h"

#include <cstdint>
#include <cstdio>

// As `heddle run FILE.cubin` finds them by name.
extern "C" {
// `words` words of each sector, from `first` on, a thread a word.
__global__ void part(float* to, uint32_t sectors, uint32_t words, uint32_t first) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, s = i / words;
  if (s < sectors) {
    to[size_t{s} * 8 + first + i % words] = 1.f;
  }
}
// The first word of each sector, and then the others.
__global__ void rest(float* to, uint32_t sectors) {
  const size_t s = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (s < sectors) {
    to[s * 8] = 1.f;
  }
  __syncthreads();
  for (int k = 1; k < 8; ++k) {
    if (s < sectors) {
      to[s * 8 + k] = 1.f;
    }
  }
}
// Lower halves, and the upper ones of what was `lag` blocks before.
__global__ void lagging(float* to, uint32_t sectors, uint32_t lag) {
  const uint32_t each = blockDim.x / 4, w = threadIdx.x % 4, a = blockIdx.x * each + threadIdx.x / 4;
  if (a < sectors) {
    to[size_t{a} * 8 + w] = 1.f;
  }
  if (blockIdx.x >= lag) {
    const uint32_t b = a - lag * each;
    if (b < sectors) {
      to[size_t{b} * 8 + 4 + w] = 2.f;
    }
  }
}
// A word is stored, and word `other` of its sector loaded.
__global__ void store_load(float* to, float* from, uint32_t sectors, uint32_t other) {
  const size_t s = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (s < sectors) {
    to[s * 8] = 1.f;
    __threadfence();
    const float v = __ldcg(to + s * 8 + other);
    if (v == 123.f) {
      from[0] = v;
    }
  }
}
// The sector is known before a word of it is stored.
__global__ void load_store(float* to, uint32_t sectors) {
  const size_t s = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (s < sectors) {
    to[s * 8] = __ldcg(to + s * 8 + 3) + 1.f;
  }
}
__global__ void one_byte(void* to, uint32_t sectors) {
  const size_t s = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (s < sectors) {
    static_cast<char*>(to)[s * 32 + 3] = 1;
  }
}
__global__ void reduce(float* to, uint32_t sectors) {
  const size_t s = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (s < sectors) {
    atomicAdd(to + s * 8, 1.f);
  }
}
// One word in `stride`.
__global__ void spread(float* to, uint32_t n, uint32_t stride) {
  const size_t s = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (s < n) {
    to[s * stride] = 1.f;
  }
}
// `n` words anywhere in 2^bits of them.
__global__ void scatter(float* to, uint32_t n, uint32_t bits) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    i = (i ^ i >> 15) * 0x2c1b3c6du;
    i = (i ^ i >> 12) * 0x297a2d39u;
    to[(i ^ i >> 15) >> (32 - bits)] = 1.f;
  }
}
}

namespace {

constexpr uint32_t kThreads = 256, kSectors = 1u << 22;  // 128 MB

void print(uint32_t number) { printf(",%u", number); }
void print(const void*) {}

template <class... Parameters, class... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), uint64_t threads, Arguments... arguments) {
  const auto blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  kernel<<<blocks, kThreads>>>(arguments...);
  printf("%s,%u", name, blocks);
  (print(arguments), ...);
  printf("\n");
}

}  // namespace

int main() {
  float *to, *from;
  cudaMalloc(&to, size_t{1} << 29);
  cudaMalloc(&from, size_t{1} << 29);
  for (uint32_t words : {8, 6, 4, 2, 1}) {
    launch("part", part, uint64_t{kSectors} * words, to, kSectors, words, 0u);
  }
  launch("part", part, uint64_t{kSectors} * 7, to, kSectors, 7u, 1u);
  launch("rest", rest, kSectors, to, kSectors);
  for (uint32_t lag : {1, 100, 1000, 3000, 10000, 20000, 40000}) {
    launch("lagging", lagging, uint64_t{kSectors} * 4, to, kSectors, lag);
  }
  for (uint32_t n : {8, 9, 12, 16, 20, 33, 40, 60, 100, 250}) {
    const uint32_t count = kSectors * 8 / n;
    launch("rows", rows, uint64_t{count} * 32, to, count, n);
  }
  for (uint32_t n : {32, 36, 33, 64, 60, 250, 256}) {
    const uint32_t count = kSectors * 8 / n;
    launch("copy_rows", copy_rows, uint64_t{count} * 32, to, from, count, n);
  }
  for (uint32_t other : {0, 1, 5}) {
    launch("store_load", store_load, kSectors, to, from, kSectors, other);
  }
  for (uint32_t sectors : {kSectors / 64, kSectors / 8, kSectors}) {
    launch("load_store", load_store, sectors, to, sectors);
    launch("one_byte", one_byte, sectors, to, sectors);
    launch("reduce", reduce, sectors, to, sectors);
    launch("spread", spread, sectors, to, sectors, 8u);
  }
  for (uint32_t stride : {8, 16, 32, 64, 128}) {
    for (uint32_t n : {kSectors / 16, kSectors / 4, kSectors / 2}) {
      if (uint64_t{n} * stride <= uint64_t{kSectors} * 32) {
        launch("spread", spread, n, to, n, stride);
      }
    }
  }
  for (uint32_t bits : {20, 22, 24, 25, 26, 27}) {
    for (uint32_t n : {1u << 20, 1u << 22}) {
      launch("scatter", scatter, n, to, n, bits);
    }
  }
  const cudaError_t e = cudaDeviceSynchronize();
  fprintf(stderr, "%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
