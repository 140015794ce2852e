// P. The tail of DRAM's latency: alone, beside others, and after a flush that leaves L2 clean or dirty.
// Not part of run.py: nvcc -O2 -std=c++17 -arch=sm_90a dram_tail.cu; results/h200_dram_tail.csv.
#include "mb.h"

// Each warp: n loads, one after the other, of `lanes` lanes, each lane another line; `pause` cycles between.
__global__ void k_cold(u32* o, const u32* g, int n, int lanes, int stride, int pause) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const size_t warps = (size_t)gridDim.x * blockDim.x / 32;
  u32 sink = 0;
  for (int i = 0; i < n; i++) {
    const u32* p = g + (((size_t)i * warps + warp) * lanes + lane) * stride / 4;
    u64 t = clk64();
    u32 v = 0;
    if (lane < lanes) {
      v = *(volatile const u32*)p;
    }
    u32 e = clk_after(v, 0xdeadbeef);
    if (lane == 0) {
      o[warp * n + i] = e - (u32)t;
    }
    sink += v;
    __syncwarp();
    while (clk64() - t < pause) {
    }
  }
  if (sink == 0x1234567) {
    o[0] = 0;
  }
}

int main() {
  constexpr size_t kBytes = (size_t)1 << 30, kOther = 256 << 20;
  auto* o = dmalloc<u32>(1 << 22);
  auto* g = dmalloc<char>(kBytes);
  auto* other = dmalloc<char>(kOther);
  CK(cudaMemset(g, 0, kBytes));
  for (bool dirty : {false, true}) {
    for (int blocks : {1, 8, 132}) {
      for (int threads : {32, 128}) {
        for (int lanes : {1, 4, 32}) {
          for (int pause : {0, 3000}) {
            const int stride = 128 * 3, n = 64 * 132 / blocks / (threads / 32) > 512 ? 512 : std::max(16, 64 * 132 / blocks / (threads / 32));
            const int warps = blocks * threads / 32;
            if ((size_t)n * warps * lanes * stride > kBytes) {
              continue;
            }
            if (dirty) {
              CK(cudaMemset(other, 0, kOther));
            } else {
              k_read_words<<<1320, 256>>>(o, (u64*)other, kOther / 8);
            }
            sync();
            // Translations are there, and other lines of the same pages.
            k_cold<<<blocks, threads>>>(o, (u32*)g, n, lanes, stride, pause);
            sync();
            auto v = down(o, n * warps);
            std::sort(v.begin(), v.end());
            auto at = [&](double q) { return v[(size_t)(q * (v.size() - 1))]; };
            double sum = 0;
            for (u32 x : v) {
              sum += x;
            }
            rec("P", "dram_latency", sum / v.size(), "cyc",
                S("%s L2; %d blocks of %d threads; %d lanes; pause %d; p1 %u p10 %u p25 %u p50 %u p75 %u p90 %u p95 %u p99 %u max %u; %d loads",
                  dirty ? "dirty" : "clean", blocks, threads, lanes, pause, at(.01), at(.1), at(.25), at(.5), at(.75), at(.9), at(.95), at(.99), at(1),
                  (int)v.size()),
                "k_cold");
          }
        }
      }
    }
  }
  return 0;
}
