// I. Constant cache: indexed LDC chains over growing working sets, immediate constant operands cold and warm.
#include "mb.h"
__constant__ u32 ct[16384];
__device__ __forceinline__ u32 d32(u64 a) { return a > 0xffffffffull ? 0xffffffffu : (u32)a; }
// Chase over byte offsets stored in ct; per-access times of the first pass go to shared memory.
__global__ void k_ldc(u32* o, int n, u32 start) { if (blockIdx.x) return; u64 t[3]; u32 x = start;
#pragma unroll
  for (int r = 0; r < 2; r++) { t[r] = clk64();
#pragma unroll 1
    for (int i = 0; i < n; i++) x = *(const u32*)((const char*)ct + x); t[r + 1] = clk64(); }
  o[0] = d32(t[1] - t[0]); o[1] = d32(t[2] - t[1]); o[2] = x; }
__global__ void k_ldc64(u32* o, int n, u32 start, int warps) { u32 x = start; u64 t0 = 0, t1 = 0; for (int r = 0; r < 2; r++) { t0 = bar_clk();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
      for (int j = 0; j < 16; j++) x = *(const u32*)((const char*)ct + x); } t1 = bar_clk(); } if (threadIdx.x == 0) o[0] = d32(t1 - t0); o[4 + threadIdx.x] = x; }
// Lanes with different indices serialise.
__global__ void k_ldcdiv(u32* o, int n, u32 mul) { u32 x = (threadIdx.x * mul) & 0xfffc; u64 t0 = 0, t1 = 0; for (int r = 0; r < 2; r++) { t0 = bar_clk();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
      for (int j = 0; j < 16; j++) x = *(const u32*)((const char*)ct + x); } t1 = clk64(); } if (threadIdx.x == 0) o[0] = d32(t1 - t0); o[4 + threadIdx.x] = x; }
// FFMA with constant operands, one per 64-byte line (first pass cold, second warm).
template <int ST, int N> __global__ void k_cop(u32* o, float s) { float x = s; u64 t0, t1; u32 q[3];
#pragma unroll 1
  for (int r = 0; r < 3; r++) { t0 = clk64();
#pragma unroll
    for (int i = 0; i < N; i++) x = x * __uint_as_float(ct[i * ST / 4]) + x; t1 = clk64(); if (r == 0) q[0] = d32(t1 - t0); if (r == 1) q[1] = d32(t1 - t0); q[2] = d32(t1 - t0); } o[0] = q[0]; o[1] = q[1]; o[2] = q[2]; o[3] = __float_as_uint(x); }
// Kernel parameters: time of the first and second touch of the parameter bank through a store of its value.
struct P { u32 v[512]; };
__global__ void k_par(u32* o, const __grid_constant__ P p) { u64 t0 = clk64(); u32 a = p.v[3]; u32 t1 = clk_after(a, ~0u); u32 b = p.v[200]; u32 t2 = clk_after(b, ~0u); u32 c = p.v[201]; u32 t3 = clk_after(c, ~0u); u32 d = p.v[400]; u32 t4 = clk_after(d, ~0u); o[0] = t1 - (u32)t0; o[1] = t2 - t1; o[2] = t3 - t2; o[3] = t4 - t3; }
int main() { u32* o = dmalloc<u32>(4096); std::vector<u32> h(16384);
  for (int st : {4, 16, 64, 256}) for (int kb4 : {1, 2, 4, 6, 7, 8, 9, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 160, 192, 224, 256}) { u32 ws = kb4 * 256; if (ws < (u32)st) continue; u32 n = ws / st; for (u32 i = 0; i < n; i++) h[i * st / 4] = ((i + 1) % n) * st; CK(cudaMemcpyToSymbol(ct, h.data(), 65536)); if (st < 64 && kb4 > 16) continue; k_ldc<<<1, 1>>>(o, n, 0); sync(); k_ldc<<<1, 1>>>(o, n, 0); sync(); auto r = down(o, 2); rec("I", "LDC_chase", r[1] / (double)n, "cyc (incl. loop ~?)", S("working set %u B; stride %d B; first pass %.1f", ws, st, r[0] / (double)n), "k_ldc"); }
  for (u32 i = 0; i < 16384; i++) h[i] = i * 4; CK(cudaMemcpyToSymbol(ct, h.data(), 65536)); for (int w : {1, 4, 16, 32}) { auto f = [&](int n) { k_ldc64<<<1, 32 * w>>>(o, n, 64, w); sync(); return (double)down(o, 1)[0]; }; rec("I", "LDC_hit_dependent", (f(20) - f(4)) / 256, "cyc", S("%d warps", w), "k_ldc64"); }
  for (u32 m : {0u, 4u, 16u, 64u, 256u, 2048u}) { auto f = [&](int n) { k_ldcdiv<<<1, 32>>>(o, n, m); sync(); return (double)down(o, 1)[0]; }; f(4); rec("I", "LDC_divergent_index", (f(20) - f(4)) / 256, "cyc", S("lane stride %u B", m), "k_ldcdiv"); }
  auto cop = [&](const char* nm, double n) { auto r = down(o, 3); rec("I", "FFMA_const_operand", r[2] / n, "cyc/instr", S("%s; first pass %.1f; second %.2f (dependent chain)", nm, r[0] / n, r[1] / n), "k_cop"); };
  k_cop<64, 32><<<1, 1>>>(o, 1.f); sync(); cop("32 lines of 64B = 2KB", 32); k_cop<64, 16><<<1, 1>>>(o, 1.f); sync(); cop("16 lines = 1KB", 16); k_cop<64, 64><<<1, 1>>>(o, 1.f); sync(); cop("64 lines = 4KB", 64); k_cop<64, 256><<<1, 1>>>(o, 1.f); sync(); cop("256 lines = 16KB", 256); k_cop<4, 64><<<1, 1>>>(o, 1.f); sync(); cop("consecutive words 256B", 64); k_cop<256, 64><<<1, 1>>>(o, 1.f); sync(); cop("64 lines 256B apart = 16KB", 64);
  P p; for (int i = 0; i < 512; i++) p.v[i] = i; for (int r = 0; r < 3; r++) { k_par<<<1, 32>>>(o, p); sync(); auto q = down(o, 4); rec("J", "parameter_touch", q[0], "cyc", S("run %d; first word %u; +800B %u; next word %u; +800B %u", r, q[0], q[1], q[2], q[3]), "k_par"); }
  return 0; }
