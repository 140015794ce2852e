// The accesses and fences of the litmus kernels, one PTX instruction each, and the small things all of them
// use.
#pragma once
#include "../mb.h"

enum Space { kGlobal, kShared };
// What a row's accesses are: the pair (load, store). `acqrel` is ld.acquire and st.release.
enum Access { weak, vol, relaxed_cta, relaxed_gpu, relaxed_sys, acqrel_cta, acqrel_gpu, acqrel_sys };
// The fence between two accesses of a thread.
enum Fence { none, ar_cta, ar_gpu, ar_sys, sc_cta, sc_gpu, sc_sys };

template <Access A, Space S = kGlobal>
__device__ __forceinline__ u32 load(u64 a) {
  u32 v = 0;
#define LD(K, SEM)                                                                \
  if constexpr (A == K && S == kGlobal)                                           \
    asm volatile("ld." SEM ".global.u32 %0,[%1];" : "=r"(v) : "l"(a) : "memory"); \
  if constexpr (A == K && S == kShared)                                           \
  asm volatile("ld." SEM ".shared.u32 %0,[%1];" : "=r"(v) : "l"(a) : "memory")
  LD(weak, "weak");
  LD(vol, "volatile");
  LD(relaxed_cta, "relaxed.cta");
  LD(relaxed_gpu, "relaxed.gpu");
  LD(relaxed_sys, "relaxed.sys");
  LD(acqrel_cta, "acquire.cta");
  LD(acqrel_gpu, "acquire.gpu");
  LD(acqrel_sys, "acquire.sys");
#undef LD
  return v;
}

template <Access A, Space S = kGlobal>
__device__ __forceinline__ void store(u64 a, u32 v) {
#define ST(K, SEM)                                                              \
  if constexpr (A == K && S == kGlobal)                                         \
    asm volatile("st." SEM ".global.u32 [%0],%1;" ::"l"(a), "r"(v) : "memory"); \
  if constexpr (A == K && S == kShared)                                         \
  asm volatile("st." SEM ".shared.u32 [%0],%1;" ::"l"(a), "r"(v) : "memory")
  ST(weak, "weak");
  ST(vol, "volatile");
  ST(relaxed_cta, "relaxed.cta");
  ST(relaxed_gpu, "relaxed.gpu");
  ST(relaxed_sys, "relaxed.sys");
  ST(acqrel_cta, "release.cta");
  ST(acqrel_gpu, "release.gpu");
  ST(acqrel_sys, "release.sys");
#undef ST
}

template <Fence F>
__device__ __forceinline__ void fence() {
#define FN(K, SEM) \
  if constexpr (F == K) asm volatile("fence." SEM ";" ::: "memory")
  FN(ar_cta, "acq_rel.cta");
  FN(ar_gpu, "acq_rel.gpu");
  FN(ar_sys, "acq_rel.sys");
  FN(sc_cta, "sc.cta");
  FN(sc_gpu, "sc.gpu");
  FN(sc_sys, "sc.sys");
#undef FN
}

// A counter-based generator: no state, so a row's delays are those of its seed whatever runs beside it.
__host__ __device__ __forceinline__ u32 mix(u32 seed, u32 a, u32 b = 0, u32 c = 0) {
  u32 x = seed ^ a * 0x9e3779b9u ^ b * 0x85ebca6bu ^ c * 0xc2b2ae35u;
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Waits 0, up to 63, 255 or 1,023 cycles: close races and wide ones.
__device__ __forceinline__ void random_delay(u32 r) {
  u32 cycles = (r & 0xffff) & (r >> 30 == 0 ? 0 : r >> 30 == 1 ? 63 : r >> 30 == 2 ? 255 : 1023);
  u64 t0 = clk64();
  while (clk64() - t0 < cycles) {
  }
}

// Relaxed on purpose: an acquire would empty the L1 that a row wants stale. False if the others have not come
// after a second or so: a launch whose blocks are not all resident ends and says so.
__device__ __forceinline__ bool meet(u32* counter, u32 target) {
  u32 v;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0,[%1],1;" : "=r"(v) : "l"(counter) : "memory");
  for (u32 i = 0; i < 1000000; i++) {
    asm volatile("ld.relaxed.gpu.global.u32 %0,[%1];" : "=r"(v) : "l"(counter) : "memory");
    if (v >= target) {
      return true;
    }
  }
  return false;
}
