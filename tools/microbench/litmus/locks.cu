// Programs of several steps on the memory model: a spin lock (also C63), the last block's sum (C59), a chain of two scopes that ends at
// the host (C69, MD02). Lines S,...: rows for label.py, which say themselves what the model forbids.
//   nvcc -O2 -std=c++20 -arch=sm_90 -o locks locks.cu && ./locks > locks.txt
#include "access.h"

// ---- a spin lock by compare-and-swap and exchange -------------------------------------------------------------------------------
enum Lock { plain_lock, fenced_lock, acqrel_lock, nanosleep_lock };  // nanosleep: fenced, waits of 8 ns, doubled up to 256
constexpr u32 kWarps = 8, kTurns = 947;                              // 132 locks of 8 warps each: 1,000,032 increments

template <Lock L>
__device__ __forceinline__ bool try_lock(u64 a) {
  u32 old;
  if constexpr (L == acqrel_lock) asm volatile("atom.acquire.gpu.global.cas.b32 %0,[%1],0,1;" : "=r"(old) : "l"(a) : "memory");
  else asm volatile("atom.relaxed.gpu.global.cas.b32 %0,[%1],0,1;" : "=r"(old) : "l"(a) : "memory");
  return old == 0;
}
template <Lock L>
__device__ __forceinline__ void unlock(u64 a) {
  u32 old;
  if constexpr (L == acqrel_lock) asm volatile("atom.release.gpu.global.exch.b32 %0,[%1],0;" : "=r"(old) : "l"(a) : "memory");
  else asm volatile("atom.relaxed.gpu.global.exch.b32 %0,[%1],0;" : "=r"(old) : "l"(a) : "memory");
}
// A word a lock and a word a counter, each in a line of its own. `apart`: the lock's warps are in as many blocks.
template <Lock L, Access A>
__device__ __forceinline__ void lock_body(u32* locks, u32* counters, u32 apart, u32 seed) {
  if (threadIdx.x % 32) return;
  u32 warp = threadIdx.x / 32, n = apart ? (blockIdx.x + 13 * warp) % gridDim.x : blockIdx.x;
  u64 lock = (u64)__cvta_generic_to_global(locks + 32 * n), counter = (u64)__cvta_generic_to_global(counters + 32 * n);
  for (u32 i = 0; i < kTurns; i++) {
    u32 ns = 8;
    while (!try_lock<L>(lock)) {
      if constexpr (L == nanosleep_lock) {
        __nanosleep(ns);
        ns = ns < 256 ? 2 * ns : ns;
      }
    }
    if constexpr (L == fenced_lock || L == nanosleep_lock) fence<ar_gpu>();
    store<A>(counter, load<A>(counter) + 1);
    if constexpr (L == fenced_lock || L == nanosleep_lock) fence<ar_gpu>();
    unlock<L>(lock);
    random_delay(mix(seed, blockIdx.x, warp, i));
  }
}
#define LOCKS(X) X(plain_lock, weak) X(plain_lock, vol) X(plain_lock, relaxed_gpu) X(fenced_lock, weak) X(fenced_lock, relaxed_gpu) \
  X(acqrel_lock, weak) X(acqrel_lock, relaxed_gpu) X(nanosleep_lock, weak)
#define LOCK_KERNEL(L, A) \
  extern "C" __global__ void L##_##A(u32* locks, u32* counters, u32 apart, u32 seed) { lock_body<L, A>(locks, counters, apart, seed); }
LOCKS(LOCK_KERNEL)
#define LOCK_ROW(L, A) {#L, #A, L, L##_##A},
const struct {
  const char *name, *access;
  Lock lock;
  void (*kernel)(u32*, u32*, u32, u32);
} kLocks[] = {LOCKS(LOCK_ROW)};

static void run_locks(u32 seed) {
  const u32 n = 132, total = n * kWarps * kTurns;
  u32* d = dmalloc<u32>(2 * 32 * n);
  std::vector<u32> h(2 * 32 * n);
  for (auto& l : kLocks)
    for (u32 apart : {1, 0}) {
      CK(cudaMemset(d, 0, h.size() * 4));
      l.kernel<<<n, 32 * kWarps>>>(d, d + 32 * n, apart, seed);
      CK(cudaMemcpy(h.data(), d, h.size() * 4, cudaMemcpyDeviceToHost));
      u32 kept = 0;
      for (u32 i = 0; i < n; i++) kept += h[32 * (n + i)];
      const char* place = apart ? "sms" : "block";
      // Without fences the increments race: nothing of one critical section need be seen in the next.
      bool ordered = l.lock != plain_lock;
      printf("S,locks,%s,%s,,global,%s,kept,%u,allowed,\n", l.name, l.access, place, kept);
      printf("S,locks,%s,%s,,global,%s,lost,%u,%s,%s\n", l.name, l.access, place, total - kept, ordered ? "forbidden" : "allowed",
             ordered ? "causality" : "");
    }
  CK(cudaFree(d));
}

