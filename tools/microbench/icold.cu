// When the warps of an SM get their first instructions: straight code with a clock every three instructions, once over; per warp, cycles since the block's first
// stamp. Three passes: the first is each kernel's first launch; under ncu --cache-control all each is cold (results/h100_icold.csv.xz; FINDINGS.md 49).
#include "mb.h"
template <int N> __device__ __forceinline__ void stamps(float* v, float a, float c, u32* t) { if constexpr (N < 32) { t[N] = clk();
#pragma unroll
    for (int i = 0; i < 14; i++) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(v[i & 7]) : "f"(a), "f"(c)); stamps<N + 1>(v, a, c, t); } }
__global__ void __launch_bounds__(1024, 1) k_icold(u32* out, float a, float c) { u32 t[33]; t[32] = clk(); float v[8]; for (int i = 0; i < 8; i++) v[i] = threadIdx.x;
  stamps<0>(v, a, c, t); float s = 0; for (int i = 0; i < 8; i++) s += v[i]; if (s == 1.2345f) t[3] = 1;
  u32 warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; if ((threadIdx.x & 31) == 0) for (int i = 0; i < 33; i++) out[warp * 33 + i] = t[i]; }
int main() { u32* out = dmalloc<u32>(132 * 32 * 33); printf("pass,blocks,warps,block,warp,first stamp,the others\n"); for (int pass = 0; pass < 3; pass++) for (int g : {1, 132}) for (int w : {1, 2, 4, 8, 32}) { k_icold<<<g, 32 * w>>>(out, 1.f, 2.f); sync(); auto h = down(out, g * w * 33);
    for (int blk : {0, 77}) if (blk < g) { u32 base = ~0u; u32* v = h.data() + blk * w * 33; for (int i = 0; i < w; i++) base = std::min(base, v[i * 33 + 32]); for (int i = 0; i < w; i++) { printf("R,%d,%d,%d,%d,%d", pass, g, w, blk, i); printf(",%u", v[i * 33 + 32] - base); for (int k = 0; k < 32; k++) printf(",%u", v[i * 33 + k] - base); printf("\n"); } } }
  return 0; }
