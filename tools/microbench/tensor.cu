// K. Tensor-map copies: latency by box, rate by box and number of SMs, multicast, stores and reductions, how
// many descriptors are at hand. Not part of run.py: nvcc -O2 -std=c++17 -arch=sm_90a tensor.cu;
// results/h200_tensor.csv.
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
__device__ __forceinline__ void load5(u32 s, const CUtensorMap* m, int x, int y, u32 b) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0],[%1,{%2,%3,%4,%4,%4}],[%5];" ::"r"(s),
      "l"(m), "r"(x), "r"(y), "r"(0), "r"(b)
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

// One copy after the other: from the barrier's arming to the end of the wait. o: least, first, mean, issue.
template <int RANK>
__global__ void k_latency(u32* o, const __grid_constant__ CUtensorMap m, u32 bytes, int n, int dy) {
  extern __shared__ __align__(1024) char s[];
  __shared__ __align__(8) u64 bar;
  if (threadIdx.x) {
    return;
  }
  u32 b = sptr(&bar);
  minit(b, 1);
  init_fence();
  u32 best = ~0u, first = 0, issue = 0;
  u64 sum = 0;
  for (int i = 0, y = 0; i < n; i++, y += dy) {
    expect(b, bytes);
    u64 t1 = clk64();
    RANK == 2 ? load2(sptr(s), &m, 0, y, b) : load5(sptr(s), &m, 0, y, b);
    u64 t2 = clk64();
    mwait(b, i & 1);
    u32 d = (u32)(clk64() - t1);
    first = i ? first : d;
    best = d < best ? d : best;
    issue = (u32)(t2 - t1);
    sum += d;
  }
  o[0] = best;
  o[1] = first;
  o[2] = (u32)(sum / n);
  o[3] = issue;
}

// Every warp keeps two copies in flight, over `span` tiles of its own. o[block]: cycles of `n` copies a warp.
__global__ void k_rate(u32* o, const __grid_constant__ CUtensorMap m, u32 bytes, int n, int dy, int span,
                       int shared_tiles) {
  extern __shared__ __align__(1024) char s[];
  __shared__ __align__(8) u64 bar[32];
  const u32 w = threadIdx.x / 32, warps = blockDim.x / 32, b = sptr(&bar[2 * w]),
            to = sptr(s) + 2 * w * bytes;
  u64 t = bar_clk();
  if (threadIdx.x % 32 == 0) {
    minit(b, 1);
    minit(b + 8, 1);
    init_fence();
    const int first = shared_tiles ? 0 : (int)(blockIdx.x * warps + w) * span * dy, end = first + span * dy;
    int y = first;
    for (int i = 0; i < n; i += 2) {
      if (i) {
        mwait(b, (i / 2 - 1) & 1);
      }
      expect(b, bytes);
      load2(to, &m, 0, y, b);
      y = y + dy == end ? first : y + dy;
      if (i) {
        mwait(b + 8, (i / 2 - 1) & 1);
      }
      expect(b + 8, bytes);
      load2(to + bytes, &m, 0, y, b + 8);
      y = y + dy == end ? first : y + dy;
    }
    mwait(b, (n / 2 - 1) & 1);
    mwait(b + 8, (n / 2 - 1) & 1);
  }
  u64 e = bar_clk();
  if (threadIdx.x == 0) {
    o[blockIdx.x] = (u32)(e - t);
  }
}

