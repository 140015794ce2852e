// What reads and writes of DRAM cost each other: loops whose next step waits for the last one, copies by
// pattern, ATen's operators, pointer chases and reads of the L2. Each runs twice with different amounts of
// work; what is compared is the difference. Under ncu (cycles of gpc__cycles_elapsed.max, two runs, the
// smaller); stdout names the launches in their order: name, work, more. FINDINGS.md 61. Build: nvcc -O3
// -std=c++17 -arch=sm_90 mixed.cu -o mixed
#include "../../traces/others/source/curves.cu"
#include "../../traces/others/source/ops.cu"

#include <cuda_runtime.h>
#include "row_kernels.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

// kKind 0: load; 1: load, then store what it brought; 2: store; 3: load, and store elsewhere without waiting.
template <int kKind, bool kRows>
__global__ void loop(float* p, const float* q, uint32_t steps) {
  extern __shared__ float unused[];
  const uint32_t lane = threadIdx.x % 32;
  const uint64_t warp = (blockIdx.x * uint64_t(blockDim.x) + threadIdx.x) / 32,
                 warps = gridDim.x * uint64_t(blockDim.x) / 32;
  // rows: a warp's lines follow each other; else: all warps' lines of a step do
  uint64_t i = (kRows ? warp * steps : warp) * 32 + lane;
  const uint64_t step = kRows ? 32 : warps * 32;
  float sum = 0;
  for (uint32_t s = 0; s < steps; ++s, i += step) {
    float v = 1.f;
    if (kKind != 2) {
      asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(q + i));
    }
    if (kKind == 1 || kKind == 2) {
      asm volatile("st.global.f32 [%0], %1;" ::"l"(p + i), "f"(v));
    }
    if (kKind == 3) {
      asm volatile("st.global.f32 [%0], %1;" ::"l"(p + i), "f"(1.f));
    }
    if (kKind == 0 || kKind == 3) {
      if (v == 1.25f) {
        sum += 1;
      }
      if (__any_sync(~0u, v == 3.5f)) {
        break;
      }
    }
  }
  if (sum > 0) {
    p[0] = sum;
  }
}

