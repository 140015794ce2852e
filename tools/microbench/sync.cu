// F. Barriers, fences, nanosleep. (Memory-queue timing is in sass/exp.py.)
#include "mb.h"
__device__ __forceinline__ u32 d32(u64 a) { return a > 0xffffffffull ? 0xffffffffu : (u32)a; } // keeps the clock 64-bit (CS2R)
__global__ void __launch_bounds__(1024) k_bar(u32* o, int n) { u64 t0 = 0, t1 = 0; for (int r = 0; r < 2; r++) { __syncthreads(); t0 = clk64();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int i = 0; i < 32; i++) asm volatile("barrier.sync 0;" ::: "memory"); } t1 = clk64(); } if (threadIdx.x == 0) o[0] = d32(t1 - t0); }
__global__ void __launch_bounds__(1024) k_barlast(u32* o) { // delay between the last arrival (warp 0 comes late) and each warp's release
  __shared__ u64 rel[32]; u64 t0 = 0, t1;
#pragma unroll 1
  for (int r = 0; r < 3; r++) { __syncthreads(); if (threadIdx.x < 32) { u64 c = clk64(); while (clk64() - c < 2000) ; } t0 = clk64(); asm volatile("barrier.sync 0;" ::: "memory"); t1 = clk64(); if ((threadIdx.x & 31) == 0) rel[threadIdx.x / 32] = t1; __syncthreads(); } if (threadIdx.x == 0) { int nw = blockDim.x / 32; for (int i = 0; i < nw; i++) o[i] = (u32)(rel[i] - t0); } }
__global__ void __launch_bounds__(1024) k_named(u32* o, int n, int per) { u64 t0 = 0, t1 = 0; u32 id = threadIdx.x / per + 1; for (int r = 0; r < 2; r++) { __syncthreads(); t0 = clk64(); for (int k = 0; k < n; k++) asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(per) : "memory"); t1 = clk64(); } if (threadIdx.x == 0) o[0] = d32(t1 - t0); }
template <int KIND, int STORES> __global__ void k_fence(u32* o, u32* g, int n) { u64 t0 = 0, t1 = 0;
#pragma unroll 1
  for (int r = 0; r < 2; r++) { t0 = clk64();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int s = 0; s < STORES; s++) asm volatile("st.global.u32 [%0],%1;" ::"l"(g + threadIdx.x + 1024 * (k * STORES + s)), "r"(k) : "memory"); if (KIND == 0) asm volatile("fence.acq_rel.gpu;" ::: "memory"); if (KIND == 1) asm volatile("fence.acq_rel.cta;" ::: "memory"); if (KIND == 2) asm volatile("fence.sc.gpu;" ::: "memory"); if (KIND == 3) asm volatile("fence.acq_rel.sys;" ::: "memory"); if (KIND == 4) asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); if (KIND == 5) asm volatile("fence.acq_rel.cluster;" ::: "memory"); } t1 = clk64(); } if (threadIdx.x == 0) o[0] = d32(t1 - t0); }
__global__ void k_fence1(u32* o, u32* g, int stores) {
#pragma unroll 1
  for (int r = 0; r < 2; r++) { for (int s = 0; s < stores; s++) asm volatile("st.global.u32 [%0],%1;" ::"l"(g + threadIdx.x + 1024 * (r * stores + s)), "r"(s) : "memory"); u64 t0 = clk64(); asm volatile("fence.acq_rel.gpu;" ::: "memory"); u64 t1 = clk64(); if (threadIdx.x == 0) o[0] = d32(t1 - t0); } }
__global__ void k_sleep(u32* o, u32 ns) { u64 t0 = 0, t1 = 0; for (int r = 0; r < 5; r++) { t0 = clk64(); asm volatile("nanosleep.u32 %0;" ::"r"(ns)); t1 = clk64(); o[r] = d32(t1 - t0); } }
__global__ void k_warpsync(u32* o, int n) { u64 t0 = 0, t1 = 0; for (int r = 0; r < 2; r++) { t0 = clk64();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int i = 0; i < 32; i++) asm volatile("bar.warp.sync -1;" ::: "memory"); } t1 = clk64(); } o[0] = d32(t1 - t0); }
static u32* o; static char* g;
static double f1(u32 i = 0) { sync(); return down(o, 64)[i]; }
int main() { o = dmalloc<u32>(4096); g = dmalloc<char>(64 << 20);
  for (int w : {1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 28, 32}) { auto f = [&](int n) { k_bar<<<1, 32 * w>>>(o, n); return f1(); }; Stat s = best(3, [&] { return (f(20) - f(4)) / 512; }); rec("F", "syncthreads_back_to_back", s.mn, "cyc", S("%d warps", w), "k_bar", 3, s.spread); k_barlast<<<1, 32 * w>>>(o); f1(); auto q = down(o, w); std::string l; for (u32 x : q) l += S("%d ", (int)x); rec("F", "barrier_release_after_last_arrival", (int)q[0], "cyc", S("%d warps; warp 0 arrives last; release clock per warp minus its clock before BAR: %s", w, l.c_str()), "k_barlast"); }
  for (int per : {32, 64, 128, 256}) for (int thr : {256, 1024}) { if (thr / per > 15) continue; k_named<<<1, thr>>>(o, 64, per); rec("F", "named_barrier_loop", f1() / 64, "cyc", S("%d threads per barrier; %d threads", per, thr), "k_named"); }
  auto fe = [&](auto k, auto st, const char* nm) { for (int thr : {32, 1024}) { k_fence<decltype(k)::value, decltype(st)::value><<<1, thr>>>(o, (u32*)g, 32); rec("F", nm, f1() / 32, "cyc", S("loop with %d stores before each; %d threads; incl. ~25 loop", decltype(st)::value, thr), "k_fence"); } };
  auto fk = [&](auto k, const char* nm) { fe(k, std::integral_constant<int, 0>(), nm); fe(k, std::integral_constant<int, 1>(), nm); fe(k, std::integral_constant<int, 8>(), nm); };
  fk(std::integral_constant<int, 0>(), "fence.acq_rel.gpu"); fk(std::integral_constant<int, 1>(), "fence.acq_rel.cta"); fk(std::integral_constant<int, 2>(), "fence.sc.gpu"); fk(std::integral_constant<int, 3>(), "fence.acq_rel.sys"); fk(std::integral_constant<int, 4>(), "fence.proxy.async.shared"); fk(std::integral_constant<int, 5>(), "fence.acq_rel.cluster"); fk(std::integral_constant<int, 9>(), "no fence (loop base)");
  for (int st : {0, 1, 4, 16}) { k_fence1<<<1, 32>>>(o, (u32*)g, st); rec("F", "single fence.acq_rel.gpu", f1(), "cyc", S("after %d stores; fence time only", st), "k_fence1"); }
  for (u32 ns : {0u, 20u, 100u, 500u, 1000u, 10000u}) { k_sleep<<<1, 1>>>(o, ns); double a = f1(1); rec("F", "nanosleep", a, "cyc", S("%u ns; others %.0f %.0f %.0f", ns, f1(2), f1(3), f1(4)), "k_sleep"); }
  { auto f = [&](int n) { k_warpsync<<<1, 32>>>(o, n); return f1(); }; rec("F", "syncwarp(full mask)", (f(20) - f(4)) / 512, "cyc", "converged warp", "k_warpsync"); }
  return 0; }
