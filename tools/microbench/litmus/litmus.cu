// Litmus tests of the PTX memory model: for each shape (who stores and loads what), each kind of access and fence and each
// placement of the threads, how often which outcome comes up. README.md beside this says how to run it and what the rows are.
//   nvcc -O2 -std=c++20 -arch=sm_90 -o litmus litmus.cu && ./litmus > rows.txt && python3 label.py rows.txt
#include <utility>
#include "access.h"

// ---- shapes as data -----------------------------------------------------------------------------------------------------------
enum Kind { kNothing, kWrite, kRead, kSpin, kFence };
struct Op {
  Kind kind = kNothing;
  int loc = 0;    // 0 x, 1 y, 2 z
  int value = 0;  // of a write; of a read or spin: the number of its register in the outcome
};
struct Shape {
  int threads, locs, regs;
  bool finals;  // the outcome ends with the values that the locations have in the end
  Op op[4][3];
};
constexpr Op w(int loc, int v) { return {kWrite, loc, v}; }
constexpr Op r(int loc, int reg) { return {kRead, loc, reg}; }
constexpr Op spin(int loc, int reg) { return {kSpin, loc, reg}; }  // reads until it is not 0, for kPatience cycles at most
constexpr Op f() { return {kFence, 0, 0}; }
constexpr int x = 0, y = 1, z = 2;

constexpr Shape mp{2, 2, 2, false, {{w(x, 1), f(), w(y, 1)}, {r(y, 0), f(), r(x, 1)}}};
constexpr Shape sb{2, 2, 2, false, {{w(x, 1), f(), r(y, 0)}, {w(y, 1), f(), r(x, 1)}}};
constexpr Shape lb{2, 2, 2, false, {{r(x, 0), f(), w(y, 1)}, {r(y, 1), f(), w(x, 1)}}};
constexpr Shape iriw{4, 2, 4, false, {{w(x, 1)}, {w(y, 1)}, {r(x, 0), f(), r(y, 1)}, {r(y, 2), f(), r(x, 3)}}};
constexpr Shape two2w{2, 2, 0, true, {{w(x, 1), f(), w(y, 2)}, {w(y, 1), f(), w(x, 2)}}};
constexpr Shape wrc{3, 2, 3, false, {{w(x, 1)}, {r(x, 0), f(), w(y, 1)}, {r(y, 1), f(), r(x, 2)}}};
constexpr Shape isa2{3, 3, 3, false, {{w(x, 1), f(), w(y, 1)}, {r(y, 0), f(), w(z, 1)}, {r(z, 1), f(), r(x, 2)}}};
constexpr Shape flag{2, 2, 2, false, {{w(x, 1), f(), w(y, 1)}, {spin(y, 0), f(), r(x, 1)}}};
constexpr Shape corr{2, 1, 2, false, {{w(x, 1)}, {r(x, 0), f(), r(x, 1)}}};
constexpr Shape coww{2, 1, 2, true, {{w(x, 1), f(), w(x, 2)}, {r(x, 0), f(), r(x, 1)}}};
constexpr Shape corw{2, 1, 1, true, {{r(x, 0), f(), w(x, 1)}, {w(x, 2)}}};
constexpr Shape cowr{2, 1, 1, true, {{w(x, 1), f(), r(x, 0)}, {w(x, 2)}}};

// ---- one launch -----------------------------------------------------------------------------------------------------------------
constexpr u32 kGroups = 4;         // instances beside each other that a block (or SM) has, each with a warp a thread of the shape
#ifndef ROUNDS
#define ROUNDS 16
#endif
constexpr u32 kRounds = ROUNDS;    // of a launch; each uses words of its own, zero before it
constexpr u32 kLimit = 15625 * kRounds;  // instances of a launch that count: four launches make 10^6
constexpr u32 kPatience = 20000;
enum Placement { kSms, kSameSm, kBlock, kStreams, kDomains };
const char* const kPlacements[] = {"sms", "same_sm", "block", "streams", "domains"};

struct Args {
  u32 *mem, *out, *meet, *places, *failed, *smids;
  u32 placement, threads, groups, shift, seed, spread, warm, role;
};

// Word of an instance: neighbouring lanes share a line (spread 0), or each lane has a line of its own that its rounds share, so
// that a line read in one round is still in L1 in the next (spread 1).
__device__ __forceinline__ u64 word_of(const Args& a, u32 loc, u32 group, u32 lane, u32 round) {
  u32 n = a.groups * 32, at = group * 32 + lane;
  return (u64)loc * (n * 32 + 17 * 32) + (a.spread ? at * 32 + round : round * n + at);
}

