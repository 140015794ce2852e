// How many special registers and constants an SM reads: 32 in a row by 1 to 32 warps (results/h100_s2r.csv;
// FINDINGS.md 50).
#include "mb.h"
#define KERN(name, reg)                                                                               \
  __global__ void __launch_bounds__(1024, 1) name(u32* out) {                                         \
    u32 x[32];                                                                                        \
    __syncthreads();                                                                                  \
    u32 t0 = clk();                                                                                   \
    _Pragma("unroll") for (int i = 0; i < 32; i++) asm volatile("mov.u32 %0, " reg ";" : "=r"(x[i])); \
    u32 s = 0;                                                                                        \
    _Pragma("unroll") for (int i = 0; i < 32; i++) s += x[i];                                         \
    u32 t1 = clk_after(s, 0xfffffff1);                                                                \
    u32 w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;                                        \
    if ((threadIdx.x & 31) == 0) {                                                                    \
      out[w * 2] = t0;                                                                                \
      out[w * 2 + 1] = t1;                                                                            \
    }                                                                                                 \
  }
KERN(k_ctaidx, "%ctaid.x");
KERN(k_ctaidy, "%ctaid.y");
KERN(k_tid, "%tid.x");
KERN(k_lane, "%laneid");
KERN(k_smid, "%smid");
KERN(k_warpid, "%warpid");
KERN(k_nctaid, "%nctaid.x");
KERN(k_lanemask, "%lanemask_lt");
struct P {
  u32 v[64];
};
__global__ void __launch_bounds__(1024, 1) k_ldc(u32* out, const __grid_constant__ P p) {
  u32 x[32];
  int idx = threadIdx.x >> 10;
  u32 a = p.v[idx];
  __syncthreads();
  u32 t0 = clk_after(a, 0xfffffff1);
#pragma unroll
  for (int i = 0; i < 32; i++) {
    x[i] = p.v[idx + (i & 7)];
  }
  u32 s = 0;
#pragma unroll
  for (int i = 0; i < 32; i++) {
    s += x[i] * (i + 3);
  }
  u32 t1 = clk_after(s, 0xfffffff1);
  u32 w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if ((threadIdx.x & 31) == 0) {
    out[w * 2] = t0;
    out[w * 2 + 1] = t1;
  }
}
int main() {
  u32* out = dmalloc<u32>(132 * 64);
  P p;
  for (int i = 0; i < 64; i++) {
    p.v[i] = i;
  }
  auto go = [&](const char* n, auto f) {
    for (int b : {1, 132}) {
      for (int w : {1, 2, 4, 8, 16, 32}) {
        f(b, w);
        f(b, w);
        sync();
        auto h = down(out, b * w * 2);
        u32 mn = ~0u, mx = 0;
        for (int i = 0; i < w; i++) {
          mn = std::min(mn, h[2 * i]), mx = std::max(mx, h[2 * i + 1]);
        }
        printf("S,%s,%d,%d,%u,%.2f\n", n, b, w, mx - mn, (mx - mn) / 32. / w);
      }
    }
  };
#define G(k) go(#k, [&](int b, int w) { k<<<b, 32 * w>>>(out); })
  G(k_ctaidx);
  G(k_ctaidy);
  G(k_tid);
  G(k_lane);
  G(k_smid);
  G(k_warpid);
  G(k_nctaid);
  G(k_lanemask);
  go("k_ldc", [&](int b, int w) { k_ldc<<<b, 32 * w>>>(out, p); });
}
