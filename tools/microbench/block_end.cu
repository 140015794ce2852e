// What a block's end waits for: from a block's last instruction to the first of the next one in its place.
// Blocks fill an SM alone; each notes its start, then idles until what it noted is long done, does `what` and
// ends.
#include "mb.h"
namespace {

enum What { kNothing, kStore, kStoreFar, kScattered, kMany, kReduction, kLoad, kSharedStore };
const char* const kName[] = {
    "nothing",   "a store",     "a store to a cold line",       "32 lines by a store",
    "16 stores", "a reduction", "a load that nobody waits for", "a shared store"};

template <int W>
__global__ void k_end(u64* starts, u32* sms, char* b, int idle) {
  extern __shared__ u32 shared[];
  u64 start = clk64();
  if (threadIdx.x == 0) {
    starts[blockIdx.x] = start;
    sms[blockIdx.x] = smid();
  }
  char* own = b + (size_t)blockIdx.x * 65536 + (threadIdx.x / 32) * 4096;
  u32 lane = threadIdx.x & 31;
  if (W != kStoreFar) {
    *(volatile u32*)(own + lane * 128) = lane;
  }
  while (clk64() < start + idle) {
  }
  if (W == kStore || W == kStoreFar) {
    *(volatile u32*)(own + lane * 4) = lane;
  }
  if (W == kScattered) {
    *(volatile u32*)(own + lane * 128) = lane;
  }
  if (W == kMany)
#pragma unroll
    for (int i = 0; i < 16; i++) {
      *(volatile u32*)(own + i * 128 + lane * 4) = lane;
    }
  if (W == kReduction) {
    asm volatile("red.global.add.u32 [%0],%1;" ::"l"(own + lane * 4), "r"(lane) : "memory");
  }
  if (W == kLoad) {
    u32 v;
    asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(own + lane * 4) : "memory");
  }
  if (W == kSharedStore) {
    ((volatile u32*)shared)[threadIdx.x] = lane;
  }
}

template <int W>
void one(u64* starts, u32* sms, char* b, int threads) {
  const int kIdle = 20000, kBlocks = nsm() * 4;
  CK(cudaFuncSetAttribute(k_end<W>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  std::vector<double> gaps;
  for (int r = 0; r < 3; r++) {
    k_end<W><<<kBlocks, threads, 200 * 1024>>>(starts, sms, b, kIdle);
    sync();
    auto s = down(starts, kBlocks);
    auto m = down(sms, kBlocks);
    std::vector<std::vector<u64>> of(1024);
    for (int i = 0; i < kBlocks; i++) {
      of[m[i]].push_back(s[i]);
    }
    for (auto& v : of) {
      std::sort(v.begin(), v.end());
      for (size_t i = 1; r && i < v.size(); i++) {
        gaps.push_back((double)(v[i] - v[i - 1]) - kIdle);
      }
    }
  }
  std::sort(gaps.begin(), gaps.end());
  printf("block_end,%s; %d threads,%.0f,%.0f,%.0f\n", kName[W], threads, gaps[gaps.size() / 20],
         gaps[gaps.size() / 2], gaps[gaps.size() * 19 / 20]);
}

}  // namespace

int main() {
  u64* starts = dmalloc<u64>(1 << 16);
  u32* sms = dmalloc<u32>(1 << 16);
  char* b = dmalloc<char>(1 << 30);
  printf("what,P5,median,P95 in cycles\n");
  for (int t : {32, 256, 1024}) {
    one<kNothing>(starts, sms, b, t);
    one<kStore>(starts, sms, b, t);
    one<kStoreFar>(starts, sms, b, t);
    one<kScattered>(starts, sms, b, t);
    one<kMany>(starts, sms, b, t);
    one<kReduction>(starts, sms, b, t);
    one<kLoad>(starts, sms, b, t);
    one<kSharedStore>(starts, sms, b, t);
  }
  return 0;
}
