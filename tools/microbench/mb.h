// Shared helpers of the micro-benchmarks: one CSV row per result on stdout, clock reads, simple launch
// wrappers.
#pragma once
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
typedef unsigned u32;
typedef unsigned long long u64;
#define CK(x)                                                                 \
  do {                                                                        \
    cudaError_t e_ = (x);                                                     \
    if (e_ != cudaSuccess) {                                                  \
      printf("ERROR,%s:%d,%s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      fflush(stdout);                                                         \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

__device__ __forceinline__ u32 clk() {
  u64 r;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(r)::"memory");
  return (u32)r;
}  // clock64 gives CS2R; %clock may become the slow S2UR
__device__ __forceinline__ u64 clk64() {
  u64 r;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(r)::"memory");
  return r;
}
__device__ __forceinline__ u64 gtime() {
  u64 r;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(r)::"memory");
  return r;
}
__device__ __forceinline__ u32 smid() {
  u32 r;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(r));
  return r;
}
__device__ __forceinline__ u32 sptr(const void* p) { return (u32)__cvta_generic_to_shared(p); }
// Clock read that cannot issue before the value `x` has arrived (x must never equal `never`).
__device__ __forceinline__ u32 clk_after(u32 x, u32 never) {
  u64 r;
  asm volatile("{.reg .pred p; setp.ne.u32 p, %1, %2; mov.u64 %0, 0; @p mov.u64 %0, %%clock64;}"
               : "=l"(r)
               : "r"(x), "r"(never)
               : "memory");
  return (u32)r;
}

// A warp's stamps, behind its SM: N + 1 words for each warp of the grid.
template <int N>
__device__ __forceinline__ void give_stamps(u32* out, const u32 (&t)[N]) {
  u32 w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if ((threadIdx.x & 31) == 0) {
    out[w * (N + 1)] = smid();
#pragma unroll
    for (int i = 0; i < N; i++) {
      out[w * (N + 1) + 1 + i] = t[i];
    }
  }
}

// All blocks start together, behind a k_zero: they must be resident at once.
static __device__ u32 g_bar;
static __global__ void k_zero() { g_bar = 0; }
__device__ __forceinline__ void startbar() {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&g_bar, 1);
    while (*(volatile u32*)&g_bar < gridDim.x)
      ;
  }
  __syncthreads();
}

// CTA barrier, then a clock read that really waits for it: BAR.SYNC.DEFER_BLOCKING does not hold back a
// following CS2R, so the clock is made to depend on a shared-memory load behind the barrier.
__device__ __forceinline__ u64 bar_clk() {
  __shared__ u32 word;
  __syncthreads();
  u64 r;
  asm volatile(
      "{.reg .pred p; .reg .u32 x; ld.volatile.shared.u32 x,[%1]; setp.ne.u32 p,x,0xdeadbeef; mov.u64 %0,0; "
      "@p mov.u64 %0,%%clock64;}"
      : "=l"(r)
      : "r"(sptr(&word))
      : "memory");
  return r;
}

static void rec(const char* id, const std::string& param, double v, const char* unit, const std::string& cond,
                const char* kern, int reps = 1, double spread = 0) {
  printf("CSV,%s,%s,%.6g,%s,%s,%s,%d,%.4g\n", id, param.c_str(), v, unit, cond.c_str(), kern, reps, spread);
  fflush(stdout);
}
static std::string S(const char* f, ...) {
  char b[512];
  va_list a;
  va_start(a, f);
  vsnprintf(b, sizeof b, f, a);
  va_end(a);
  return b;
}

// Reads n words, so that L2 has them, or nothing of what it had.
static __global__ void k_read_words(u32* o, const u64* p, size_t n) {
  u64 s = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    s += p[i];
  }
  if (s == 0x123456789) {
    o[0] = 1;
  }
}

template <class T>
T* dmalloc(size_t n) {
  T* p;
  CK(cudaMalloc(&p, n * sizeof(T)));
  CK(cudaMemset(p, 0, n * sizeof(T)));
  return p;
}
template <class T>
std::vector<T> down(const T* p, size_t n) {
  std::vector<T> v(n);
  CK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}
static void sync() {
  CK(cudaGetLastError());
  CK(cudaDeviceSynchronize());
}
static int nsm() {
  static int n = 0;
  if (!n) {
    cudaDeviceProp p;
    CK(cudaGetDeviceProperties(&p, 0));
    n = p.multiProcessorCount;
  }
  return n;
}
static double pct(std::vector<u32> v, double q) {
  if (v.empty()) {
    return 0;
  }
  std::sort(v.begin(), v.end());
  return v[std::min(v.size() - 1, (size_t)(q * v.size()))];
}
struct Stat {
  double mn, spread;
};
// Minimum over repeats and relative spread (max-min)/min.
static Stat best(int reps, std::function<double()> f) {
  double mn = 1e300, mx = 0;
  for (int i = 0; i < reps; i++) {
    double v = f();
    mn = std::min(mn, v);
    mx = std::max(mx, v);
  }
  return {mn, mn > 0 ? (mx - mn) / mn : 0};
}

__global__ void k_spin_mhz(u64* o, u64 ns) {
  u64 g0 = gtime(), g1;
  while (gtime() == g0)
    ;
  g0 = gtime();
  u64 c0 = clk64();
  do {
    g1 = gtime();
  } while (g1 - g0 < ns);
  o[0] = clk64() - c0;
  o[1] = g1 - g0;
}
static double mhz() {
  static double m = 0;
  if (!m) {
    u64* o = dmalloc<u64>(2);
    k_spin_mhz<<<1, 1>>>(o, 20000000);
    sync();
    k_spin_mhz<<<1, 1>>>(o, 5000000);
    sync();
    auto v = down(o, 2);
    m = 1e3 * v[0] / v[1];
  }
  return m;
}
// Whole-kernel time in SM cycles from events (use for kernels much longer than the launch overhead).
static double ev_cycles(std::function<void()> f) {
  static cudaEvent_t a, b;
  static bool in = false;
  if (!in) {
    CK(cudaEventCreate(&a));
    CK(cudaEventCreate(&b));
    in = true;
  }
  CK(cudaEventRecord(a));
  f();
  CK(cudaEventRecord(b));
  sync();
  float ms;
  CK(cudaEventElapsedTime(&ms, a, b));
  return ms * 1e3 * mhz();
}
// Runs sections named on the command line (all when none is).
struct Main {
  int c;
  char** v;
  bool want(const char* s) {
    if (c < 2) {
      return true;
    }
    for (int i = 1; i < c; i++) {
      if (!strcmp(v[i], s)) {
        return true;
      }
    }
    return false;
  }
};
