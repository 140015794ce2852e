// Lines of a kernel's parameters, one after the other from the first on, by LDC and as operands: cycles
// behind the kernel's first clock (results/h200_constant_lines.csv; FINDINGS.md 54).
#include "mb.h"
constexpr int N = 14;
struct P {
  float v[16 * N];
};
template <bool LDC>
__global__ void __launch_bounds__(1024, 1) k_lines(u32* out, const __grid_constant__ P p) {
  u32 t[N + 1];
  t[0] = clk();
  int index = threadIdx.x >> 10;
  float s = threadIdx.x;
#pragma unroll
  for (int i = 0; i < N; i++) {
    if (LDC) {
      s = p.v[index + i * 16];
      index = __float_as_int(s) & 0;
    } else {
      asm volatile("fma.rn.f32 %0,%0,%1,%0;" : "+f"(s) : "f"(p.v[i * 16]));
    }
    t[i + 1] = clk_after(__float_as_uint(s), 0xffffffff);
  }
  give_stamps(out, t);
}
int main() {
  u32* out = dmalloc<u32>(132 * 32 * (N + 2));
  P p;
  for (int i = 0; i < 16 * N; i++) {
    p.v[i] = 1.f / (i + 1);
  }
  auto go = [&](const char* name, auto kernel) {
    for (int pass = 0; pass < 4; pass++) {
      for (int blocks : {1, 66, 132}) {
        for (int warps : {1, 4}) {
          kernel<<<blocks, 32 * warps>>>(out, p);
          sync();
          const auto h = down(out, blocks * warps * (N + 2));
          for (int i = 0; i < blocks * warps; i++) {
            const u32* t = &h[i * (N + 2)];
            printf("R,%s,%d,%d,%d,%d,%u", name, pass, blocks, warps, i % warps, t[0]);
            for (int j = 1; j <= N; j++) {
              printf(",%u", t[1 + j] - t[1]);
            }
            printf("\n");
          }
        }
      }
    }
  };
  go("ldc", k_lines<true>);
  go("operand", k_lines<false>);
}
