// Distributed shared memory under load, by place: which SMs share what of the network of their GPC. One block
// on each SM, in clusters of four (two TPCs, one behind the other); chosen TPCs of each GPC ask, the others
// answer. A row per TPC, in the GPC's order of SM numbers: mean over the GPCs that hold four such clusters.
#include <map>
#include <numeric>
#include "remote.h"
constexpr int K = 8, kThreads = 256, kShared = 131072, kMaxSms = 256;
// pattern[i * threads + thread] = what the rank is changed by << 16 | word; out: cycles by SM.
template <int OP>
__global__ void __launch_bounds__(kThreads) k_gpc(u64* out, const u32* pattern, const u32* active, int n) {
  extern __shared__ __align__(128) u32 sm[];
  u32 a[K], x = threadIdx.x + 1;
  for (int i = 0; i < K; i++) {
    const u32 p = pattern[i * kThreads + threadIdx.x];
    a[i] = mapa(sptr(sm) + (p & 0xffff) * 4, crank() ^ p >> 16);
  }
  for (int i = threadIdx.x; i < 4096; i += kThreads) {
    sm[i] = 0;
  }
  const u32 me = smid();
  const bool on = active[me] >> (threadIdx.x / 32) & 1;
  cl_sync();
  if (active[me]) {
    const u64 t0 = bar_clk();
    if (on) {
#pragma unroll 1
      for (int r = 0; r < n; r++) {
#pragma unroll
        for (int i = 0; i < K; i++) {
          remote<OP>(a[i], r, x);
        }
      }
    }
    __syncthreads();
    const u64 t1 = bar_clk();
    if (threadIdx.x == 0) {
      out[me] = t1 - t0;
    }
  }
  cl_sync();
  if (x == 0x12345678) {
    out[kMaxSms] = x;
  }
}
__global__ void k_where(u32* out) {
  if (threadIdx.x == 0) {
    out[blockIdx.x] = smid();
  }
}
static u64* out;
static u32 *pat, *act, *where;
template <class... A>
cudaError_t cl(void (*k)(A...), int grid, int threads, size_t shared, int size, A... a) {
  CK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  CK(cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchConfig_t c = {};
  c.gridDim = grid;
  c.blockDim = threads;
  c.dynamicSmemBytes = shared;
  cudaLaunchAttribute at;
  at.id = cudaLaunchAttributeClusterDimension;
  at.val.clusterDim.x = size;
  at.val.clusterDim.y = at.val.clusterDim.z = 1;
  c.attrs = &at;
  c.numAttrs = 1;
  const cudaError_t e = cudaLaunchKernelEx(&c, k, a...);
  sync();
  return e;
}
// The GPCs' TPCs that take clusters of four, each in the order of SM numbers.
static std::vector<std::vector<u32>> gpcs(int blocks) {
  std::vector<u32> root(kMaxSms);
  std::iota(root.begin(), root.end(), 0);
  std::function<u32(u32)> find = [&](u32 x) { return root[x] == x ? x : root[x] = find(root[x]); };
  std::vector<u32> used;
  for (int size : {16, 8, 4}) {
    const int grid = size == 4 ? blocks : size * (nsm() / 18);
    CK(cl(k_where, grid, 32, (size_t)kShared, size, where));
    used = down(where, grid);
    for (int b = 0; b < grid; b++) {
      root[find(used[b])] = find(used[b / size * size]);
    }
  }
  std::map<u32, std::vector<u32>> m;
  std::sort(used.begin(), used.end());
  for (u32 s : used) {
    if (s % 2 == 0) {
      m[find(s)].push_back(s / 2);
    }
  }
  std::vector<std::vector<u32>> v;
  for (auto& g : m) {
    if (g.second.size() == 8) {
      v.push_back(g.second);
    }
  }
  return v;
}
static u32 rnd() {
  static u64 s = 88172645463325252ull;
  s ^= s << 13, s ^= s >> 7, s ^= s << 17;
  return (u32)(s >> 16);
}
struct Pattern {
  std::string name;
  std::function<u32(u32 lane, u32 warp, u32 i)> word;
  bool fourfold;  // for accesses of 16 bytes, too
};
// One word per sector (as far as there are that many) of `lines` lines that lie `step` lines apart.
static Pattern lines(u32 n, u32 step) {
  return {S("%u lines %u apart", n, step),
          [=](u32 l, u32, u32) { return (l % n * step * 32 + l / n % 4 * 8 + l / n / 4) & 4095; }, true};
}
static std::vector<Pattern> patterns() {
  return {
      {"one word", [](u32, u32, u32) { return 0; }, true},
      {"one word; a line per warp", [](u32, u32 w, u32) { return w * 32; }, true},
      {"one line", [](u32 l, u32, u32) { return l; }, false},
      {"one line; another per warp", [](u32 l, u32 w, u32) { return w * 32 + l; }, false},
      {"four lines in turn", [](u32 l, u32, u32 i) { return (i & 1) * 64 + (i >> 1 & 1) * 256 + l; }, false},
      lines(1, 1),
      lines(2, 1),
      lines(2, 2),
      lines(4, 1),
      lines(4, 2),
      lines(8, 1),
      lines(8, 2),
      lines(8, 4),
      lines(16, 1),
      lines(32, 1),
      {"stride 2 words; two lines per warp", [](u32 l, u32 w, u32) { return w * 64 + l * 2; }, false},
      {"random of 64 words", [](u32, u32, u32) { return rnd() % 64; }, false},
      {"random of 1024 words", [](u32, u32, u32) { return rnd() % 1024; }, true},
      {"coalesced 16 B", [](u32 l, u32 w, u32) { return w * 128 + l; }, true}};
}
struct Set {
  const char* name;
  u32 tpcs, warps;  // masks
};
static const Set kSets[] = {{"all", 0xff, 0xff},          {"TPC 0", 0x01, 0xff},
                            {"TPCs 0 3", 0x09, 0xff},     {"TPCs 0 3 6", 0x49, 0xff},
                            {"TPCs 1 2 7", 0x86, 0xff},   {"TPCs 0 1", 0x03, 0xff},
                            {"TPCs 0 1 2 3", 0x0f, 0xff}, {"all; one warp", 0xff, 0x01}};
template <int OP>
static void measure(const std::vector<std::vector<u32>>& g, int blocks) {
  for (const Pattern& p : patterns()) {
    const bool wide = OP == LD4 || OP == ST4;
    if (wide && !p.fourfold) {
      continue;
    }
    for (u32 change : {1u, 2u, 4u}) {  // 4: any of the other three, lane by lane
      std::vector<u32> h(K * kThreads);
      for (u32 i = 0; i < K; i++) {
        for (u32 t = 0; t < kThreads; t++) {
          const u32 word = p.word(t % 32, t / 32, i), by = change == 4 ? 1 + rnd() % 3 : change;
          h[i * kThreads + t] = by << 16 | (wide ? word * 4 & 4095 : word);
        }
      }
      CK(cudaMemcpy(pat, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
      for (const Set& s : kSets) {
        if (change == 4 && s.tpcs != 0xff) {
          continue;
        }
        std::vector<u32> on(kMaxSms);
        for (const auto& tpcs : g) {
          for (u32 i = 0; i < 8; i++) {
            on[2 * tpcs[i]] = on[2 * tpcs[i] + 1] = s.tpcs >> i & 1 ? s.warps : 0;
          }
        }
        CK(cudaMemcpy(act, on.data(), on.size() * 4, cudaMemcpyHostToDevice));
        std::vector<u64> r[2];
        for (int j = 0; j < 2; j++) {
          CK(cl(k_gpc<OP>, blocks, kThreads, (size_t)kShared, 4, out, (const u32*)pat, (const u32*)act,
                j ? 40 : 8));
          r[j] = down(out, kMaxSms);
        }
        const double instructions = 32.0 * K * __builtin_popcount(s.warps);
        for (u32 i = 0; i < 8; i++) {
          double sum = 0;
          for (const auto& tpcs : g) {
            for (u32 m = 2 * tpcs[i]; m < 2 * tpcs[i] + 2; m++) {
              sum += (double)(long long)(r[1][m] - r[0][m]) / instructions;
            }
          }
          if (s.tpcs >> i & 1) {
            std::printf("dsm_%s,%s,%s,%s,%u,%.2f\n", kName[OP], p.name.c_str(),
                        change == 1   ? "same TPC"
                        : change == 2 ? "next TPC"
                                      : "any other",
                        s.name, i, sum / 2 / g.size());
          }
        }
      }
    }
  }
}
int main() {
  out = dmalloc<u64>(kMaxSms + 1);
  pat = dmalloc<u32>(K * kThreads);
  act = dmalloc<u32>(kMaxSms);
  where = dmalloc<u32>(1024);
  int blocks = 112;
  const auto g = gpcs(blocks);
  for (const auto& tpcs : g) {
    std::fprintf(stderr, "GPC");
    for (u32 t : tpcs) {
      std::fprintf(stderr, " %u", t);
    }
    std::fprintf(stderr, "\n");
  }
  std::printf("what,pattern,to,who asks,TPC,cycles per warp instruction and SM\n");
  measure<LD>(g, blocks);
  measure<LD4>(g, blocks);
  measure<ST>(g, blocks);
  measure<ST4>(g, blocks);
  measure<RED>(g, blocks);
  measure<ATOM>(g, blocks);
  return 0;
}
