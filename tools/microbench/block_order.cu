// Which block's warps issue first: end times of warps whose pipes are full. With an argument: no common start. FINDINGS.md 36.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
__device__ __forceinline__ unsigned clk() {
  unsigned t;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
  return t;
}
__device__ __forceinline__ unsigned smid() {
  unsigned t;
  asm volatile("mov.u32 %0,%%smid;" : "=r"(t));
  return t;
}
__device__ __forceinline__ unsigned warpid() {
  unsigned t;
  asm volatile("mov.u32 %0,%%warpid;" : "=r"(t));
  return t;
}
// 128 turns of 32 independent-ish operations; start together at a time t0.
template <int KIND>
__global__ void work(unsigned* o, float x, unsigned wait) {
  __shared__ float s[1024];
  float a = x, b = x + 1, c = x + 2, d = x + 3, e = x + 4, f = x + 5, g = x + 6, h = x + 7;
  s[threadIdx.x] = x;
  __syncthreads();
  unsigned t = clk();
  unsigned t0 = ((t >> 16) + 2) << 16;  // a common start for everyone on the SM within 65536 cycles
  if (wait) {
    while ((int)(clk() - t0) < 0) {
    }
  }
  unsigned mid[8];
  unsigned st = clk();
#pragma unroll 1
  for (int k = 0; k < 8; ++k) {
#pragma unroll 1
    for (int i = 0; i < 16; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (KIND == 0) {  // FFMA
          asm volatile(
              "fma.rn.f32 %0,%0,%0,%0;\n fma.rn.f32 %1,%1,%1,%1;\n fma.rn.f32 %2,%2,%2,%2;\n fma.rn.f32 "
              "%3,%3,%3,%3;\n fma.rn.f32 %4,%4,%4,%4;\n fma.rn.f32 %5,%5,%5,%5;\n fma.rn.f32 %6,%6,%6,%6;\n "
              "fma.rn.f32 %7,%7,%7,%7;"
              : "+f"(a), "+f"(b), "+f"(c), "+f"(d), "+f"(e), "+f"(f), "+f"(g), "+f"(h));
        } else if (KIND == 1) {  // MUFU
          asm volatile("ex2.approx.ftz.f32 %0,%0;\n ex2.approx.ftz.f32 %1,%1;" : "+f"(a), "+f"(b));
        } else if (KIND == 2) {  // LDS
          float v, w;
          unsigned p = (unsigned)__cvta_generic_to_shared(s + (threadIdx.x & 31));
          asm volatile("ld.shared.f32 %0,[%2];\n ld.shared.f32 %1,[%2+128];" : "=f"(v), "=f"(w) : "r"(p));
          a += v;
          b += w;
        } else {  // dependent chain: latency-bound with gaps
          asm volatile("fma.rn.f32 %0,%0,%0,%0;\n fma.rn.f32 %0,%0,%0,%0;\n fma.rn.f32 %1,%0,%0,%0;"
                       : "+f"(a), "+f"(b));
        }
      }
    }
    mid[k] = clk();
  }
  if ((threadIdx.x & 31) == 0) {
    unsigned w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    unsigned* p = o + w * 16;
    p[0] = smid();
    p[1] = warpid();
    p[2] = st - t0;
    for (int k = 0; k < 8; ++k) {
      p[3 + k] = mid[k] - t0;
    }
  }
  if (a + b + c + d + e + f + g + h == 12345.f) {
    o[0] = 1;
  }
}
static int align = 1;
template <int KIND>
void run(unsigned* d, const char* name, int warps, int per, int dyn) {
  cudaFuncSetAttribute(work<KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, dyn);
  int blocks = 132 * per;
  std::vector<unsigned> h(blocks * warps * 16);
  for (int r = 0; r < (align ? 2 : 1); ++r) {
    work<KIND><<<blocks, warps * 32, dyn>>>(d, 1.f, align);
    if (cudaDeviceSynchronize()) {
      printf("err\n");
      return;
    }
    cudaMemcpy(h.data(), d, h.size() * 4, cudaMemcpyDeviceToHost);
    unsigned sm = h[0];
    for (int w = 0; w < blocks * warps; ++w) {
      unsigned* p = &h[w * 16];
      if (p[0] != sm || (align && r == 0)) {
        continue;
      }
      printf("ORDER %s warps=%d per=%d block=%d warp=%d wid=%u start=%u", name, warps, per, w / warps,
             w % warps, p[1], p[2]);
      for (int k = 0; k < 8; ++k) {
        printf(" %u", p[3 + k]);
      }
      puts("");
    }
  }
}
int main(int c, char**) {
  align = c < 2;
  unsigned* d;
  cudaMalloc(&d, 16 << 20);
  run<0>(d, "ffma", 4, 2, 0);
  run<0>(d, "ffma", 4, 4, 0);
  run<0>(d, "ffma", 8, 2, 0);
  run<0>(d, "ffma", 8, 3, 0);
  run<0>(d, "ffma", 16, 2, 0);
  run<1>(d, "mufu", 4, 2, 0);
  run<1>(d, "mufu", 8, 3, 0);
  run<2>(d, "lds", 8, 2, 0);
  run<2>(d, "lds", 4, 4, 0);
  run<3>(d, "chain", 16, 2, 0);
  run<3>(d, "chain", 32, 2, 0);
  return 0;
}