__global__ void read_rows(const float* q, float* o, size_t rows, int n) {
  size_t row = (blockIdx.x * size_t(blockDim.x) + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  float s = 0;
  if (row < rows) {
    for (int i = lane; i < n; i += 32) {
      s += q[row * n + i];
    }
  }
  if (s == 1.25f) {
    o[0] = s;
  }
}
// grid-stride copies and reads of 4, 8, 16 bytes
template <typename T>
__global__ void gs_copy(T* a, const T* b, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    a[i] = b[i];
  }
}
template <typename T>
__global__ void one_copy(T* a, const T* b) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  a[i] = b[i];
}
__global__ void one_read4(const float4* a, float* o) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  float4 v = a[i];
  if (v.x == 1.25f) {
    o[0] = v.y;
  }
}
__global__ void one_write4(float4* a) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  a[i] = make_float4(1, 2, 3, 4);
}
__global__ void gs_read4(const float4* a, float* o, size_t n) {
  float s = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    float4 v = a[i];
    s += v.x + v.w;
  }
  if (s == 1.25f) {
    o[0] = s;
  }
}
template <int K, bool R>
void go(float* p, float* q, int per_sm, const char* name) {
  for (uint32_t steps : {32u, 96u}) {
    int shared = 233472 / per_sm - 1024 - 512;
    if (shared > 232448) {
      shared = 232448;
    }
    if (per_sm == 8) {
      shared = 0;
    }
    cudaFuncSetAttribute(loop<K, R>, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
    loop<K, R><<<132 * per_sm, 256, shared>>>(p, q, steps * (K == 0 || K == 2 ? 2 : 1));
    printf("%s%s %d %u\n", name, R ? "rows" : "", per_sm, steps);
  }
}

void loops(float* p, float* q) {
  for (int per : {1, 2, 3, 4, 6, 8}) {
    go<0, false>(p, q, per, "load");
    go<1, false>(p, q, per, "copy");
    go<2, false>(p, q, per, "store");
    go<3, false>(p, q, per, "both");
    go<0, true>(p, q, per, "load");
    go<1, true>(p, q, per, "copy");
    go<2, true>(p, q, per, "store");
    go<3, true>(p, q, per, "both");
  }
}

int main() {
  const size_t MB = 1 << 20, l2 = 62914560;
  int sms = 132;
  char *a, *b, *c;
  cudaMalloc(&a, 1024 * MB);
  cudaMalloc(&b, 1024 * MB);
  cudaMalloc(&c, 1024 * MB);
  cudaMemset(a, 0, 1024 * MB);
  cudaMemset(b, 0, 1024 * MB);
  cudaMemset(c, 0, 1024 * MB);
  // chases: 16K 64K 256K 1M 2M 8M 16M 32M 64M 256M ; steps 500 1500
  for (size_t kib : {16, 64, 256, 1024, 2048, 8192, 16384, 32768, 65536, 262144}) {
    for (unsigned steps : {500u, 1500u}) {
      chase<<<1, 1024>>>((uint64_t*)a, unsigned(kib * 8), steps, (uint64_t*)c);
      printf("chase %zu %u\n", kib, steps);
    }
  }
  for (size_t kib : {2048, 4096, 8192, 16384, 24576, 32768, 45056, 98304}) {
    unsigned grid = 2 * sms, n = unsigned(kib * 64 / grid * grid);
    unsigned turns = std::max<size_t>(2, 96 * MB / (kib << 10));
    for (unsigned t : {turns, 2 * turns}) {
      read_again<<<grid, 1024>>>((float4*)a, n, t, (float*)c);
      printf("l2 %zu %u\n", kib, t);
    }
  }
  for (size_t by : {2 * l2, 2 * l2 + 96 * MB}) {
    stream_read<<<by / 2048, 256>>>((double*)a, (double*)c);
    printf("read %zu 0\n", by);
    stream_write<<<by / 2048, 256>>>((double*)a, 2.0);
    printf("write %zu 0\n", by);
    stream_triad<<<by / 6144, 256>>>((double*)a, (double*)b, (double*)c, 3.0);
    printf("triad %zu 0\n", by);
    one_read4<<<by / 4096, 256>>>((float4*)a, (float*)c);
    printf("read4 %zu 0\n", by);
    one_write4<<<by / 4096, 256>>>((float4*)a);
    printf("write4 %zu 0\n", by);
    one_copy<float><<<by / 2048, 256>>>((float*)a, (float*)b);
    printf("copy4 %zu 0\n", by);
    one_copy<double><<<by / 4096, 256>>>((double*)a, (double*)b);
    printf("copy8 %zu 0\n", by);
    one_copy<float4><<<by / 8192, 256>>>((float4*)a, (float4*)b);
    printf("copy16 %zu 0\n", by);
    gs_copy<float><<<sms * 8, 256>>>((float*)a, (float*)b, by / 8);
    printf("gscopy4 %zu 0\n", by);
    gs_copy<float4><<<sms * 8, 256>>>((float4*)a, (float4*)b, by / 32);
    printf("gscopy16 %zu 0\n", by);
    gs_read4<<<sms * 8, 256>>>((float4*)a, (float*)c, by / 16);
    printf("gsread16 %zu 0\n", by);
    for (int n : {32, 64, 250, 256}) {
      size_t r = by / 4 / n;
      rows<<<(r * 32 + 255) / 256, 256>>>((float*)a, r, n);
      printf("rows%d %zu 0\n", n, by);
    }
    for (int n : {32, 64, 250, 256, 1000, 1024}) {
      size_t r = by / 4 / n;
      read_rows<<<(r * 32 + 255) / 256, 256>>>((float*)a, (float*)c, r, n);
      printf("rrows%d %zu 0\n", n, by);
    }
    for (int n : {32, 64, 250, 256, 1000, 1024}) {
      size_t r = by / 8 / n;
      copy_rows<<<(r * 32 + 255) / 256, 256>>>((float*)a, (float*)b, r, n);
      printf("crows%d %zu 0\n", n, by);
    }
  }
  for (size_t by : {2 * l2, 2 * l2 + 96 * MB}) {
    {
      int n = by / 12 / 512 * 512;
      add<<<n / 512, 128>>>(n, 1.f, (float*)a, (float*)b, (float*)c);
      printf("add %zu 0\n", size_t(n) * 12);
    }
    {
      int n = by / 8 / 512 * 512;
      gelu<<<n / 512, 128>>>(n, (float*)a, (float*)b);
      printf("gelu %zu 0\n", size_t(n) * 8);
    }
    {
      int n = by / 8 / 512 * 512;
      relu<<<n / 512, 128>>>(n, (float*)a, (float*)b);
      printf("relu %zu 0\n", size_t(n) * 8);
    }
    {
      int n = by / 8 / 512 * 512;
      hyperbolic<<<n / 512, 128>>>(n, (float*)a, (float*)b);
      printf("tanh %zu 0\n", size_t(n) * 8);
    }
    for (int cols :
         {17, 33, 48, 64, 100, 128, 129, 200, 256, 257, 320, 384, 500, 512, 513, 640, 768, 900, 1000, 1024}) {
      int lg = 5;
      while ((1 << lg) < cols) {
        ++lg;
      }
      int per = 4 * (lg <= 7 ? 2 : 1);
      size_t blocks = by / 8 / cols / per;
      int rows = blocks * per;
      dim3 bl(32, 4);
#define G(N) \
  if (lg == N) softmax_warp_##N<<<blocks, bl>>>((float*)a, (float*)b, rows, cols, cols);
      G(5) G(6) G(7) G(8) G(9) G(10) printf("softw%d %zu 0\n", cols, size_t(rows) * cols * 8);
    }
    for (int cols :
         {1100, 1280, 1536, 2048, 2500, 3072, 4096, 5000, 6144, 8192, 12000, 16384, 32000, 50257}) {
      int most = std::min(cols / 4, 1024) / 2;
      int threads = 32;
      while (threads < most) {
        threads *= 2;
      }
      size_t rows = by / 8 / cols;
      softmax_block<<<rows, threads, 4 * threads>>>((float*)a, (float*)b, cols);
      printf("softb%d %zu 0\n", cols, rows * cols * 8);
    }
  }
  loops(reinterpret_cast<float*>(a), reinterpret_cast<float*>(b));
  fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
