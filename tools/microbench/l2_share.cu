// L. What SMs get from L2 together: by which SMs read, which of them read the same, and how far apart.
// Not part of run.py: nvcc -O2 -std=c++17 -arch=sm_90a l2_share.cu; results/h200_l2_share.csv.
// With an argument: only these launches, once each, for tools/tracer.
#include <map>

#include "tensor_map.h"

__device__ __forceinline__ void minit(u32 b, u32 n) {
  asm volatile("mbarrier.init.shared.b64 [%0],%1;" ::"r"(b), "r"(n));
}
__device__ __forceinline__ void expect(u32 b, u32 n) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" ::"r"(b), "r"(n) : "memory");
}
__device__ __forceinline__ void mwait(u32 b, u32 ph) {
  asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p,[%0],%1; @!p bra L;}" ::"r"(b),
               "r"(ph)
               : "memory");
}
__device__ __forceinline__ void init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
__device__ __forceinline__ void load2(u32 s, const CUtensorMap* m, int x, int y, u32 b) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0],[%1,{%2,%3}],[%4];" ::"r"(s),
      "l"(m), "r"(x), "r"(y), "r"(b)
      : "memory");
}
__device__ __forceinline__ void load2_all(u32 s, const CUtensorMap* m, int x, int y, u32 b,
                                          unsigned short to) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0],[%1,{%2,%3}],[%4],%5;" ::"r"(s),
      "l"(m), "r"(x), "r"(y), "r"(b), "h"(to)
      : "memory");
}
__device__ __forceinline__ void arrive_at(u32 b, u32 rank) {
  asm volatile(
      "{.reg .b32 r; mapa.shared::cluster.u32 r,%0,%1; mbarrier.arrive.shared::cluster.b64 _,[r];}" ::"r"(b),
      "r"(rank)
      : "memory");
}

// Clock of every SM at about the same time: those of one GPC agree.
__global__ void k_clock(u64* o, u32* come) {
  if (threadIdx.x) {
    return;
  }
  atomicAdd(come, 1);
  while (*(volatile u32*)come < gridDim.x) {
  }
  o[smid()] = clk64();
}

struct Role {
  int group, delay;  // group < 0: takes no part
};

// Four warps, two copies of 128 rows of 128 bytes each in flight, over `span` tiles of the group.
__global__ void k_tiles(u32* o, const __grid_constant__ CUtensorMap m, const Role* roles, int n, int span) {
  extern __shared__ __align__(1024) char s[];
  __shared__ __align__(8) u64 bar[32];
  const Role role = roles[smid()];
  const u32 w = threadIdx.x / 32, warps = blockDim.x / 32, b = sptr(&bar[2 * w]);
  constexpr u32 kRows = 128, kBytes = kRows * 128;
  const u32 to = sptr(s) + 2 * w * kBytes;
  if (role.group < 0) {
    return;
  }
  u64 t = bar_clk();
  while (clk64() - t < role.delay) {
  }
  t = bar_clk();
  if (threadIdx.x % 32 == 0) {
    minit(b, 1);
    minit(b + 8, 1);
    init_fence();
    const int first = (int)(role.group * warps + w) * span * kRows, end = first + span * kRows;
    int y = first;
    for (int i = 0; i < n; i += 2) {
      for (int k = 0; k < 2; k++) {
        if (i) {
          mwait(b + 8 * k, (i / 2 - 1) & 1);
        }
        expect(b + 8 * k, kBytes);
        load2(to + k * kBytes, &m, 0, y, b + 8 * k);
        y = y + kRows == end ? first : y + kRows;
      }
    }
    mwait(b, (n / 2 - 1) & 1);
    mwait(b + 8, (n / 2 - 1) & 1);
  }
  u64 e = bar_clk();
  if (threadIdx.x == 0) {
    o[smid()] = (u32)(e - t);
  }
}

// The same with loads of 16 bytes: 1,024 threads over `bytes` of the group, more than the L1 holds.
__global__ void __launch_bounds__(1024)
    k_loads(u32* o, const float4* g, const Role* roles, int n, int bytes) {
  const Role role = roles[smid()];
  if (role.group < 0) {
    return;
  }
  const int lines = bytes / 16;
  const float4* p = g + (size_t)role.group * lines;
  float4 sum = {};
  u64 t = bar_clk();
  for (int i = 0, at = threadIdx.x; i < n; i += 4) {
#pragma unroll
    for (int k = 0; k < 4; k++) {
      float4 v = __ldcg(p + at + k * 1024);
      sum.x += v.x + v.y + v.z + v.w;
    }
    at += 4096;
    at = at >= lines ? at - lines : at;
  }
  u64 e = bar_clk();
  if (threadIdx.x == 0) {
    o[smid()] = (u32)(e - t);
  }
  if (sum.x == 12345.f) {
    o[0] = 0;
  }
}

