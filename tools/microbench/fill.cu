// When the blocks of a launch are on their SMs, and when others take their places: per warp, its SM and its
// first clock (results/h100_fill.csv; FINDINGS.md 50).
#include "mb.h"
__global__ void __launch_bounds__(1024) k_fill(uint2* out, int work) {
  u32 t = clk();
  while ((int)(clk() - t) < work)
    ;
  if ((threadIdx.x & 31) == 0) {
    out[(blockIdx.x * blockDim.x + threadIdx.x) >> 5] = make_uint2(t, smid());
  }
}
int main() {
  uint2* out = dmalloc<uint2>(132 * 64 * 4);
  for (int pass = 0; pass < 2; pass++) {
    for (int t : {32, 64, 128, 256, 512, 1024}) {
      for (int f : {1, 2, 3}) {
        int per = std::min(32, 2048 / t);
        int b = f == 1 ? 132 * per : f == 2 ? 132 * per / 2 : 132 * per * 3;
        if (f == 2 && t == 1024) {
          b = 132;
        }
        k_fill<<<b, t>>>(out, f == 3 ? 2000 : 5000);
        sync();
        auto h = down(out, b * t / 32);
        if (pass) {
          for (int w = 0; w < b * t / 32; w++) {
            printf("F,%d,%d,%d,%d,%u,%u\n", t, f, b, w, h[w].y, h[w].x);
          }
        }
      }
    }
  }
}