// ---- the last block's sum: eight blocks, each stores its part and counts itself; who counts last adds the parts -------------------
constexpr u32 kParts = 8, kSums = 1000000;
// fences: 0 none, 1 before the count (the guide's), 2 also behind it
template <int FENCES, Access A>
__device__ __forceinline__ void sum_body(u32* parts, u32* counts, u32* sums, u32 seed) {
  u32 group = blockIdx.x / kParts, part = blockIdx.x % kParts;
  u64 at = (u64)__cvta_generic_to_global(parts + blockIdx.x - part);
  for (u32 i = 0; i < kParts; i++) load<weak>(at + 4 * i);  // the line is in this SM's L1 from here on
  random_delay(mix(seed, blockIdx.x));
  store<A>(at + 4 * part, part + 1);
  if constexpr (FENCES > 0) fence<ar_gpu>();
  u32 old, sum = 0;
  asm volatile("atom.relaxed.gpu.global.inc.u32 %0,[%1],%2;" : "=r"(old) : "l"(counts + group), "r"(kParts - 1) : "memory");
  if (old != kParts - 1) return;
  if constexpr (FENCES > 1) fence<ar_gpu>();
  for (u32 i = 0; i < kParts; i++) sum += load<A>(at + 4 * i);
  sums[group] = sum;
}
#define SUMS(X) X(0, weak) X(1, weak) X(2, weak) X(0, vol) X(1, vol) X(2, vol)
#define SUM_KERNEL(N, A) \
  extern "C" __global__ void last_block_##N##_##A(u32* parts, u32* counts, u32* sums, u32 seed) { sum_body<N, A>(parts, counts, sums, seed); }
SUMS(SUM_KERNEL)
#define SUM_ROW(N, A) {N, #A, last_block_##N##_##A},
const struct {
  int fences;
  const char* access;
  void (*kernel)(u32*, u32*, u32*, u32);
} kSumRows[] = {SUMS(SUM_ROW)};

static void run_sums(u32 seed) {
  u32* d = dmalloc<u32>(kSums * (kParts + 2));
  std::vector<u32> h(kSums);
  for (auto& s : kSumRows) {
    CK(cudaMemset(d, 0, (size_t)kSums * (kParts + 2) * 4));
    s.kernel<<<kSums * kParts, 1>>>(d, d + kSums * kParts, d + kSums * (kParts + 1), seed);
    CK(cudaMemcpy(h.data(), d + kSums * (kParts + 1), kSums * 4, cudaMemcpyDeviceToHost));
    u32 right = 0;
    for (u32 v : h) right += v == kParts * (kParts + 1) / 2;
    const char* f = s.fences == 0 ? "none" : s.fences == 1 ? "ar_gpu before" : "ar_gpu both";
    printf("S,locks,last_block,%s,%s,global,blocks,right,%u,allowed,\n", s.access, f, right);
    printf("S,locks,last_block,%s,%s,global,blocks,short,%u,%s,%s\n", s.access, f, kSums - right, s.fences == 2 ? "forbidden" : "allowed",
           s.fences == 2 ? "causality" : s.fences == 1 ? "no acquire behind the count" : "");
  }
  CK(cudaFree(d));
}

// ---- x seen by one SM over a flag of gpu scope, told to the host by another flag (C69) -------------------------------------------
constexpr u32 kChains = 1000000;
// b: the store that tells the host
template <Access B>
__device__ __forceinline__ void chain_body(u32* x, u32* a, u32* b, u32 seed) {
  u32 i = blockIdx.x / 2 * 32 + threadIdx.x;
  if (i >= kChains) return;
  u64 xs = (u64)__cvta_generic_to_global(x + i), as = (u64)__cvta_generic_to_global(a + i), bs = (u64)__cvta_generic_to_global(b + i);
  if (blockIdx.x % 2 == 0) {
    random_delay(mix(seed, blockIdx.x));
    store<weak>(xs, 1);
    store<acqrel_gpu>(as, 1);
  } else {
    while (load<acqrel_gpu>(as) == 0) {
    }
    store<B>(bs, 1);
  }
}
#define CHAINS(X) X(relaxed_sys) X(acqrel_gpu) X(acqrel_sys)
#define CHAIN_KERNEL(B) \
  extern "C" __global__ void chain_##B(u32* x, u32* a, u32* b, u32 seed) { chain_body<B>(x, a, b, seed); }
CHAINS(CHAIN_KERNEL)
#define CHAIN_ROW(B) {#B, B, chain_##B},
const struct {
  const char* access;
  Access b;
  void (*kernel)(u32*, u32*, u32*, u32);
} kChainRows[] = {CHAINS(CHAIN_ROW)};

static void run_chains(u32 seed) {
  u32 *x, *b, *a = dmalloc<u32>(kChains);
  CK(cudaHostAlloc((void**)&x, kChains * 4, cudaHostAllocMapped));
  CK(cudaHostAlloc((void**)&b, kChains * 4, cudaHostAllocMapped));
  for (auto& c : kChainRows) {
    memset(x, 0, kChains * 4), memset(b, 0, kChains * 4);
    CK(cudaMemset(a, 0, kChains * 4));
    CK(cudaDeviceSynchronize());
    c.kernel<<<2 * ((kChains + 31) / 32), 32>>>(x, a, b, seed);
    u32 seen[2] = {0, 0};
    for (u32 i = 0; i < kChains; i++) {
      while (*(volatile u32*)&b[i] == 0) {  // x86 does not swap loads
      }
      seen[*(volatile u32*)&x[i] != 0]++;
    }
    CK(cudaDeviceSynchronize());
    bool ordered = c.b == acqrel_sys;
    printf("S,locks,chain_to_host,%s,,host,sms+host,x=1,%u,allowed,\n", c.access, seen[1]);
    printf("S,locks,chain_to_host,%s,,host,sms+host,x=0,%u,%s,%s\n", c.access, seen[0], ordered ? "forbidden" : "allowed", ordered ? "causality" : "");
  }
}

int main(int argc, char** argv) {
  u32 seed = argc > 1 ? strtoul(argv[1], nullptr, 0) : 1;
  run_locks(seed);
  run_sums(seed);
  run_chains(seed);
  return 0;
}