// What a GEMM of 128 x 64 tiles loads: six stages of 128 rows of A, which the blocks of a cluster load a part
// each of for all, and 64 rows of B of its own. Tile of A of cluster c: a[c], of B of block k: b[k].
constexpr u32 kStages = 6, kStage = 192 * 128;
template <int PARTS>
__global__ void k_pipeline(u32* o, const __grid_constant__ CUtensorMap ma,
                           const __grid_constant__ CUtensorMap mb, const int* a, const int* b, int steps,
                           int size, int wrap) {
  extern __shared__ __align__(1024) char s[];
  __shared__ __align__(8) u64 full[kStages], empty[kStages];
  u32 rank = 0;
  if (PARTS > 1) {
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  }
  if (threadIdx.x == 0) {
    for (u32 i = 0; i < kStages; i++) {
      minit(sptr(&full[i]), 1);
      minit(sptr(&empty[i]), PARTS);
    }
    init_fence();
  }
  PARTS > 1 ? cluster_barrier() : __syncthreads();
  u64 t = clk64();
  if (threadIdx.x == 0) {
    const int ya = a[blockIdx.x / PARTS] * 128, yb = b[blockIdx.x] * 64;
    for (int i = 0; i < steps; i++) {
      const u32 q = i % kStages, f = sptr(&full[q]), to = sptr(s) + q * kStage;
      if (i >= (int)kStages) {
        mwait(sptr(&empty[q]), (i / kStages - 1) & 1);
      }
      expect(f, kStage);
      if (PARTS > 1) {
        load2_all(to + rank * (16384 / PARTS), &ma, 0, ya + i % wrap * size + (int)rank * 128 / PARTS, f,
                  (unsigned short)((1 << PARTS) - 1));
      } else {
        load2(to, &ma, 0, ya + i % wrap * size, f);
      }
      load2(to + 16384, &mb, 0, yb + i % wrap * size, f);
    }
  }
  if (threadIdx.x == 32) {
    for (int i = 0; i < steps; i++) {
      const u32 q = i % kStages;
      mwait(sptr(&full[q]), i / kStages & 1);
      for (u32 r = 0; r < PARTS; r++) {
        if (PARTS > 1) {
          arrive_at(sptr(&empty[q]), r);
        } else {
          asm volatile("mbarrier.arrive.shared.b64 _,[%0];" ::"r"(sptr(&empty[q])) : "memory");
        }
      }
    }
  }
  PARTS > 1 ? cluster_barrier() : __syncthreads();
  if (threadIdx.x == 0) {
    o[blockIdx.x] = (u32)(clk64() - t);
  }
}

constexpr int kSms = 132, kShared = 200 * 1024;
static u32* o;
static char* g;
static Role* roles;
static int *tiles_a, *tiles_b;
static bool record;  // for the tracer
static std::vector<std::vector<int>> gpcs;

static void find_gpcs() {
  auto* clock = dmalloc<u64>(kSms);
  auto* come = dmalloc<u32>(1);
  CK(cudaMemset(come, 0, 4));
  k_clock<<<kSms, 32>>>(clock, come);
  sync();
  auto v = down(clock, kSms);
  std::multimap<u64, int> by;
  for (int i = 0; i < kSms; i++) {
    by.insert({v[i], i});
  }
  u64 last = 0;
  for (auto& [c, sm] : by) {
    if (gpcs.empty() || c - last > 50000) {
      gpcs.emplace_back();
    }
    gpcs.back().push_back(sm);
    last = c;
  }
  std::string s;
  for (auto& x : gpcs) {
    std::sort(x.begin(), x.end());
    s += S("%d: ", (int)x.size());
    for (int sm : x) {
      s += S("%d ", sm);
    }
    s += "; ";
  }
  rec("L", "gpcs", gpcs.size(), "GPCs", s.substr(0, 500), "k_clock");
}

static CUtensorMap tile(u32 rows) {
  Map p;
  p.type = 0;
  p.rank = 2;
  p.address = (u64)g;
  p.dim[0] = 128;
  p.dim[1] = (512 << 20) / 128;
  p.stride[0] = 128;
  p.box[0] = 128;
  p.box[1] = rows;
  p.swizzle = 3;
  CUresult r;
  CUtensorMap m = encode(p, &r);
  if (r) {
    printf("ERROR,tile %d\n", (int)r);
  }
  return m;
}