// Every block of a cluster gets all of a tile: each loads its part for all, or all of it for itself.
__global__ void k_multicast(u32* o, const __grid_constant__ CUtensorMap m, u32 bytes, int rows, int n,
                            int parts, int all) {
  extern __shared__ __align__(1024) char s[];
  __shared__ __align__(8) u64 bar[2];
  u32 rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    minit(sptr(&bar[0]), 1);
    minit(sptr(&bar[1]), 1);
    init_fence();
  }
  cluster_barrier();
  u64 t = clk64();
  const int first = (int)(blockIdx.x / parts) * 4 * rows;
  const u32 part = bytes / parts;
  for (int i = 0; i < n; i++) {
    const u32 b = sptr(&bar[i & 1]), to = sptr(s) + (i & 1) * bytes;
    const int y = first + (i & 3) * rows;
    if (threadIdx.x == 0) {
      expect(b, bytes);
      if (all) {
        load2_all(to + rank * part, &m, 0, y + (int)rank * rows / parts, b,
                  (unsigned short)((1 << parts) - 1));
      } else {
        for (int j = 0; j < parts; j++) {
          load2(to + j * part, &m, 0, y + j * rows / parts, b);
        }
      }
      mwait(b, i / 2 & 1);
    }
    cluster_barrier();  // nobody writes into a buffer that a neighbour still waits for
  }
  if (threadIdx.x == 0) {
    o[blockIdx.x] = (u32)(clk64() - t);
  }
}

