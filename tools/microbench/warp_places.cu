// Which sub-core a warp runs on: warps of several blocks of an SM, some of which do arithmetic that one
// sub-core can just issue. Rows "slots": all first warps of an SM's blocks work. Rows "pairs": one warp of the
// first and one of the second block. `times`: duration over that of a warp that is alone, so as many work on
// its sub-core. `warpid`: %warpid.
//
// Output: part,sm,blocks_per_sm,warps_per_block,block,warp,other_warp,warpid,cycles,times
#include "mb.h"

constexpr int kRounds = 64, kChains = 16, kMostBlocks = 16;

__device__ u32 arrived[256];

// Warp `first` of the SM's first block and `second` of its second work; second < 0: warp `first` of all.
__global__ void work(u32* out, int per_sm, int first, int second, int warps, float seed) {
  __shared__ u32 slot;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    slot = atomicAdd(&arrived[smid()], 1u);
  }
  __syncthreads();
  while (*(volatile u32*)&arrived[smid()] < (u32)per_sm) {
  }
  __syncthreads();
  const bool works = second < 0 ? warp == first : (slot == 0 && warp == first) || (slot == 1 && warp == second);
  u32 cycles = 0, id;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(id));
  if (works) {
    // All begin together.
    const u32 start = ((clk() >> 14) + 2) << 14;
    while ((int)(clk() - start) < 0) {
    }
    float x[kChains];
    for (int i = 0; i < kChains; ++i) {
      x[i] = seed + i;
    }
    const u32 begin = clk();
    for (int r = 0; r < kRounds; ++r) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
#pragma unroll
        for (int i = 0; i < kChains; ++i) {
          x[i] = x[i] * seed + 1.0f;
        }
      }
    }
    cycles = clk() - begin;
    float sum = 0;
    for (int i = 0; i < kChains; ++i) {
      sum += x[i];
    }
    cycles += sum == 12345.678f;
  }
  if (threadIdx.x % 32 == 0 && slot < kMostBlocks) {
    u32* o = out + ((smid() * kMostBlocks + slot) * 32 + warp) * 2;
    o[0] = id;
    o[1] = cycles;
  }
}

int main() {
  cudaDeviceProp p;
  CK(cudaGetDeviceProperties(&p, 0));
  const int sms = p.multiProcessorCount;
  const size_t words = 256 * kMostBlocks * 32 * 2;
  u32* out;
  CK(cudaMalloc(&out, words * 4));
  std::vector<u32> h(words);
  const std::vector<u32> none(256, 0);
  double alone = 0;
  const auto run = [&](int blocks, int warps, int first, int second) {
    CK(cudaMemcpyToSymbol(arrived, none.data(), 256 * 4));
    CK(cudaMemset(out, 0, words * 4));
    // So much shared memory that no more fit on an SM.
    const int room = (int)p.sharedMemPerMultiprocessor / blocks - 1024 - 256;
    const int shared = std::min(room, (int)p.sharedMemPerBlockOptin - 64) / 128 * 128;
    CK(cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    work<<<sms * blocks, warps * 32, shared>>>(out, blocks, first, second, warps, 1.0001f);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(h.data(), out, words * 4, cudaMemcpyDeviceToHost));
  };
  const auto at = [&](int sm, int block, int warp) { return &h[((sm * kMostBlocks + block) * 32 + warp) * 2]; };
  printf("part,sm,blocks_per_sm,warps_per_block,block,warp,other_warp,warpid,cycles,times\n");
  for (int i = 0; i < 3; ++i) {
    run(1, 1, 0, -1);
  }
  alone = at(0, 0, 0)[1];
  for (const int warps : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16}) {
    for (const int blocks : {1, 2, 3, 4, 6, 8, 12}) {
      if (warps * blocks > 64) {
        continue;
      }
      run(blocks, warps, 0, -1);
      for (const int sm : {0, 1, 50}) {
        for (int b = 0; b < blocks; ++b) {
          const u32* r = at(sm, b, 0);
          printf("slots,%d,%d,%d,%d,0,,%u,%u,%.2f\n", sm, blocks, warps, b, r[0], r[1], r[1] / alone);
        }
      }
    }
  }
  for (const int warps : {1, 2, 3, 4, 5, 6, 8}) {
    for (int i = 0; i < warps; ++i) {
      for (int k = 0; k < std::min(warps, 4); ++k) {
        run(2, warps, i, k);
        const u32 *a = at(0, 0, i), *b = at(0, 1, k);
        printf("pairs,0,2,%d,0,%d,%d,%u,%u,%.2f\n", warps, i, k, a[0], a[1], a[1] / alone);
        printf("pairs,0,2,%d,1,%d,%d,%u,%u,%.2f\n", warps, k, i, b[0], b[1], b[1] / alone);
      }
    }
  }
}