template <Shape S, Access A, Fence F, Space P, int T, int I>
__device__ __forceinline__ void step(const u64* at, u32* reg) {
  constexpr Op op = S.op[T][I];
  if constexpr (op.kind == kWrite) store<A, P>(at[op.loc], op.value);
  if constexpr (op.kind == kRead) reg[I] = load<A, P>(at[op.loc]);
  if constexpr (op.kind == kSpin) {
    u64 t0 = clk64();
    do reg[I] = load<A, P>(at[op.loc]);
    while (reg[I] == 0 && clk64() - t0 < kPatience);
    __syncwarp();
  }
  if constexpr (op.kind == kFence) fence<F>();
}
template <Shape S, int T, int I>
__device__ __forceinline__ void keep(const Args& a, const u32* reg, u32 instance) {
  constexpr Op op = S.op[T][I];
  if constexpr (op.kind == kRead || op.kind == kSpin) a.out[op.value * kRounds * a.groups * 32 + instance] = reg[I];
}

// Thread T of the shape: straight-line code, then its registers into the outcome.
template <Shape S, Access A, Fence F, Space P, int T>
__device__ __forceinline__ void thread(const Args& a, const u64* at, u32 instance, u32 delay) {
  if constexpr (T < S.threads) {
    u32 reg[3];
    random_delay(delay);
    step<S, A, F, P, T, 0>(at, reg);
    step<S, A, F, P, T, 1>(at, reg);
    step<S, A, F, P, T, 2>(at, reg);
    keep<S, T, 0>(a, reg, instance);
    keep<S, T, 1>(a, reg, instance);
    keep<S, T, 2>(a, reg, instance);
  }
}

