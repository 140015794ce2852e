// What a load takes while others are on their way: all SMs, each with so many warps, each warp with so many
// loads at a time that are waited for together; from L2 and from DRAM, in the order of addresses and in none.
#include "mb.h"
constexpr int kRounds = 8;
template <int Unroll, class T>
__global__ void k_loaded(const T* a, u64* out, u32 lines, int scatter, T* sink) {
  const u32 warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, warps = gridDim.x * (blockDim.x / 32);
  const u32 lane = threadIdx.x & 31;
  constexpr u32 kPieces = sizeof(T) * 32 / 128;  // lines that a warp's load reads
  float sum = 0;
  startbar();
  const u64 t0 = bar_clk();
#pragma unroll 1
  for (u32 r = 0; r < kRounds; r++) {
    T v[Unroll];
#pragma unroll
    for (u32 u = 0; u < Unroll; u++) {
      u32 n = (r * Unroll + u) * warps + warp;
      if (scatter) {
        n = n * 2654435761u >> 3;
      }
      v[u] = __ldcg(a + (n * kPieces & (lines - 1)) * (u32)(128 / sizeof(T)) + lane);
    }
#pragma unroll
    for (u32 u = 0; u < Unroll; u++) {
      sum += *(float*)&v[u];
    }
    // The next round's addresses depend on it.
    r += sum == 1.2345f;
  }
  const u64 t1 = clk64();
  if (lane == 0) {
    out[warp] = t1 - t0;
  }
  if (sum == 1.2345f) {
    *(float*)&sink[threadIdx.x] = sum;
  }
}
__global__ void k_read(const float4* a, u64 n, float4* sink) {
  float sum = 0;
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    sum += __ldcg(a + i).x;
  }
  if (sum == 1.2345f) {
    sink[threadIdx.x].x = sum;
  }
}
static float4 *a, *other, *sink;
static u64* out;
constexpr u64 kMib = 1 << 20, kAll = 512 * kMib, kSmall = 8 * kMib;
template <int Unroll, class T>
static void measure(const char* what) {
  for (int dram : {0, 1}) {
    for (int scatter : {0, 1}) {
      for (int warps : {1, 4, 16, 64}) {
        const int threads = warps > 16 ? 1024 : warps * 32,
                  blocks = nsm() * (warps * 32 / (threads > warps * 32 ? warps * 32 : threads));
        const u64 bytes = dram ? kAll : kSmall;
        double best = 1e30;
        for (int rep = 0; rep < 2; rep++) {
          // Of what DRAM is to bring nothing is left in L2.
          k_read<<<nsm(), 1024>>>(dram ? other : a, (dram ? 64 * kMib : kSmall) / 16, sink);
          k_zero<<<1, 1>>>();
          k_loaded<Unroll, T><<<blocks, threads>>>((const T*)a, out, (u32)(bytes / 128), scatter, (T*)sink);
          sync();
          const int n = nsm() * warps;
          const std::vector<u64> got = down(out, n);
          double sum = 0;
          for (u64 x : got) {
            sum += x;
          }
          best = std::min(best, sum / n / kRounds);
        }
        const double in_flight = (double)warps * Unroll * sizeof(T) * 32;
        std::printf("%s,%s,%s,%d,%d,%.1f,%.1f\n", dram ? "DRAM" : "L2", scatter ? "any order" : "in order",
                    what, Unroll, warps, best, in_flight * nsm() / best);
        std::fflush(stdout);
      }
    }
  }
}
int main() {
  a = dmalloc<float4>(kAll / 16);
  other = dmalloc<float4>(64 * kMib / 16);
  sink = dmalloc<float4>(1024);
  out = dmalloc<u64>(132 * 64 * 2);
  std::printf("from,order,bytes a thread,loads at a time,warps of an SM,cycles,bytes per cycle\n");
  measure<1, float>("4");
  measure<4, float>("4");
  measure<1, float4>("16");
  measure<2, float4>("16");

  return 0;
}