// Stores. KIND 0: tensor store, 1: tensor reduction (add), 2: bulk store. o: until read, until done;
// k_store_rate: cycles.
template <int KIND>
__device__ __forceinline__ void put(const CUtensorMap* m, char* g, u32 s, u32 bytes, int y) {
  if (KIND == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0,{%1,%2}],[%3];" ::"l"(m),
                 "r"(0), "r"(y), "r"(s)
                 : "memory");
  } else if (KIND == 1) {
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0,{%1,%2}],[%3];" ::"l"(m),
        "r"(0), "r"(y), "r"(s)
        : "memory");
  } else {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" ::"l"(g + (size_t)y * 128),
                 "r"(s), "r"(bytes)
                 : "memory");
  }
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int KIND>
__global__ void k_store(u32* o, const __grid_constant__ CUtensorMap m, char* g, u32 bytes) {
  extern __shared__ __align__(1024) char s[];
  if (threadIdx.x) {
    return;
  }
  u32 read = ~0u, done = ~0u;
  for (int i = 0; i < 16; i++) {
    u64 t = clk64();
    put<KIND>(&m, g, sptr(s), bytes, 0);
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    u32 d = (u32)(clk64() - t);
    read = d < read ? d : read;
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    d = (u32)(clk64() - t);
    done = d < done ? d : done;
  }
  o[0] = read;
  o[1] = done;
}
template <int KIND>
__global__ void k_store_rate(u32* o, const __grid_constant__ CUtensorMap m, char* g, u32 bytes, int n,
                             int dy) {
  extern __shared__ __align__(1024) char s[];
  if (threadIdx.x) {
    return;
  }
  u64 t = clk64();
  for (int i = 0, y = (int)blockIdx.x * 8 * dy; i < n; i++) {
    put<KIND>(&m, g, sptr(s), bytes, y + (i & 7) * dy);
    asm volatile("cp.async.bulk.wait_group.read 4;" ::: "memory");
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  o[blockIdx.x] = (u32)(clk64() - t);
}

// `n` descriptors in global memory in turn. o[r]: mean latency of round r.
__global__ void k_descriptors(u32* o, const CUtensorMap* m, u32 bytes, int n) {
  extern __shared__ __align__(1024) char s[];
  __shared__ __align__(8) u64 bar;
  if (threadIdx.x) {
    return;
  }
  u32 b = sptr(&bar);
  minit(b, 1);
  init_fence();
  for (int r = 0, ph = 0; r < 4; r++) {
    u64 sum = 0;
    for (int i = 0; i < n; i++, ph ^= 1) {
      expect(b, bytes);
      u64 t = clk64();
      load2(sptr(s), m + i, 0, 0, b);
      mwait(b, ph);
      sum += clk64() - t;
    }
    o[r] = (u32)(sum / n);
  }
}

static u32* o;
static char* g;
constexpr u64 kPitch = 128;  // tiles of 128 bytes a row, one behind the other, unless said otherwise
static CUtensorMap tile(u32 inner, u32 rows, int swizzle = 0, u64 pitch = kPitch, int type = 0,
                        u32 rank = 2) {
  Map p;
  const u32 size = type == 0 ? 1 : type == 1 ? 2 : 4;
  p.type = type;
  p.rank = rank;
  p.address = (u64)g;
  p.dim[0] = pitch / size;
  p.dim[1] = (256 << 20) / pitch;
  p.stride[0] = pitch;
  p.stride[1] = p.stride[2] = p.stride[3] = 1 << 20;
  p.box[0] = inner / size;
  p.box[1] = rows;
  p.swizzle = swizzle;
  CUresult r;
  CUtensorMap m = encode(p, &r);
  if (r) {
    printf("ERROR,tile %u x %u: %d\n", inner, rows, (int)r);
  }
  return m;
}
static double most(int n) {
  auto v = down(o, n);
  return *std::max_element(v.begin(), v.end());
}
template <class F>
static double best_of(int times, F f) {
  double b = 1e30;
  for (int i = 0; i < times; i++) {
    b = std::min(b, f());
  }
  return b;
}
constexpr int kShared = 200 * 1024;
template <class K>
static K big(K k) {
  CK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  return k;
}

static void latencies() {
  for (u32 inner : {16u, 32u, 64u, 128u, 256u}) {
    for (u32 rows : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 256u}) {
      CUtensorMap m = tile(inner, rows, 0, 8192);
      for (int i = 0; i < 2; i++) {
        big(k_latency<2>)<<<1, 32, kShared>>>(o, m, inner * rows, 32, 0);
        sync();
      }
      auto r = down(o, 4);
      rec("K", "tensor_load_latency", r[0], "cyc",
          S("L2 hits; %u rows of %u bytes; first %u; mean %u; issue %u", rows, inner, r[1], r[2], r[3]),
          "k_latency");
    }
  }
  CUtensorMap m = tile(128, 64, 3, 8192, 1, 5);
  for (int i = 0; i < 2; i++) {
    big(k_latency<5>)<<<1, 32, kShared>>>(o, m, 8192, 32, 0);
    sync();
  }
  rec("K", "tensor_load_latency_5d", down(o, 1)[0], "cyc", "L2 hits; 64 rows of 128 bytes", "k_latency");
  for (int sw : {1, 2, 3}) {
    const u32 inner = 16u << sw;
    CUtensorMap x = tile(inner, 64, sw, 8192, 1);
    for (int i = 0; i < 2; i++) {
      k_latency<2><<<1, 32, kShared>>>(o, x, inner * 64, 32, 0);
      sync();
    }
    rec("K", "tensor_load_latency_swizzle", down(o, 1)[0], "cyc",
        S("L2 hits; swizzle %u bytes; 64 rows of %u bytes", inner, inner), "k_latency");
  }
  CUtensorMap out = tile(128, 64, 3, 8192, 1);
  k_latency<2><<<1, 32, kShared>>>(o, out, 8192, 16, 1 << 24);
  sync();
  rec("K", "tensor_load_latency_outside", down(o, 1)[0], "cyc",
      "64 rows of 128 bytes, all but the first copy outside the tensor", "k_latency");
}
static void rates() {
  big(k_rate);
  for (int shared_tiles : {0, 1}) {
    for (int blocks : {1, 33, 66, 132}) {
      for (u32 inner : {32u, 64u, 128u}) {
        for (u32 rows : {16u, 64u, 128u}) {
          if (shared_tiles && (blocks != 132 || inner != 128)) {
            continue;
          }
          const u32 bytes = inner * rows;
          const int warps = 4, n = 64, span = 4;
          CUtensorMap m = tile(inner, rows);
          double c = best_of(3, [&] {
            k_rate<<<blocks, 32 * warps, kShared>>>(o, m, bytes, n, rows, span, shared_tiles);
            sync();
            return most(blocks);
          });
          rec("K", shared_tiles ? "tensor_load_rate_same_tiles" : "tensor_load_rate",
              (double)bytes * n * warps / c, "B/clk/SM",
              S("L2 hits; %d SMs; %u rows of %u bytes; %.1f cycles a copy; %.2f a row", blocks, rows, inner,
                c / (n * warps), c / (n * warps) / rows),
              "k_rate");
        }
      }
    }
  }
}
static void multicasts() {
  big(k_multicast);
  CK(cudaFuncSetAttribute(k_multicast, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (int blocks : {1, 0}) {
    for (int parts : {2, 4, 8}) {
      for (int all : {0, 1}) {
        const u32 rows = 256, bytes = rows * 128;
        const int n = 64, grid = blocks ? parts : 128;
        CUtensorMap m = tile(128, rows / parts, 3, kPitch, 1);
        cudaLaunchConfig_t c = {};
        c.gridDim = dim3(grid);
        c.blockDim = dim3(32);
        c.dynamicSmemBytes = kShared;
        cudaLaunchAttribute a;
        a.id = cudaLaunchAttributeClusterDimension;
        a.val.clusterDim.x = parts;
        a.val.clusterDim.y = a.val.clusterDim.z = 1;
        c.attrs = &a;
        c.numAttrs = 1;
        double t = best_of(3, [&] {
          CK(cudaLaunchKernelEx(&c, k_multicast, o, m, bytes, (int)rows, n, parts, all));
          sync();
          return most(grid);
        });
        rec("K", all ? "tensor_multicast" : "tensor_no_multicast", t / n, "cyc/tile",
            S("tile of 32 KB for every block of clusters of %d; %d blocks; %.1f B/clk/SM", parts, grid,
              bytes * n / t),
            "k_multicast");
      }
    }
  }
}
template <int KIND>
static void stores(const char* what) {
  big(k_store<KIND>);
  big(k_store_rate<KIND>);
  for (u32 rows : {1u, 8u, 64u, 128u}) {
    CUtensorMap m = tile(128, rows, 3, kPitch, KIND == 1 ? 2 : 1);
    for (int i = 0; i < 2; i++) {
      k_store<KIND><<<1, 32, kShared>>>(o, m, g, 128 * rows);
      sync();
    }
    auto r = down(o, 2);
    double one = best_of(3, [&] {
      k_store_rate<KIND><<<1, 32, kShared>>>(o, m, g, 128 * rows, 128, rows);
      sync();
      return most(1);
    });
    double all = best_of(3, [&] {
      k_store_rate<KIND><<<132, 32, kShared>>>(o, m, g, 128 * rows, 128, rows);
      sync();
      return most(132);
    });
    rec("K", what, r[1], "cyc",
        S("%u rows of 128 bytes; read %u; rate one SM %.2f B/clk; 132 SMs %.2f B/clk/SM", rows, r[0],
          16384.0 * rows / one, 16384.0 * rows / all),
        "k_store");
  }
}
static void descriptors() {
  auto* d = dmalloc<CUtensorMap>(1024);
  std::vector<CUtensorMap> v(1024, tile(128, 8));
  CK(cudaMemcpy(d, v.data(), v.size() * sizeof v[0], cudaMemcpyHostToDevice));
  big(k_descriptors);
  for (int n : {1, 2, 4, 6, 8, 9, 10, 12, 16, 32, 128, 512, 1024}) {
    k_descriptors<<<1, 32, kShared>>>(o, d, 1024, n);
    sync();
    auto r = down(o, 4);
    rec("K", "tensor_descriptors", r[2], "cyc",
        S("%d descriptors in global memory in turn; 8 rows of 128 bytes; rounds %u %u %u %u", n, r[0], r[1],
          r[2], r[3]),
        "k_descriptors");
  }
}
int main() {
  find_encoders();
  o = dmalloc<u32>(4096);
  g = dmalloc<char>(512 << 20);
  latencies();
  rates();
  multicasts();
  stores<0>("tensor_store");
  stores<1>("tensor_reduction");
  stores<2>("bulk_store");
  descriptors();
  return 0;
}