template <Shape S, Access A, Fence F, Space P>
__device__ __forceinline__ void body(const Args& a) {
  static_assert(P == kGlobal || !S.finals, "final values of shared memory are not kept");
  constexpr u32 T = S.threads, L = S.locs, kWords = P == kShared ? S.locs * kGroups * 32 * kRounds : 1;
  __shared__ u32 words[kWords], slot;
  u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, role, group, q = warp / T;
  if (threadIdx.x == 0) {
    slot = atomicAdd(&a.places[smid()], 1);
    a.smids[blockIdx.x] = smid();
  }
  if constexpr (P == kShared)
    for (u32 i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = 0;
  __syncthreads();
  if (a.placement == kSms || a.placement == kBlock) {  // warp q*T+t is thread t, of a group whose threads lie `shift` blocks apart
    if (warp >= T * kGroups) return;
    role = warp % T;
    group = (blockIdx.x + a.shift * role) % gridDim.x * kGroups + q;
  } else if (a.placement == kSameSm) {  // the n-th block that an SM gets is thread n
    if (warp >= kGroups) return;
    role = slot;
    group = smid() * kGroups + warp;
    if (role >= T) {
      atomicAdd(a.failed, 1);
      return;
    }
  } else {  // a launch a thread, in two streams
    role = a.role;
    group = blockIdx.x * (blockDim.x / 32) + warp;
  }
#pragma unroll 1
  for (u32 round = 0; round < kRounds; round++) {
    u64 at[3];
    for (int l = 0; l < L; l++)
      if constexpr (P == kShared) at[l] = __cvta_generic_to_shared(words + ((l * kGroups + q) * kRounds + round) * 32 + lane);
      else at[l] = (u64)__cvta_generic_to_global(a.mem + word_of(a, l, group, lane, round));
    if (a.warm)
      for (int l = 0; l < L; l++) load<weak, P>(at[l]);
    if (a.placement == kBlock) {
      asm volatile("barrier.sync %0,%1;" ::"r"(q + 1), "r"(T * 32) : "memory");
    } else {
      bool met = true;
      if (lane == 0) met = meet(a.meet + group * 32, (round + 1) * T);
      if (!__all_sync(~0u, met)) {
        if (lane == 0) atomicAdd(a.failed, 1);
        return;
      }
    }
    u32 instance = (round * a.groups + group) * 32 + lane, delay = mix(a.seed, group, role, round);
    if (role == 0) thread<S, A, F, P, 0>(a, at, instance, delay);
    if (role == 1) thread<S, A, F, P, 1>(a, at, instance, delay);
    if (role == 2) thread<S, A, F, P, 2>(a, at, instance, delay);
    if (role == 3) thread<S, A, F, P, 3>(a, at, instance, delay);
  }
}

// ---- the rows -------------------------------------------------------------------------------------------------------------------
// X(shape, access, fence, space)
#define PLAIN(X, S) X(S, weak, none, kGlobal) X(S, vol, none, kGlobal) X(S, relaxed_cta, none, kGlobal) X(S, relaxed_gpu, none, kGlobal) \
  X(S, relaxed_sys, none, kGlobal) X(S, acqrel_gpu, none, kGlobal) X(S, weak, ar_gpu, kGlobal)
#define FENCED(X, S) PLAIN(X, S) X(S, acqrel_cta, none, kGlobal) X(S, acqrel_sys, none, kGlobal) X(S, weak, ar_cta, kGlobal) X(S, weak, sc_gpu, kGlobal) \
  X(S, vol, ar_gpu, kGlobal) X(S, relaxed_cta, ar_cta, kGlobal) X(S, relaxed_gpu, ar_cta, kGlobal) X(S, relaxed_gpu, ar_gpu, kGlobal) \
  X(S, relaxed_sys, ar_sys, kGlobal) X(S, relaxed_cta, sc_cta, kGlobal) X(S, relaxed_gpu, sc_gpu, kGlobal) X(S, relaxed_sys, sc_sys, kGlobal)
#define SHARED(X, S) X(S, weak, none, kShared) X(S, vol, none, kShared) X(S, relaxed_cta, none, kShared) X(S, acqrel_cta, none, kShared) \
  X(S, weak, ar_cta, kShared) X(S, relaxed_cta, ar_cta, kShared) X(S, relaxed_cta, sc_cta, kShared)
#define ROWS(X) FENCED(X, mp) FENCED(X, sb) FENCED(X, lb) FENCED(X, iriw) FENCED(X, two2w) FENCED(X, wrc) FENCED(X, isa2) FENCED(X, flag) \
  PLAIN(X, corr) PLAIN(X, coww) PLAIN(X, corw) PLAIN(X, cowr) SHARED(X, mp) SHARED(X, sb) SHARED(X, lb) SHARED(X, corr)

// Up to 1,024 threads a block and two of those an SM.
#define KERNEL(S, A, F, P) \
  extern "C" __global__ void __launch_bounds__(1024, 2) S##_##A##_##F##_##P(Args a) { body<S, A, F, P>(a); }
ROWS(KERNEL)

struct Row {
  const char *shape, *access, *fence;
  const Shape* s;
  Space space;
  void (*kernel)(Args);
};
#define ROW(S, A, F, P) {#S, #A, #F, &S, P, S##_##A##_##F##_##P},
const Row kRows[] = {ROWS(ROW)};

// The outcomes of a launch, four values at most of 0 to 3 each; bin 256 is for anything else.
__global__ void tally(Args a, u32 regs, u32 finals, u32* histogram) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kLimit) return;
  u32 lane = i % 32, group = i / 32 % a.groups, round = i / 32 / a.groups, code = 0, bad = 0;
  for (u32 k = 0; k < regs + finals; k++) {
    u32 v = k < regs ? a.out[k * kRounds * a.groups * 32 + i] : a.mem[word_of(a, k - regs, group, lane, round)];
    bad |= v > 3;
    code = code * 4 + (v & 3);
  }
  atomicAdd(&histogram[bad ? 256 : code], 1);
}

// ---- the host -------------------------------------------------------------------------------------------------------------------
static u32* g_counts;  // meet, places, failed, smids, histogram
static cudaStream_t g_stream[2];

static void launch(const Row& row, Args a, Placement p, int sms) {
  u32 t = row.s->threads;
  if (p >= kStreams) {
    // The second launch's fences are of another memory synchronisation domain (MD03) where the row asks for that.
    for (u32 role = 0; role < 2; role++) {
      a.role = role;
      cudaLaunchConfig_t c = {dim3(sms / 2), dim3(32 * kGroups * 2), 0, g_stream[role]};
      cudaLaunchAttribute domain;
      domain.id = cudaLaunchAttributeMemSyncDomain;
      domain.val.memSyncDomain = role && p == kDomains ? cudaLaunchMemSyncDomainRemote : cudaLaunchMemSyncDomainDefault;
      c.attrs = &domain, c.numAttrs = 1;
      CK(cudaLaunchKernelEx(&c, row.kernel, a));
    }
  } else if (p == kSameSm) {
    row.kernel<<<sms * t, 2048 / t / 32 * 32>>>(a);  // t of them fill an SM
  } else {
    row.kernel<<<sms, p == kBlock ? 32 * t * kGroups : 1024>>>(a);
  }
  CK(cudaDeviceSynchronize());
}

