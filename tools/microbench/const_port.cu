// Lines of the constant bank that the caches of a sub-core and of LDC do not have: one after the other or
// eight at once, by one SM, by one of each TPC, by all (results/h100_const_port.csv; FINDINGS.md 50).
#include "mb.h"
struct P {
  float v[992];
};
constexpr int N = 8, OFF = 64;
// LDC by index, one after the other
template <int ST>
__global__ void __launch_bounds__(1024, 1) k_ldc(u32* out, const __grid_constant__ P p) {
  u32 t[N + 1];
  int idx = threadIdx.x >> 10;
  t[0] = clk();
#pragma unroll
  for (int i = 0; i < N; i++) {
    float x = p.v[idx + OFF + i * ST];
    idx = (int)(x * 0.f);
    t[i + 1] = clk_after(__float_as_uint(x), 0xffffffff);
  }
  give_stamps(out, t);
}
// all at once
template <int ST>
__global__ void __launch_bounds__(1024, 1) k_ldcb(u32* out, const __grid_constant__ P p) {
  u32 t[N + 1];
  int idx = threadIdx.x >> 10;
  float x[N];
  t[0] = clk();
#pragma unroll
  for (int i = 0; i < N; i++) {
    x[i] = p.v[idx + OFF + i * ST];
  }
#pragma unroll
  for (int i = 0; i < N; i++) {
    t[i + 1] = clk_after(__float_as_uint(x[i]), 0xffffffff);
  }
  give_stamps(out, t);
}
// uniform
template <int ST>
__global__ void __launch_bounds__(1024, 1) k_uni(u32* out, const __grid_constant__ P p) {
  u32 t[N + 1];
  float s = threadIdx.x;
  t[0] = clk();
#pragma unroll
  for (int i = 0; i < N; i++) {
    asm volatile("fma.rn.f32 %0,%0,%1,%0;" : "+f"(s) : "f"(p.v[OFF + i * ST]));
    t[i + 1] = clk_after(__float_as_uint(s), 0xffffffff);
  }
  give_stamps(out, t);
}
int main() {
  u32* out = dmalloc<u32>(132 * 32 * (N + 2));
  P p;
  for (int i = 0; i < 992; i++) {
    p.v[i] = 1.f / (i + 1);
  }
  auto go = [&](const char* name, auto k) {
    for (int pass = 0; pass < 3; pass++) {
      for (int b : {1, 2, 66, 132}) {
        for (int w : {1, 2, 4, 8, 16}) {
          k<<<b, 32 * w>>>(out, p);
          sync();
          auto h = down(out, b * w * (N + 2));
          for (int i = 0; i < b * w; i++) {
            printf("R,%s,%d,%d,%d,%d,%u", name, pass, b, w, i % w, h[i * (N + 2)]);
            for (int j = 0; j <= N; j++) {
              printf(",%u", h[i * (N + 2) + 1 + j]);
            }
            printf("\n");
          }
        }
      }
    }
  };
  go("ldc16", k_ldc<16>);
  go("ldc64", k_ldc<64>);
  go("ldcb16", k_ldcb<16>);
  go("ldcb64", k_ldcb<64>);
  go("uni16", k_uni<16>);
  go("uni64", k_uni<64>);
  go("ldc1", k_ldc<1>);
  go("uni1", k_uni<1>);
}
