// M. Warp scheduling with loops: independent FADDs (stall 1), loop body of B instructions, W warps per sub-core; start and end of every warp of sub-core 0.
#include "mb.h"
template <int B, int ILP> __global__ void __launch_bounds__(1024) k_sched(u64* tm, float* o, int n) { float v[ILP], a = o[0]; for (int i = 0; i < ILP; i++) v[i] = threadIdx.x + i; u64 t0 = 0, t1 = 0;
#pragma unroll 1
  for (int r = 0; r < 2; r++) { t0 = bar_clk();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int i = 0; i < B; i++) asm volatile("add.f32 %0,%0,%1;" : "+f"(v[i % ILP]) : "f"(a)); }
    t1 = clk64(); }
  float s = 0; for (int i = 0; i < ILP; i++) s += v[i]; o[threadIdx.x + 16] = s; if ((threadIdx.x & 31) == 0) { tm[threadIdx.x / 32 * 2] = t0; tm[threadIdx.x / 32 * 2 + 1] = t1; } }
static u64* tm; static float* o;
template <int B, int ILP> void go(int total) { for (int w : {1, 2, 3, 4, 6, 8}) { auto f = [&](int n) { k_sched<B, ILP><<<1, 128 * w>>>(tm, o, n); k_sched<B, ILP><<<1, 128 * w>>>(tm, o, n); sync(); return down(tm, 8 * w); }; int n = total / B; auto v = f(n), u = f(2 * n); auto span = [&](const std::vector<u64>& q) { u64 lo = ~0ull, hi = 0; for (int i = 0; i < w; i++) lo = std::min(lo, q[8 * i]), hi = std::max(hi, q[8 * i + 1]); return std::pair<u64, u64>(lo, hi); }; auto a = span(v), b = span(u); std::string s; for (int i = 0; i < w; i++) s += S("%llu/%llu ", v[8 * i] - a.first, v[8 * i + 1] - a.first);
    rec("M", S("loop_FADD_body%d_ilp%d", B, ILP), ((b.second - b.first) - (double)(a.second - a.first)) / (double)(n * B * w), "cyc/FADD/subcore", S("%d warps per sub-core; %d iterations; start/end per warp of sub-core 0: %s", w, n, s.c_str()), "k_sched"); } }
int main() { tm = dmalloc<u64>(256); o = dmalloc<float>(4096); go<16, 4>(2048); go<32, 4>(2048); go<64, 4>(2048); go<128, 4>(2048); go<256, 4>(2048); go<512, 4>(2048); go<1024, 4>(2048); go<256, 8>(2048); go<256, 2>(2048); go<256, 1>(2048); go<2048, 4>(2048); return 0; }
