// Stores that fill no whole sector: what DRAM reads and writes because of them, and what they cost (under
// ncu; FINDINGS.md 62). Prints a line for each launch, in their order: row,kernel,blocks,arguments; the first
// pointer is `to`, the second `from`. Build: nvcc -O3 -std=c++17 -arch=sm_90 partial_fill.cu -o partial_fill
#include <cuda_runtime.h>

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
// Rows of n words, a warp each.
__global__ void rows(float* to, uint32_t count, uint32_t n) {
  const size_t row = (blockIdx.x * size_t{blockDim.x} + threadIdx.x) / 32;
  if (row < count) {
    for (uint32_t i = threadIdx.x % 32; i < n; i += 32) {
      to[row * n + i] = 1.f;
    }
  }
}
__global__ void copy_rows(float* to, const float* from, uint32_t count, uint32_t n) {
  const size_t row = (blockIdx.x * size_t{blockDim.x} + threadIdx.x) / 32;
  if (row < count) {
    for (uint32_t i = threadIdx.x % 32; i < n; i += 32) {
      to[row * n + i] = from[row * n + i];
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
__global__ void one_byte(char* to, uint32_t sectors) {
  const size_t s = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (s < sectors) {
    to[s * 32 + 3] = 1;
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

}  // namespace

int main() {
  float *to, *from;
  cudaMalloc(&to, size_t{1} << 29);
  cudaMalloc(&from, size_t{1} << 29);
  const auto row = [&](const char* name, void (*kernel)(float*, uint32_t, uint32_t), uint64_t threads,
                       uint32_t a, uint32_t b) {
    const auto blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
    kernel<<<blocks, kThreads>>>(to, a, b);
    printf("%s,%u,%u,%u\n", name, blocks, a, b);
  };
  const auto one = [&](const char* name, void (*kernel)(float*, uint32_t), uint32_t sectors) {
    const unsigned blocks = (sectors + kThreads - 1) / kThreads;
    kernel<<<blocks, kThreads>>>(to, sectors);
    printf("%s,%u,%u\n", name, blocks, sectors);
  };
  for (uint32_t words : {8, 6, 4, 2, 1}) {
    const unsigned blocks = kSectors / kThreads * words;
    part<<<blocks, kThreads>>>(to, kSectors, words, 0);
    printf("part,%u,%u,%u,0\n", blocks, kSectors, words);
  }
  part<<<kSectors / kThreads * 7, kThreads>>>(to, kSectors, 7, 1);
  printf("part,%u,%u,7,1\n", kSectors / kThreads * 7, kSectors);
  one("rest", rest, kSectors);
  for (uint32_t lag : {1, 100, 1000, 3000, 10000, 20000, 40000}) {
    row("lagging", lagging, uint64_t{kSectors} * 4, kSectors, lag);
  }
  for (uint32_t n : {8, 9, 12, 16, 20, 33, 40, 60, 100, 250}) {
    const uint32_t count = kSectors * 8 / n;
    row("rows", rows, uint64_t{count} * 32, count, n);
  }
  for (uint32_t n : {32, 36, 33, 64, 60, 250, 256}) {
    const uint32_t count = kSectors * 8 / n;
    const unsigned blocks = (count + 7) / 8;
    copy_rows<<<blocks, kThreads>>>(to, from, count, n);
    printf("copy_rows,%u,%u,%u\n", blocks, count, n);
  }
  for (uint32_t other : {0, 1, 5}) {
    store_load<<<kSectors / kThreads, kThreads>>>(to, from, kSectors, other);
    printf("store_load,%u,%u,%u\n", kSectors / kThreads, kSectors, other);
  }
  for (uint32_t sectors : {kSectors / 64, kSectors / 8, kSectors}) {
    one("load_store", load_store, sectors);
    one("one_byte", reinterpret_cast<void (*)(float*, uint32_t)>(one_byte), sectors);
    one("reduce", reduce, sectors);
    row("spread", spread, sectors, sectors, 8);
  }
  for (uint32_t stride : {8, 16, 32, 64, 128}) {
    for (uint32_t n : {kSectors / 16, kSectors / 4, kSectors / 2}) {
      if (uint64_t{n} * stride <= uint64_t{kSectors} * 32) {
        row("spread", spread, n, n, stride);
      }
    }
  }
  for (uint32_t bits : {20, 22, 24, 25, 26, 27}) {
    for (uint32_t n : {1u << 20, 1u << 22}) {
      row("scatter", scatter, n, n, bits);
    }
  }
  const cudaError_t e = cudaDeviceSynchronize();
  fprintf(stderr, "%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
