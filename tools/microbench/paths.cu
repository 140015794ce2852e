// What each further path of a warp costs: a switch with eight cases, of which the lanes take one, two, four
// or eight (results/h100_paths.csv; FINDINGS.md 50).
#include "mb.h"
__global__ void __launch_bounds__(1024, 1) k_paths(u32* out, int* o, int n, int mask) {
  int t = threadIdx.x & mask, r = t;
  u32 t0 = clk();
  for (int i = 0; i < n; i++) {
    switch ((t + i) & 7) {
      case 0:
        r = r * 3 + 1;
        break;
      case 1:
        r ^= r >> 3;
        break;
      case 2:
        r += t;
        break;
      case 3:
        r = __popc(r);
        break;
      case 4:
        r = r * r;
        break;
      case 5:
        r -= i;
        break;
      case 6:
        r = max(r, i);
        break;
      default:
        r = r | 5;
    }
  }
  u32 t1 = clk();
  o[blockIdx.x * blockDim.x + threadIdx.x] = r;
  if ((threadIdx.x & 31) == 0) {
    out[threadIdx.x >> 5] = t1 - t0;
  }
}
int main() {
  u32* out = dmalloc<u32>(64);
  int* o = dmalloc<int>(1 << 16);
  for (int w : {1, 4, 8, 16}) {
    for (int mask : {0, 1, 3, 7}) {
      for (int rep = 0; rep < 2; rep++) {
        k_paths<<<1, 32 * w>>>(out, o, 256, mask);
      }
      sync();
      auto h = down(out, w);
      double s = 0;
      for (auto x : h) {
        s += x;
      }
      printf("D,switch,%d,%d,%.2f\n", w, mask + 1, s / w / 256);
    }
  }
}
