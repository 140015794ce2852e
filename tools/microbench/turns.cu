// Who goes on when a queue or a pipe has no room for all: each warp of one block issues 32 of one instruction; when each one is done, in cycles since the first
// began, in the order of the warps (results/h100_turns.csv; FINDINGS.md 49).
#include "mb.h"
enum { kStg, kStg128, kStg32, kRed, kLdg, kLdg32, kLds, kLdsConflict, kSts, kAtoms, kMufu, kDfma, kShfl, kImad, kModes };
static const char* kName[] = {"STG coalesced", "STG.128", "STG 32 lines", "RED coalesced", "LDG L1 hit", "LDG 32 lines, L1 hit", "LDS", "LDS 32-way", "STS", "ATOMS", "MUFU", "DFMA", "SHFL", "IMAD"};
template <int M> __global__ void __launch_bounds__(1024) k_turns(char* b, u32* out, int n, u32 one) {
  __shared__ u32 s[4096]; u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32; char* mine = b + warp * 65536 + lane * (M == kStg128 ? 16 : M == kStg32 ? 2048 : 4);
  const char* hot = b + (4 << 20) + lane * (M == kLdg32 ? 128 : 4); u32 sp = sptr(s) + (M == kLdsConflict ? lane * 128 : lane * 4); u32 v[8]; double d[4]; for (int i = 0; i < 8; i++) v[i] = threadIdx.x * i; for (int i = 0; i < 4; i++) d[i] = one;
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = 0;
  if (M == kLdg || M == kLdg32) { u32 x; for (int i = 0; i < 2; i++) { asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(x) : "l"(hot) : "memory"); v[0] += x; } }
  u64 t0 = bar_clk();
#pragma unroll 1
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
      if (M == kStg) asm volatile("st.global.u32 [%0],%1;" ::"l"(mine + i * 128), "r"(v[0]) : "memory");
      if (M == kStg128) asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(mine + i * 512), "r"(v[0]) : "memory");
      if (M == kStg32) asm volatile("st.global.u32 [%0],%1;" ::"l"(mine + i * 128), "r"(v[0]) : "memory");
      if (M == kRed) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(mine + i * 128), "r"(v[0]) : "memory");
      if (M == kLdg || M == kLdg32) { u32 x; asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(x) : "l"(hot) : "memory"); v[i] ^= x; }
      if (M == kLds || M == kLdsConflict) { u32 x; asm volatile("ld.shared.u32 %0,[%1];" : "=r"(x) : "r"(sp) : "memory"); v[i] ^= x; }
      if (M == kSts) asm volatile("st.shared.u32 [%0],%1;" ::"r"(sp + i * 128), "r"(v[0]) : "memory");
      if (M == kAtoms) asm volatile("red.shared.add.u32 [%0],%1;" ::"r"(sp + i * 128), "r"(v[0]) : "memory");
      if (M == kMufu) asm volatile("rsqrt.approx.ftz.f32 %0,%0;" : "+r"(v[i]));
      if (M == kDfma) asm volatile("fma.rn.f64 %0,%0,%0,%0;" : "+d"(d[i & 3]));
      if (M == kShfl) asm volatile("shfl.sync.idx.b32 %0,%0,%1,31,0xffffffff;" : "+r"(v[i]) : "r"(lane ^ 1));
      if (M == kImad) asm volatile("mad.lo.u32 %0,%0,%0,%1;" : "+r"(v[i]) : "r"(one));
    }
  }
  u64 t1 = clk64(); u32 x = 0; for (int i = 0; i < 8; i++) x += v[i]; for (int i = 0; i < 4; i++) x += (u32)d[i]; if (x == 0x12345) b[0] = 1;
  if (lane == 0) { out[warp * 2] = (u32)t0; out[warp * 2 + 1] = (u32)t1; } }
static char* b; static u32* out;
template <int M> void one() { for (int w : {8, 16, 32}) { for (int r = 0; r < 2; r++) { k_turns<M><<<1, 32 * w>>>(b, out, 4, 1); sync(); } auto v = down(out, 64); u32 base = v[0]; for (int i = 0; i < w; i++) base = std::min(base, v[2 * i]); printf("%s,%d", kName[M], w); for (int i = 0; i < w; i++) printf(",%u", v[2 * i + 1] - base); printf("\n"); } }
template <int M> void all() { one<M>(); if constexpr (M + 1 < kModes) all<M + 1>(); }
int main() { b = dmalloc<char>(8 << 20); out = dmalloc<u32>(64); printf("instruction,warps,end of each warp's 32\n"); all<0>(); return 0; }
