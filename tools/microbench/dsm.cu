// K. Distributed shared memory by lane pattern: loads, stores, atomics of a neighbour's shared memory, and what waits for them.
#include "remote.h"
__device__ __forceinline__ u32 csize() {
  u32 r;
  asm volatile("mov.u32 %0,%%cluster_nctarank;" : "=r"(r));
  return r;
}
constexpr int K = 8;  // accesses per thread before the pattern repeats
// pattern[(i * warps + warp) * 32 + lane] = rank distance << 16 | word
template <int OP>
__global__ void __launch_bounds__(1024) k_dsm(u64* o, const u32* pattern, int n, int active) {
  extern __shared__ __align__(16) u32 sm[];
  u32 a[K], x = threadIdx.x + 1;
  u64 g[K];
  for (int i = 0; i < K; i++) {
    u32 p = pattern[i * blockDim.x + threadIdx.x];
    a[i] = mapa(sptr(sm) + (p & 0xffff) * 4, (crank() + (p >> 16)) % csize());
    if (OP == GEN) {
      asm volatile("cvta.shared::cluster.u64 %0,%1;" : "=l"(g[i]) : "l"((u64)a[i]));
    }
  }
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
    sm[i] = 0;
  }
  cl_sync();
  u64 t0 = 0, t1 = 0, t2 = 0;
  if ((int)crank() < active) {
    t0 = bar_clk();
#pragma unroll 1
    for (int r = 0; r < n; r++) {
#pragma unroll
      for (int i = 0; i < K; i++) {
        if (OP != GEN) {
          remote<OP>(a[i], r, x);
        } else {
          atomicAdd((u32*)g[i], 1u);
        }
      }
    }
    __syncthreads();
    t1 = bar_clk();
  }
  cl_sync();
  t2 = clk64();
  if (x == 0x12345678) {
    o[3] = x;
  }
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    o[0] = t1 - t0;
    o[1] = t2 - t0;
  }
}
// A dependent chain of returning atomics: latency by pattern.
__global__ void k_chain(u64* o, const u32* pattern, int n) {
  extern __shared__ __align__(16) u32 sm[];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
    sm[i] = 0;
  }
  u32 p = pattern[threadIdx.x], a = mapa(sptr(sm) + (p & 0xffff) * 4, (crank() + (p >> 16)) % csize());
  cl_sync();
  u64 t0 = 0, t1 = 0;
  u32 s = 0;
  if (crank() == 0) {
    for (int r = 0; r < 2; r++) {
      t0 = clk64();
#pragma unroll 1
      for (int i = 0; i < n; i++) {
        u32 y;
        asm volatile("atom.shared::cluster.add.u32 %0,[%1],%2;" : "=r"(y) : "r"(a + s), "r"(0) : "memory");
        s = y;
      }
      t1 = clk64();
    }
  }
  cl_sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    o[0] = t1 - t0;
    o[1] = s;
  }
}
// What waits for remote operations: m of them, then a fence or a cluster barrier.
template <int WHAT, int OP>
__global__ void k_wait(u64* o, const u32* pattern, int m) {
  extern __shared__ __align__(16) u32 sm[];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
    sm[i] = 0;
  }
  u32 p = pattern[threadIdx.x], a = mapa(sptr(sm) + (p & 0xffff) * 4, (crank() + (p >> 16)) % csize());
  u64 t0 = 0, t1 = 0, t2 = 0;
  for (int r = 0; r < 3; r++) {
    cl_sync();
    t0 = bar_clk();
#pragma unroll 1
    for (int i = 0; i < m; i++) {
      if (OP == RED) {
        asm volatile("red.shared::cluster.add.u32 [%0],%1;" ::"r"(a), "r"(1) : "memory");
      } else {
        asm volatile("st.shared::cluster.u32 [%0],%1;" ::"r"(a), "r"(i) : "memory");
      }
    }
    t1 = clk64();
    if (WHAT == 0) {
      cl_sync();
    } else if (WHAT == 1) {
      asm volatile("fence.acq_rel.cluster;" ::: "memory");
    } else if (WHAT == 2) {
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
    } else if (WHAT == 3) {
      asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    } else {
      asm volatile("fence.acq_rel.cta;" ::: "memory");
    }
    t2 = bar_clk();
  }
  cl_sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    o[0] = t1 - t0;
    o[1] = t2 - t1;
  }
}
static u64* o;
static u32* pat;
template <class... A>
void cl(void (*k)(A...), int grid, int thr, size_t sm, int cs, A... a) {
  cudaLaunchConfig_t c = {};
  c.gridDim = grid;
  c.blockDim = thr;
  c.dynamicSmemBytes = sm;
  cudaLaunchAttribute at;
  at.id = cudaLaunchAttributeClusterDimension;
  at.val.clusterDim.x = cs;
  at.val.clusterDim.y = at.val.clusterDim.z = 1;
  c.attrs = &at;
  c.numAttrs = 1;
  CK(cudaLaunchKernelEx(&c, k, a...));
  sync();
}
static u32 rnd() {
  static u64 s = 88172645463325252ull;
  s ^= s << 13, s ^= s >> 7, s ^= s << 17;
  return (u32)(s >> 16);
}
struct Pattern {
  const char* name;
  std::function<u32(u32 lane, u32 warp, u32 i)> f;
};
static u32 at(u32 rank, u32 word) { return rank << 16 | word; }
static u32 cs_now = 4;
static std::vector<Pattern> patterns() {
  std::vector<Pattern> v = {
      {"coalesced 32 words", [](u32 l, u32 w, u32 i) { return at(1, w % 16 * 32 + l); }},
      {"coalesced own block", [](u32 l, u32 w, u32 i) { return at(0, w % 16 * 32 + l); }},
      {"one word", [](u32, u32 w, u32) { return at(1, w * 32); }},
      {"one word for all warps", [](u32, u32, u32) { return at(1, 0); }},
      {"2 words", [](u32 l, u32 w, u32) { return at(1, w * 32 + l % 2); }},
      {"4 words", [](u32 l, u32 w, u32) { return at(1, w * 32 + l % 4); }},
      {"8 words", [](u32 l, u32 w, u32) { return at(1, w * 32 + l % 8); }},
      {"16 words", [](u32 l, u32 w, u32) { return at(1, w * 32 + l % 16); }},
      {"permuted 32 words", [](u32 l, u32 w, u32) { return at(1, w * 32 + l * 13 % 32); }},
      {"stride 2 words", [](u32 l, u32 w, u32) { return at(1, w % 16 * 64 + l * 2); }},
      {"stride 4 words", [](u32 l, u32 w, u32) { return at(1, w % 16 * 64 + l * 4); }},
      {"stride 8 words", [](u32 l, u32 w, u32) { return at(1, w % 16 * 64 + l * 8); }},
      {"stride 16 words", [](u32 l, u32 w, u32) { return at(1, w % 16 * 64 + l * 16); }},
      {"stride 32 words: one bank", [](u32 l, u32 w, u32) { return at(1, w + l * 32); }},
      {"stride 33 words", [](u32 l, u32 w, u32) { return at(1, w + l * 33); }},
      {"random of 64 words", [](u32, u32, u32) { return at(1, rnd() % 64); }},
      {"random of 1024 words", [](u32, u32, u32) { return at(1, rnd() % 1024); }},
      {"random rank; random of 64 words", [](u32, u32, u32) { return at(rnd() % cs_now, rnd() % 64); }},
      {"random other rank; random of 64 words",
       [](u32, u32, u32) { return at(1 + rnd() % (cs_now - 1 ? cs_now - 1 : 1), rnd() % 64); }},
      {"random of 64 words own block", [](u32, u32, u32) { return at(0, rnd() % 64); }},
      {"rank = lane % cluster; coalesced", [](u32 l, u32 w, u32) { return at(l % cs_now, w * 32 % 1024 + l); }},
  };
  return v;
}
static void load(const Pattern& p, int thr, int align = 1) {
  std::vector<u32> h(K * 1024);
  for (int i = 0; i < K; i++) {
    for (int t = 0; t < thr; t++) {
      u32 x = p.f(t % 32, t / 32, i);
      h[i * thr + t] = align > 1 ? (x & 0xffff0000u) | ((x & 0xffff) * align & 0xfff) : x;
    }
  }
  CK(cudaMemcpy(pat, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
}
template <int OP>
void tp(const Pattern& p, int cs, int act, int thr, int grid) {
  auto f = [&](int n, int w) {
    cl(k_dsm<OP>, grid, thr, (size_t)16384, cs, o, (const u32*)pat, n, act);
    return (double)down(o, 2)[w];
  };
  double best = 1e30;
  for (int r = 0; r < 2; r++) {
    best = std::min(best, (f(24, 1) - f(8, 1)) / (16.0 * K * thr / 32));
  }
  rec("K", std::string("DSM_") + kName[OP], best, "cyc/warp-instr/SM",
      S("%s; cluster %d; %d blocks active; %d warps; %d clusters", p.name, cs, act, thr / 32, grid / cs), "k_dsm");
}
template <int OP>
void all() {
  for (const Pattern& p : patterns()) {
    for (int thr : {32, 256, 1024}) {
      cs_now = 4;
      load(p, thr, OP == LD4 || OP == ST4 ? 4 : 1);
      for (int act : {1, 4}) {
        tp<OP>(p, 4, act, thr, 4);
      }
      if (thr == 256) {
        tp<OP>(p, 4, 4, thr, 128);
      }
    }
    for (int cs : {2, 8}) {
      cs_now = cs;
      load(p, 256, OP == LD4 || OP == ST4 ? 4 : 1);
      tp<OP>(p, cs, cs, 256, cs);
    }
  }
}
// One word per 32 B sector (as far as there are that many) of `lines` lines that lie `step` lines apart.
static Pattern line_pattern(u32 lines, u32 step) {
  return {"", [=](u32 l, u32, u32) { return at(1, (l % lines * step * 32 + l / lines % 4 * 8 + l / lines / 4) & 4095); }};
}
template <int OP>
void by_lines() {
  for (u32 lines : {1u, 2u, 4u, 8u, 16u, 32u}) {
    for (u32 step : {1u, 2u, 4u, 8u, 16u, 32u}) {
      if (lines * step > 128) {
        continue;
      }
      std::string name = S("%u lines %u apart; %u sectors", lines, step, std::min(32u, lines * 4));
      Pattern p = line_pattern(lines, step);
      p.name = name.c_str();
      cs_now = 4;
      load(p, 256);
      tp<OP>(p, 4, 4, 256, 128);
      if (step == 1) {
        tp<OP>(p, 4, 4, 256, 4);
        tp<OP>(p, 4, 1, 256, 128);
      }
    }
  }
}
template <int WHAT, int OP>
void waits(const char* what) {
  auto v = patterns();
  for (int pi : {0, 15}) {
    cs_now = 4;
    for (int thr : {32, 256}) {
      load(v[pi], thr);
      for (int m : {0, 1, 2, 4, 8, 16}) {
        cl(k_wait<WHAT, OP>, 4, thr, (size_t)16384, 4, o, (const u32*)pat, m);
        auto r = down(o, 2);
        rec("K", std::string("DSM_wait_") + what, r[1], "cyc",
            S("after %d remote %s; %s; %d threads; issue %llu", m, kName[OP], v[pi].name, thr, r[0]), "k_wait");
      }
    }
  }
}
int main() {
  o = dmalloc<u64>(16);
  pat = dmalloc<u32>(K * 1024);
  all<LD>();
  all<ST>();
  all<RED>();
  all<ATOM>();
  all<GEN>();
  by_lines<LD>();
  by_lines<ST>();
  by_lines<RED>();
  auto v = patterns();
  for (const Pattern& p : v) {
    cs_now = 4;
    load(p, 256);
    tp<CAS>(p, 4, 4, 256, 4);
    load(p, 256, 4);
    tp<LD4>(p, 4, 4, 256, 4);
    tp<ST4>(p, 4, 4, 256, 4);
    load(p, 32);
    cl(k_chain, 4, 32, (size_t)16384, 4, o, (const u32*)pat, 32);
    rec("K", "DSM_atom_latency", down(o, 1)[0] / 32.0, "cyc", S("%s; cluster 4; incl. address add", p.name), "k_chain");
  }
  waits<0, RED>("cluster_barrier");
  waits<1, RED>("fence_cluster");
  waits<2, RED>("fence_gpu");
  waits<3, RED>("relaxed_cluster_barrier");
  waits<4, RED>("fence_cta");
  waits<0, ST>("cluster_barrier");
  waits<1, ST>("fence_cluster");
  return 0;
}
