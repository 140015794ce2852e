// Blocks that read, then write, all resident at once: what the writes cost the reads, by what is in L2 before. Under ncu, with
// `--cache-control none`: the state is made here. `read_write times` prints clocks of the parts without ncu. FINDINGS.md 38.
// Build: nvcc -O3 -std=c++17 -arch=sm_90a read_write.cu -o read_write
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define CK(x)                                                  \
  do {                                                         \
    cudaError_t e_ = (x);                                      \
    if (e_) {                                                  \
      printf("err %d %s\n", __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                 \
    }                                                          \
  } while (0)

__device__ __forceinline__ float4 ld(const float4* p) {  // in this order
  float4 v;
  asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
  return v;
}
__device__ __forceinline__ void st(float4* p, float4 v) {
  asm volatile("st.global.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w));
}
template <int U, int kFrom>
__device__ __forceinline__ float load(const float4* a, const float4* b, size_t i, float4* v) {
  float s = 0;
#pragma unroll
  for (int u = 0; u < U; ++u) {
    v[u] = ld(a + i + u * 128);
    if (kFrom == 2) {
      v[U + u] = ld(b + i + u * 128);
    }
  }
#pragma unroll
  for (int u = 0; u < kFrom * U; ++u) {
    s += v[u].x + v[u].y + v[u].z + v[u].w;
  }
  return s;
}
template <int U, int kFrom>
__global__ void rd(const float4* a, const float4* b, float4* o) {
  float4 v[kFrom * U];
  float s = load<U, kFrom>(a, b, (size_t)blockIdx.x * U * 128 + threadIdx.x, v);
  if (s == 12345.f) {
    o[0] = v[0];
  }
}
// All loads, then all stores; the sum makes each store wait for every load.
template <int U, int kFrom>
__global__ void rw(const float4* a, const float4* b, float4* c) {
  const size_t i = (size_t)blockIdx.x * U * 128 + threadIdx.x;
  float4 v[kFrom * U];
  float s = load<U, kFrom>(a, b, i, v);
#pragma unroll
  for (int u = 0; u < U; ++u) {
    v[u].x = s;
    st(c + i + u * 128, v[u]);
  }
}
template <int U>
__global__ void wr(float4* c) {
  const size_t i = (size_t)blockIdx.x * U * 128 + threadIdx.x;
#pragma unroll
  for (int u = 0; u < U; ++u) {
    st(c + i + u * 128, make_float4(1, 2, 3, 4));
  }
}
template <int U, int kFrom, bool kStore>
__global__ void timed(const float4* a, const float4* b, float4* c, unsigned* t) {
  const size_t i = (size_t)blockIdx.x * U * 128 + threadIdx.x;
  float4 v[kFrom * U];
  const unsigned t0 = clock();
  float s = load<U, kFrom>(a, b, i, v);
  if (s == 12345.f) {
    c[0] = v[0];
  }
  const unsigned t1 = clock();
  if (kStore) {
#pragma unroll
    for (int u = 0; u < U; ++u) {
      v[u].x = s;
      st(c + i + u * 128, v[u]);
    }
  }
  const unsigned t2 = clock();
  __threadfence();
  const unsigned t3 = clock();
  if (threadIdx.x % 32 == 0) {
    unsigned* o = t + (blockIdx.x * 4 + threadIdx.x / 32) * 4;
    o[0] = t0, o[1] = t1, o[2] = t2, o[3] = t3;
  }
}
__global__ void x_read(const float4* a, size_t n, float4* o) {
  float s = 0;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    s += a[i].x;
  }
  if (s == 12345.f) {
    o[0].x = s;
  }
}
__global__ void x_write(float4* a, size_t n) {
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    a[i] = make_float4(1, 2, 3, 4);
  }
}

static char* m;
static float4 *A, *B, *C, *F;
// What L2 has before: clean lines of something else, dirty ones of it, the target clean or dirty, the sources.
static const char* const kStates[] = {"clean", "dirty", "target_clean", "target_dirty", "sources", "all"};
static void prepare(int state, size_t bytes) {
  const size_t n = bytes / 16, f = (size_t)400 << 16;
  if (state == 1) {
    x_write<<<1056, 256>>>(F, f);
  } else {
    x_read<<<1056, 256>>>(F, f, C);
  }
  if (state == 2 || state == 5) x_read<<<1056, 256>>>(C, n, F);
  if (state == 3) x_write<<<1056, 256>>>(C, n);
  if (state == 4 || state == 5) x_read<<<1056, 256>>>(A, n, F), x_read<<<1056, 256>>>(B, n, F);
  CK(cudaDeviceSynchronize());
}
template <int U, int kFrom>
static void pair(int state, int mb, size_t shift) {
  const size_t bytes = (size_t)mb << 20;
  const int blocks = bytes / (U * 2048);
  prepare(state, bytes);
  rd<U, kFrom><<<blocks, 128>>>(A, B + shift / 16, C);
  prepare(state, bytes);
  rw<U, kFrom><<<blocks, 128>>>(A, B + shift / 16, C + 2 * shift / 16);
}
template <int U, int kFrom, bool kStore>
static void times(int mb, int state) {
  const int blocks = ((size_t)mb << 20) / (U * 2048);
  unsigned* t;
  CK(cudaMallocManaged(&t, blocks * 64));
  for (int r = 0; r < 3; ++r) {
    prepare(state, (size_t)mb << 20);
    timed<U, kFrom, kStore><<<blocks, 128>>>(A, B, C, t);
    CK(cudaDeviceSynchronize());
    std::vector<unsigned> part[3];
    for (int w = 0; w < blocks * 4; ++w) {
      for (int k = 0; k < 3; ++k) part[k].push_back(t[w * 4 + k + 1] - t[w * 4 + k]);
    }
    printf("times,%d,%d,%s,%d,%s,%d", U, kFrom, kStore ? "rw" : "rd", mb, kStates[state], r);
    for (auto& p : part) {
      std::sort(p.begin(), p.end());
      double sum = 0;
      for (unsigned x : p) sum += x;
      printf(",%u,%.0f,%u,%u", p[0], sum / p.size(), p[p.size() * 9 / 10], p.back());
    }
    puts("");
  }
  CK(cudaFree(t));
}
int main(int argc, char** argv) {
  CK(cudaMalloc(&m, (size_t)2 << 30));
  CK(cudaMemset(m, 0, (size_t)2 << 30));
  A = (float4*)m, B = (float4*)(m + ((size_t)256 << 20)), C = (float4*)(m + ((size_t)512 << 20)), F = (float4*)(m + ((size_t)1024 << 20));
  if (argc > 1 && !strcmp(argv[1], "times")) {
    for (int mb : {1, 2, 4, 8}) {
      for (int state : {0, 3, 4}) {
        times<2, 1, false>(mb, state), times<2, 1, true>(mb, state), times<4, 2, false>(mb, state), times<4, 2, true>(mb, state);
      }
    }
    return 0;
  }
  for (int mb : {1, 2, 4, 8, 16}) {
    for (int state = 0; state < 6; ++state) {
      pair<2, 1>(state, mb, 0), pair<4, 2>(state, mb, 0);
    }
    pair<4, 2>(0, mb, 65536), pair<4, 2>(0, mb, 1 << 20);
    prepare(0, (size_t)mb << 20), wr<4><<<mb * 128, 128>>>(C);
    prepare(3, (size_t)mb << 20), wr<4><<<mb * 128, 128>>>(C);
  }
  CK(cudaDeviceSynchronize());
}
