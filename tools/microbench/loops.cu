// What a taken branch costs the other warps: loops of B FFMA that begin PAD instructions later, by 1 to 8 warps a sub-core; cycles a turn, by the last and the
// first end of a warp (results/h100_loops.csv; FINDINGS.md 49).
#include "mb.h"
template <int B, int PAD> __global__ void __launch_bounds__(1024) k_loops(u32* out, float a, float b, int n) { float v[8]; for (int i = 0; i < 8; i++) v[i] = threadIdx.x + i; u64 t0 = 0, t1 = 0;
  t0 = bar_clk();
#pragma unroll
  for (int i = 0; i < PAD; i++) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(v[i & 7]) : "f"(a), "f"(b));
#pragma unroll 1
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (int i = 0; i < B; i++) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(v[i & 7]) : "f"(a), "f"(b)); }
  t1 = clk64(); float s = 0; for (int i = 0; i < 8; i++) s += v[i]; if (s == 1.2345f) out[999] = 1; if ((threadIdx.x & 31) == 0) { out[threadIdx.x / 16] = (u32)t0; out[threadIdx.x / 16 + 1] = (u32)t1; } }
static u32* out;
template <int B, int PAD> void one() { for (int w : {4, 8, 16, 32}) { double d[2][2]; for (int j = 0; j < 2; j++) { int n = j ? 200 : 100; for (int r = 0; r < 2; r++) k_loops<B, PAD><<<1, 32 * w>>>(out, 1.f, 2.f, n); sync(); auto v = down(out, 64); u32 base = v[0], lo = ~0u, hi = 0; for (int i = 0; i < w; i++) base = std::min(base, v[2 * i]); for (int i = 0; i < w; i++) { lo = std::min(lo, v[2 * i + 1] - base); hi = std::max(hi, v[2 * i + 1] - base); } d[j][0] = lo; d[j][1] = hi; }
    printf("%d,%d,%d,%.2f,%.2f\n", B, PAD, w, (d[1][1] - d[0][1]) / 100, (d[1][0] - d[0][0]) / 100); } }
template <int B, int PAD> void pads() { one<B, PAD>(); if constexpr (PAD + 1 < 8) pads<B, PAD + 1>(); }
int main() { out = dmalloc<u32>(1024); printf("body,pad,warps,cycles a turn by the last warp,by the first\n"); pads<1, 0>(); pads<2, 0>(); pads<3, 0>(); pads<4, 0>(); pads<6, 0>(); pads<8, 0>(); pads<12, 0>(); pads<16, 0>(); pads<24, 0>(); pads<32, 0>(); return 0; }
