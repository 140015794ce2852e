// Straight code, once over: per KB, mean over the warps, by one SM, both of a TPC, one of each TPC, all
// (results/h100_code_stream.csv; FINDINGS.md 50).
#include "mb.h"
constexpr int N = 40;  // KB of code
__global__ void __launch_bounds__(1024, 1) k_stream(u32* out, float a) {
  u32 t[N + 1];
  float v[8];
  for (int i = 0; i < 8; i++) {
    v[i] = threadIdx.x + i;
  }
  float s = a;
  t[0] = clk_after(__float_as_uint(s), 0xffffffff);
#pragma unroll
  for (int k = 0; k < N; k++) {
#pragma unroll
    for (int i = 0; i < 63; i++) {
      asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(v[i & 7]) : "f"(s), "f"(s));
    }
    t[k + 1] = clk();
  }
  give_stamps(out, t);
  float r = 0;
  for (int i = 0; i < 8; i++) {
    r += v[i];
  }
  if (r == 1.2345f) {
    out[0] = 1;
  }
}
int main() {
  u32* out = dmalloc<u32>(132 * 32 * (N + 2));
  for (int rep = 0; rep < 4; rep++) {
    for (int b : {1, 2, 66, 132}) {
      for (int w : {1, 4, 8, 16}) {
        k_stream<<<b, 32 * w>>>(out, 1.f);
        sync();
        auto h = down(out, b * w * (N + 2));
        printf("Z,%d,%d,%d", rep, b, w);
        for (int k = 0; k <= N; k++) {
          double s = 0;
          for (int i = 0; i < b * w; i++) {
            s += h[i * (N + 2) + 1 + k] - h[i * (N + 2) + 1];
          }
          printf(",%.0f", s / (b * w));
        }
        printf("\n");
      }
    }
  }
}