// Bytes a cycle of each SM that takes part, and the slowest's.
static void share(const char* what, const std::vector<Role>& r, const std::string& how, int span = 4) {
  CK(cudaMemcpy(roles, r.data(), kSms * sizeof(Role), cudaMemcpyHostToDevice));
  CK(cudaFuncSetAttribute(k_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  CUtensorMap m = tile(128);
  const int n = 32;
  for (int kind = 0; kind < 2; kind++) {
    double best = 0, slow = 0;
    for (int i = 0; i < (record ? 1 : 3); i++) {
      CK(cudaMemset(o, 0, 4 * kSms));
      double moved;
      if (kind == 0) {
        k_tiles<<<kSms, 128, kShared>>>(o, m, roles, n, span);
        moved = 4.0 * n * 16384;
      } else {
        k_loads<<<kSms, 1024>>>(o, (float4*)g, roles, 64, 512 << 10);
        moved = 64.0 * 16384;
      }
      sync();
      auto v = down(o, kSms);
      double sum = 0, most = 0;
      int k = 0;
      for (int sm = 0; sm < kSms; sm++) {
        if (v[sm]) {
          sum += moved / v[sm];
          most = std::max(most, (double)v[sm]);
          k++;
        }
      }
      if (sum / k > best) {
        best = sum / k, slow = moved / most;
      }
    }
    rec("L", what, best, "B/clk/SM", how + S("; slowest %.1f", slow), kind ? "k_loads" : "k_tiles");
  }
}
template <class F>
static std::vector<Role> by_gpc(F f) {
  std::vector<Role> r(kSms, Role{-1, 0});
  for (size_t q = 0; q < gpcs.size(); q++) {
    for (size_t i = 0; i < gpcs[q].size(); i++) {
      r[gpcs[q][i]] = f((int)q, (int)i, gpcs[q][i]);
    }
  }
  return r;
}

template <int PARTS>
static void pipeline(const char* what, const std::vector<int>& a, const std::vector<int>& b, int size,
                     int wrap, const std::string& how) {
  CK(cudaMemcpy(tiles_a, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
  CK(cudaMemcpy(tiles_b, b.data(), b.size() * 4, cudaMemcpyHostToDevice));
  auto k = k_pipeline<PARTS>;
  CK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  CUtensorMap ma = tile(128 / PARTS), mb = tile(64);
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(128);
  c.blockDim = dim3(64);
  c.dynamicSmemBytes = kShared;
  cudaLaunchAttribute at;
  at.id = cudaLaunchAttributeClusterDimension;
  at.val.clusterDim.x = PARTS;
  at.val.clusterDim.y = at.val.clusterDim.z = 1;
  c.attrs = &at;
  c.numAttrs = PARTS > 1;
  const int steps = 64;
  double best = 1e30, mean = 0;
  for (int i = 0; i < (record ? 1 : 4); i++) {
    CK(cudaLaunchKernelEx(&c, k, o, ma, mb, tiles_a, tiles_b, steps, size, wrap));
    sync();
    auto v = down(o, 128);
    double sum = 0;
    u32 most = 0;
    for (int j = 0; j < 128; j++) {
      sum += v[j];
      most = std::max(most, v[j]);
    }
    if (most < best) {
      best = most, mean = sum / 128;
    }
  }
  rec("L", what, best / steps, "cyc/step",
      how + S("; mean %.1f; %.1f B/clk/SM", mean / steps, 24576. * steps / mean), "k_pipeline");
}

int main(int argc, char**) {
  find_encoders();
  record = argc > 1;
  o = dmalloc<u32>(4096);
  g = dmalloc<char>(512 << 20);
  roles = dmalloc<Role>(kSms);
  tiles_a = dmalloc<int>(256);
  tiles_b = dmalloc<int>(256);
  CK(cudaMemset(g, 0, 512 << 20));
  if (!record) {
    find_gpcs();
    auto own = [](auto take) {
      return by_gpc([=](int q, int i, int sm) { return Role{take(q, i, sm) ? sm : -1, 0}; });
    };
    share("own_tiles", own([](int q, int i, int) { return q == 0 && i == 0; }), "one SM");
    share("own_tiles", own([](int q, int i, int) { return q == 0 && i < 2; }), "the SMs of a TPC");
    share("own_tiles", own([](int q, int i, int) { return q == 0 && (i == 0 || i == 2); }),
          "2 TPCs; one SM each");
    share("own_tiles", own([](int q, int i, int) { return q == 0 && (i == 0 || i == 8); }),
          "2 TPCs further apart; one SM each");
    share("own_tiles", own([](int q, int i, int) { return q == 0 && i < 6; }), "3 TPCs of a GPC");
    share("own_tiles", own([](int q, int i, int) { return q == 0 && i % 2 == 0; }),
          "a GPC; one SM of each TPC");
    share("own_tiles", own([](int q, int, int) { return q == 0; }), "a GPC");
    share("own_tiles", own([](int q, int i, int) { return i == 0 && q >= 0; }), "one SM of each GPC");
    share("own_tiles", own([](int q, int i, int) { return i < 2 && q >= 0; }), "one TPC of each GPC");
    share("own_tiles", own([](int q, int i, int) { return i < 8 && i % 2 == 0 && q >= 0; }),
          "one SM of 4 TPCs of each GPC");
    share("own_tiles", own([](int q, int i, int) { return i % 2 == 0 && q >= 0; }), "one SM of each TPC");
    share("own_tiles", own([](int, int, int) { return true; }), "all SMs");
    share("own_tiles", own([](int, int, int) { return true; }), "all SMs; one tile a warp", 1);
    for (int delay : {0, 100, 300, 1000, 3000}) {
      for (int of : {2, 4, 6, 18, 132}) {
        share("same_tiles", by_gpc([=](int q, int i, int) {
                return of == 132 ? Role{0, delay * (i + 18 * q) / 16} : Role{q * 9 + i / of, i % of * delay};
              }),
              S("all SMs; groups of %d SMs of a GPC; each %d cycles behind the one before", of,
                of == 132 ? delay / 16 : delay));
      }
      share("same_tiles", by_gpc([=](int q, int i, int) {
              return Role{i, q * delay};
            }),
            S("all SMs; groups of one SM of each GPC; each %d cycles behind the one before", delay));
    }
    for (int of : {2, 4, 6, 18}) {
      share("same_tiles", by_gpc([=](int q, int i, int) {
              return Role{q == 0 ? i / of : -1, 0};
            }),
            S("one GPC; groups of %d SMs", of));
    }
  } else {
    // By blocks, which come to the SMs in order: own tiles, pairs, all the same.
    for (int of : {1, 2, 4, 132}) {
      std::vector<Role> r(kSms);
      for (int sm = 0; sm < kSms; sm++) {
        r[sm] = {sm / of, 0};
      }
      share("recorded", r, S("groups of %d", of));
    }
  }
  std::vector<int> own_a(128), own_b(128), gemm_a(128), gemm_b(128), zero(128);
  for (int i = 0; i < 128; i++) {
    own_a[i] = own_b[i] = i;
  }
  pipeline<1>("pipeline_own", own_a, own_b, 1 << 14, 8,
              "no cluster; every block its own tiles; 64 steps of 24 KB");
  pipeline<2>("pipeline_own", own_a, own_b, 1 << 14, 8,
              "clusters of 2; every cluster its own tile of A; block of B");
  pipeline<4>("pipeline_own", own_a, own_b, 1 << 14, 8, "clusters of 4; likewise");
  for (int i = 0; i < 128; i++) {  // 8 x 16 tiles, neighbours in y
    gemm_a[i] = i / 16, gemm_b[i] = i % 16;
  }
  pipeline<1>("pipeline_gemm", gemm_a, gemm_b, 1024, 64,
              "no cluster; 8 x 16 tiles; blocks of a row beside each other");
  for (int i = 0; i < 64; i++) {
    gemm_a[i] = i / 8;
  }
  pipeline<2>("pipeline_gemm", gemm_a, gemm_b, 1024, 64,
              "clusters of 2; 8 x 16 tiles; blocks of a row beside each other");
  for (int i = 0; i < 64; i++) {
    gemm_a[i] = i % 8, gemm_b[2 * i] = i / 8 * 2, gemm_b[2 * i + 1] = i / 8 * 2 + 1;
  }
  pipeline<2>("pipeline_gemm", gemm_a, gemm_b, 1024, 64,
              "clusters of 2; 8 x 16 tiles; clusters of a column beside each other");
  pipeline<1>("pipeline_same", zero, zero, 1024, 64, "no cluster; all the same tiles");
  pipeline<2>("pipeline_same", zero, zero, 1024, 64, "clusters of 2; all the same tiles");
  return 0;
}
