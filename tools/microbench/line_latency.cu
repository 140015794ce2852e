// What a warp's load of so many contiguous bytes takes alone, from L2 and from DRAM: loads one after the
// other, each at a place of its own. Not part of run.py; results/h200_line_latency.csv.
#include "mb.h"

// Lanes below `lanes` load a T each; places are `stride` bytes apart.
template <class T>
__global__ void k_load(u32* o, const char* g, int n, int lanes, u32 stride) {
  const u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const u32 warps = gridDim.x * blockDim.x / 32;
  u32 sink = 0;
  for (int i = 0; i < n; i++) {
    const T* p = (const T*)(g + (size_t)(i * warps + warp) * stride) + lane;
    const u64 t = clk64();
    T v = {};
    if (lane < lanes) {
      v = __ldcg(p);
    }
    const u32 x = __reduce_max_sync(~0u, *(u32*)&v);
    const u32 e = clk_after(x, 0xdeadbeef);
    if (lane == 0) {
      o[warp * n + i] = e - (u32)t;
    }
    sink += x;
    while (clk64() - t < 3000) {
    }
  }
  if (sink == 0x1234567) {
    o[0] = 0;
  }
}
static u32* o;
static char *g, *other;
constexpr size_t kMib = 1 << 20;
template <class T>
static void measure(int lanes) {
  for (bool dram : {false, true}) {
    for (int blocks : {1, 132}) {
      const int n = blocks == 1 ? 512 : 32;
      const u32 stride = dram ? 12288 : 1536;
      k_read_words<<<1320, 256>>>(o, (u64*)(dram ? other : g), (dram ? 64 : 8) * kMib / 8);
      if (!dram) {
        k_load<T><<<blocks, 32>>>(o, g, n, lanes, stride);  // brings far lines near
      }
      k_load<T><<<blocks, 32>>>(o, g, n, lanes, stride);
      sync();
      auto v = down(o, (size_t)n * blocks);
      double sum = 0;
      for (u32 x : v) {
        sum += x;
      }
      std::printf("%s,%d,%d,%.1f,%.0f,%.0f,%.0f,%.0f,%.0f\n", dram ? "DRAM" : "L2", lanes * (int)sizeof(T),
                  blocks, sum / v.size(), pct(v, .1), pct(v, .25), pct(v, .5), pct(v, .75), pct(v, .9));
      std::fflush(stdout);
    }
  }
}
int main() {
  o = dmalloc<u32>(1 << 16);
  CK(cudaMalloc(&g, 64 * kMib));
  CK(cudaMalloc(&other, 64 * kMib));
  std::printf("from,bytes,warps,mean,p10,p25,p50,p75,p90\n");
  measure<float>(1);
  measure<float>(8);
  measure<float>(16);
  measure<float>(32);
  measure<float2>(32);
  measure<float4>(32);
  return 0;
}
