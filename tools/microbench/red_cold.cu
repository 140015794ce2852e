// N. Reductions of one SM: how many it has on their way, by lanes, width, and where they go.
// Not part of run.py: nvcc -O2 -std=c++17 -arch=sm_90a red_cold.cu; results/h200_red_cold.csv.
#include "mb.h"

// `n` reductions a warp; lane l of warp w to element ((i * warps + w) * 32 + l) * step.
template <class T>
__global__ void k_red(u32* o, T* p, int n, int step, u32 lanes) {
  const u32 w = threadIdx.x / 32, l = threadIdx.x % 32, warps = blockDim.x / 32;
  u64 t = bar_clk();
  for (int i = 0; i < n; i++) {
    T* at = p + (size_t)((i * warps + w) * 32 + l) * step;
    if (lanes >> l & 1) {
      asm volatile("" ::"l"(at));
      atomicAdd(at, (T)1);
    }
  }
  u64 e = bar_clk();
  __threadfence();
  u64 f = bar_clk();
  if (threadIdx.x == 0) {
    o[0] = (u32)(e - t);
    o[1] = (u32)(f - t);
  }
}
__global__ void k_touch(u64* p, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    p[i] = p[i] + 1;
  }
}

static u32* o;
static char *g, *other;
template <class T>
static void measure(const char* type, int threads, int n, int step, u32 lanes, bool cold) {
  u32 best[2] = {~0u, ~0u};
  for (int i = 0; i < 5; i++) {
    if (cold) {
      k_touch<<<1320, 256>>>((u64*)other, (256 << 20) / 8);
    } else {
      k_red<<<1, threads>>>(o, (T*)g, n, step, lanes);
    }
    sync();
    k_red<<<1, threads>>>(o, (T*)g, n, step, lanes);
    sync();
    auto v = down(o, 2);
    best[0] = std::min(best[0], v[0]);
    best[1] = std::min(best[1], v[1]);
  }
  const double all = n * threads / 32;
  rec("N", S("red_%s", type), best[0] / all, "cyc/instr",
      S("%d threads; %d a warp; %d lanes; every %d. element; %s; taken %u; done %u", threads, n,
        __builtin_popcount(lanes), step, cold ? "DRAM" : "L2", best[0], best[1]),
      "k_red");
}

int main() {
  o = dmalloc<u32>(16);
  g = dmalloc<char>(64 << 20);
  other = dmalloc<char>(256 << 20);
  for (bool cold : {false, true}) {
    for (int threads : {32, 128, 512, 1024}) {
      for (int n : {1, 2, 4, 16}) {
        measure<u32>("u32", threads, n, 1, ~0u, cold);
        measure<unsigned long long>("u64", threads, n, 1, ~0u, cold);
        measure<float>("f32", threads, n, 1, ~0u, cold);
        measure<u32>("u32", threads, n, 1, 1, cold);
        measure<u32>("u32", threads, n, 1, 0xff, cold);
        measure<u32>("u32", threads, n, 2, ~0u, cold);
        measure<u32>("u32", threads, n, 8, ~0u, cold);
        measure<u32>("u32", threads, n, 32, ~0u, cold);
      }
    }
  }
  return 0;
}
