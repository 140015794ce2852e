// How many posted operations (stores, reductions) an SM takes before its warps are held back, and the rate after that.
#include "mb.h"
constexpr int kOps = 40;
enum Mode { kRedWord, kRedLines, kStoreLine, kStoreLane, kStoreScattered, kStore32, kStore128, kStoreOwnLines, kRedLine, kRedSpread, kRedSixteen };
static const char* const kName[] = {"RED 1 lane, one word for all", "RED 32 lanes to 32 random lines", "STG.32 coalesced, one line for all", "STG.32 1 lane, one sector for all", "STG.32 32 lanes to 32 lines, spread", "STG.32 coalesced, spread", "STG.128 coalesced, spread", "STG.32 8 lanes to 8 lines, spread", "RED 32 lanes to one line for all", "RED 32 lanes to a line, spread", "RED 32 lanes to a line, 16 lines for all"};
// Every warp issues kOps operations back to back and notes the clock in front of each.
template <int M> __global__ void __launch_bounds__(1024) k_posted(u32* times, char* b) {
  __syncthreads();
  if (threadIdx.x == 0) { atomicAdd(&g_bar, 1); while (*(volatile u32*)&g_bar < gridDim.x); }
  u64 t0 = bar_clk();
  u32 lane = threadIdx.x & 31, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, x = threadIdx.x, t[kOps];
  u64 r = (warp * 32ull + lane) * 0x9E3779B97F4A7C15ull + 12345;
#pragma unroll
  for (int i = 0; i < kOps; i++) {
    t[i] = clk();
    u64 n = (u64)warp * kOps + i;
    char* own = b + (n * 32 % (1 << 18)) * 128;  // 32 lines for each operation, 32 MB around
    if (M == kRedWord && lane == 0) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(b), "r"(x) : "memory");
    if (M == kRedLines) { r ^= r << 13; r ^= r >> 7; r ^= r << 17; asm volatile("red.global.add.u32 [%0],%1;" ::"l"(b + (r & ((16 << 20) - 1) & ~127ull)), "r"(x) : "memory"); }
    if (M == kStoreLine) asm volatile("st.global.u32 [%0],%1;" ::"l"(b + lane * 4), "r"(x) : "memory");
    if (M == kStoreLane && lane == 0) asm volatile("st.global.u32 [%0],%1;" ::"l"(b), "r"(x) : "memory");
    if (M == kStoreScattered) asm volatile("st.global.u32 [%0],%1;" ::"l"(own + lane * 128), "r"(x) : "memory");
    if (M == kStore32) asm volatile("st.global.u32 [%0],%1;" ::"l"(b + n * 128 + lane * 4), "r"(x) : "memory");
    if (M == kStore128) asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(b + n * 512 + lane * 16), "r"(x) : "memory");
    if (M == kRedLine) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(b + lane * 4), "r"(x) : "memory");
    if (M == kRedSpread) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(b + n * 128 + lane * 4), "r"(x) : "memory");
    if (M == kRedSixteen) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(b + n % 16 * 128 + lane * 4), "r"(x) : "memory");
    if (M == kStoreOwnLines && (lane & 3) == 0) asm volatile("st.global.u32 [%0],%1;" ::"l"(own + lane * 128), "r"(x) : "memory");
  }
  if (lane == 0)
    for (int i = 0; i < kOps; i++) times[warp * kOps + i] = t[i] - (u32)t0;
}
static u32* times; static char* b;
template <int M> void posted() {
  for (int g : {1, nsm()}) for (int w : {4, 16, 32}) {
    double rate = 0, capacity = 1e9; std::vector<double> shown; int n = w * kOps, at[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
    for (int rep = 0; rep < 4; rep++) {
      k_zero<<<1, 1>>>(); k_posted<M><<<g, 32 * w>>>(times, b); sync();
      auto v = down(times, (size_t)g * n);
      std::vector<double> mean(n, 0);
      for (int s = 0; s < g; s++) { std::sort(v.begin() + (size_t)s * n, v.begin() + (size_t)(s + 1) * n); for (int k = 0; k < n; k++) mean[k] += v[(size_t)s * n + k] / (double)g; }
      int k1 = n / 2, k2 = n * 9 / 10; double slope = (mean[k2] - mean[k1]) / (k2 - k1), cap = k2 - mean[k2] / slope;
      if (rep && cap < capacity) { capacity = cap; rate = slope; shown.clear(); for (int k : at) shown.push_back(k < n ? mean[k] : 0); }
    }
    std::string c = S("%s; %d SMs; %d warps each", kName[M], g, w); std::replace(c.begin(), c.end(), ',', ' ');
    rec("E", "posted_interval", rate, "cyc/warp-instr/SM", c, "k_posted", 3);
    rec("E", "posted_capacity", capacity, "warp-instr/SM", c + "; intercept of issue number over time at 0", "k_posted", 3);
    std::string curve; for (size_t i = 0; i < shown.size(); i++) curve += S(" %d:%.0f", at[i], shown[i]);
    rec("E", "posted_issue_curve", shown[0], "cycles", c + "; k-th issue of the SM at" + curve, "k_posted", 3);
  }
}
int main() {
  times = dmalloc<u32>((size_t)nsm() * 32 * kOps * 2); b = dmalloc<char>(256 << 20);
  posted<kRedWord>(); posted<kRedLines>(); posted<kStoreLine>(); posted<kStoreLane>(); posted<kStoreScattered>(); posted<kStore32>(); posted<kStore128>(); posted<kStoreOwnLines>();
  posted<kRedLine>(); posted<kRedSpread>(); posted<kRedSixteen>();
  return 0;
}