// Whether the blocks lie where the row says, by the SMs that they wrote down.
static bool placed(Placement p, u32 threads, int sms, const u32* places) {
  if (p >= kStreams) return true;
  for (int i = 0; i < sms; i++)
    if (places[i] != (p == kSameSm ? threads : 1)) return false;
  return true;
}

int main(int argc, char** argv) {
  u32 seed = argc > 1 ? strtoul(argv[1], nullptr, 0) : 1;
  const char* only = argc > 2 ? argv[2] : "";
  const int placements = argc > 3 ? atoi(argv[3]) : kDomains + 1;  // the first so many
  cudaDeviceProp d;
  CK(cudaGetDeviceProperties(&d, 0));
  int sms = d.multiProcessorCount;
  printf("# %s, %d SMs, seed %u\n", d.name, sms, seed);
  Args a = {};
  a.groups = sms * kGroups;
  size_t words = (size_t)a.groups * 32 * 32 + 17 * 32, outs = (size_t)kRounds * a.groups * 32, meets = a.groups * 32, rest = 8192;
  a.mem = dmalloc<u32>(3 * words), a.out = dmalloc<u32>(4 * outs), g_counts = dmalloc<u32>(meets + rest);
  a.meet = g_counts, a.places = g_counts + meets, a.failed = a.places + 1024, a.smids = a.failed + 1;
  u32* histogram = a.smids + 2048;
  for (auto& s : g_stream) CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  if (outs < kLimit) return printf("ERROR,%d SMs are too few for %u instances a launch\n", sms, kLimit), 1;
  u32 row_number = 0, bad = 0;
  for (const Row& row : kRows)
    for (int p = kSms; p <= kDomains; p++, row_number++) {
      if (p >= placements) continue;
      if (p >= kStreams && (row.s->threads != 2 || row.s->locs != 2) || row.space == kShared && p != kBlock) continue;
      if (*only && strcmp(only, row.shape)) continue;
      std::vector<u32> sum(257), h(257), places(1025);
      for (u32 n = 0; n < 4; n++) {
        a.placement = p, a.spread = n & 1, a.warm = n >> 1, a.seed = mix(seed, row_number, n);
        a.shift = p == kSms ? 1 + a.seed % (sms / 4) : 0;
        CK(cudaMemset(a.mem, 0, 3 * words * 4));
        CK(cudaMemset(a.out, 0xff, 4 * outs * 4));
        CK(cudaMemset(g_counts, 0, (meets + rest) * 4));
        CK(cudaDeviceSynchronize());
        launch(row, a, (Placement)p, sms);
        tally<<<(kLimit + 255) / 256, 256>>>(a, row.s->regs, row.s->finals ? row.s->locs : 0, histogram);
        CK(cudaMemcpy(h.data(), histogram, 257 * 4, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(places.data(), a.places, 1025 * 4, cudaMemcpyDeviceToHost));
        if (places[1024] || !placed((Placement)p, row.s->threads, sms, places.data()) || h[256]) {
          printf("ERROR,%s %s %s %s: %u waits given up, %u instances without an outcome, blocks %s\n", row.shape, row.access, row.fence, kPlacements[p],
                 places[1024], h[256], placed((Placement)p, row.s->threads, sms, places.data()) ? "in place" : "elsewhere");
          bad++;
        }
        for (int i = 0; i < 257; i++) sum[i] += h[i];
      }
      int values = row.s->regs + (row.s->finals ? row.s->locs : 0);
      for (int c = 0; c < 256; c++) {
        if (!sum[c]) continue;
        char outcome[8] = "";
        for (int k = 0; k < values; k++) outcome[k] = '0' + (c >> 2 * (values - 1 - k) & 3);
        printf("R,%s,%s,%s,%s,%s,%s,%u\n", row.shape, row.access, row.fence, row.space == kShared ? "shared" : "global", kPlacements[p], outcome, sum[c]);
      }
    }
  return bad != 0;
}
