// K. Clusters, mbarrier, bulk copies, cp.async.
#include "mb.h"
__device__ __forceinline__ u32 d32(u64 a) { return a > 0xffffffffull ? 0xffffffffu : (u32)a; }
__device__ __forceinline__ void cl_sync() { asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"); }
__device__ __forceinline__ u32 crank() { u32 r; asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(r)); return r; }
__device__ __forceinline__ u32 mapa(u32 a, u32 k) { u32 r; asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(r) : "r"(a), "r"(k)); return r; }
__global__ void k_dsm_lat(u32* o, int dist) { __shared__ u32 sm[64]; u32 n; asm volatile("mov.u32 %0,%%cluster_nctaid.x;" : "=r"(n)); u32 t = mapa(sptr(sm), (crank() + dist) % n); sm[threadIdx.x & 31] = 0; __syncthreads(); if (threadIdx.x == 0) sm[0] = 0; cl_sync(); u32 s = 0; u64 t0 = 0, t1 = 0; if (crank() == 0) for (int r = 0; r < 2; r++) { t0 = clk64();
#pragma unroll 1
      for (int i = 0; i < 64; i++) { u32 x; asm volatile("ld.shared::cluster.u32 %0,[%1];" : "=r"(x) : "r"(t + s) : "memory"); s = x; } t1 = clk64(); } cl_sync(); if (crank() == 0 && threadIdx.x == 0 && blockIdx.x == 0) { o[0] = d32(t1 - t0); o[1] = s; } }
// Every block streams from (or to) its neighbour: B/clk per SM. KIND 0 load 32, 1 load 128, 2 store 32, 3 store 128, 4 atomic add.
template <int KIND> __global__ void __launch_bounds__(1024) k_dsm_tp(u32* o, int n, int active, int dist, u32 zero) { extern __shared__ __align__(16) u32 sm[]; u32 nc; asm volatile("mov.u32 %0,%%cluster_nctaid.x;" : "=r"(nc)); u32 t = mapa(sptr(sm), (crank() + dist) % nc) + threadIdx.x * (KIND == 1 || KIND == 3 ? 16 : 4); for (int i = threadIdx.x; i < 24576; i += blockDim.x) sm[i] = 0; cl_sync(); u32 x = threadIdx.x; u64 t0 = 0, t1 = 0; if ((int)crank() < active) { __syncthreads(); t0 = clk64();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
      for (int j = 0; j < 8; j++) { u32 y, z, w, q, a = t + j * 4096; if (KIND == 0) { asm volatile("ld.shared::cluster.u32 %0,[%1];" : "=r"(y) : "r"(a) : "memory"); x ^= y; } if (KIND == 1) { asm volatile("ld.shared::cluster.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(y), "=r"(z), "=r"(w), "=r"(q) : "r"(a) : "memory"); x ^= y ^ z; x ^= w ^ q; } if (KIND == 2) asm volatile("st.shared::cluster.u32 [%0],%1;" ::"r"(a), "r"(x) : "memory"); if (KIND == 3) asm volatile("st.shared::cluster.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(a), "r"(x) : "memory"); if (KIND == 4) asm volatile("red.shared::cluster.add.u32 [%0],%1;" ::"r"(a), "r"(x) : "memory"); } t += zero; } __syncthreads(); t1 = clk64(); } cl_sync(); u64 t2 = clk64(); if (x == 0x1234567) o[5] = x; if (threadIdx.x == 0 && blockIdx.x == 0) { o[0] = d32(t1 - t0); o[1] = d32(t2 - t0); } }
__global__ void k_clbar(u32* o, int n) { u64 t0 = 0, t1 = 0; for (int r = 0; r < 2; r++) { cl_sync(); t0 = clk64();
#pragma unroll 1
    for (int i = 0; i < n; i++) cl_sync(); t1 = clk64(); } if (threadIdx.x == 0 && blockIdx.x == 0) o[0] = d32(t1 - t0); }
__device__ __forceinline__ void mwait(u32 b, u32 ph) { asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p,[%0],%1; @!p bra L;}" ::"r"(b), "r"(ph) : "memory"); }
__global__ void k_mbar(u32* o, int n) { __shared__ __align__(8) u64 bar; u32 b = sptr(&bar); if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0],%1;" ::"r"(b), "r"(blockDim.x)); __syncthreads(); u64 t0 = 0, t1 = 0, t2 = 0, t3 = 0; u32 ph = 0; for (int r = 0; r < 2; r++) { t0 = clk64();
#pragma unroll 1
    for (int i = 0; i < n; i++) { asm volatile("mbarrier.arrive.shared.b64 _,[%0];" ::"r"(b) : "memory"); mwait(b, ph); ph ^= 1; } t1 = clk64(); } // try_wait on a completed phase
  for (int r = 0; r < 2; r++) { t2 = clk64(); for (int i = 0; i < 16; i++) mwait(b, ph ^ 1); t3 = clk64(); } if (threadIdx.x == 0) { o[0] = d32(t1 - t0); o[1] = d32(t3 - t2); } }
// Bulk copy global -> shared by one thread: latency of one, and of m in flight.
__global__ void k_bulk(u32* o, const char* g, u32 bytes, int m, int iters, size_t gstride) { extern __shared__ __align__(128) char sb[]; __shared__ __align__(8) u64 bar; u32 b = sptr(&bar), s = sptr(sb); if (threadIdx.x == 0) { asm volatile("mbarrier.init.shared.b64 [%0],1;" ::"r"(b)); asm volatile("fence.mbarrier_init.release.cluster;"); u32 ph = 0; u64 t0 = 0, t1 = 0, ti = 0;
#pragma unroll 1
  for (int r = 0; r < 3; r++) { t0 = clk64();
#pragma unroll 1
    for (int k = 0; k < iters; k++) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" ::"r"(b), "r"(bytes * m) : "memory");
#pragma unroll 1
      for (int i = 0; i < m; i++) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(s + i * bytes), "l"(g + ((size_t)blockIdx.x * iters * m + k * m + i) * gstride), "r"(bytes), "r"(b) : "memory"); ti = clk64(); mwait(b, ph); ph ^= 1; } t1 = clk64(); } if (blockIdx.x == 0) { o[0] = d32(t1 - t0); o[1] = d32(ti - t0); } } }
// Two-stage pipelined bulk copies on all blocks: sustained rate.
template <int DEPTH> __global__ void k_bulktp(u64* tm, const char* g, u32 bytes, int total, u64 mask) { extern __shared__ __align__(128) char sb[]; __shared__ __align__(8) u64 bar[DEPTH]; if (threadIdx.x == 0) { u32 s = sptr(sb), b0 = sptr(bar); for (int i = 0; i < DEPTH; i++) asm volatile("mbarrier.init.shared.b64 [%0],1;" ::"r"(b0 + 8 * i)); asm volatile("fence.mbarrier_init.release.cluster;"); u64 t0 = 0, pos = (u64)blockIdx.x * bytes, adv = (u64)gridDim.x * bytes; auto iss = [&](int i) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" ::"r"(b0 + 8 * i), "r"(bytes) : "memory"); asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(s + i * bytes), "l"(g + (pos & mask)), "r"(bytes), "r"(b0 + 8 * i) : "memory"); pos += adv; };
    for (int i = 0; i < DEPTH; i++) iss(i); t0 = clk64(); u32 ph = 0;
#pragma unroll 1
    for (int k = 0; k < total; k++) {
#pragma unroll
      for (int i = 0; i < DEPTH; i++) { mwait(b0 + 8 * i, ph); iss(i); } ph ^= 1; } u64 t1 = clk64();
    for (int i = 0; i < DEPTH; i++) mwait(b0 + 8 * i, ph); tm[blockIdx.x] = t1 - t0; } }
// Bulk shared -> global store.
__global__ void k_bulkst(u32* o, char* g, u32 bytes, int iters) { extern __shared__ __align__(128) char sb[]; if (threadIdx.x == 0) { u64 t0 = 0, t1 = 0, t2 = 0;
#pragma unroll 1
  for (int r = 0; r < 3; r++) { t0 = clk64();
#pragma unroll 1
    for (int k = 0; k < iters; k++) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" ::"l"(g + (size_t)k * bytes), "r"(sptr(sb)), "r"(bytes) : "memory"); asm volatile("cp.async.bulk.commit_group;" ::: "memory"); } asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); t1 = clk64(); asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); t2 = clk64(); } o[0] = d32(t1 - t0); o[1] = d32(t2 - t0); } }
template <int BY, int CG> __global__ void k_ldgsts(u32* o, const char* g, int m, int iters, int adv) { extern __shared__ __align__(128) char sb[]; u32 s = sptr(sb) + threadIdx.x * BY; const char* p = g + threadIdx.x * BY; u64 t0 = 0, t1 = 0;
#pragma unroll 1
  for (int r = 0; r < 3; r++) { t0 = clk64();
#pragma unroll 1
    for (int k = 0; k < iters; k++) {
#pragma unroll 1
      for (int i = 0; i < m; i++) { u32 d = s + i * blockDim.x * BY; const char* q = p + (size_t)(k * m * adv + i) * blockDim.x * BY; if (CG) asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(d), "l"(q) : "memory"); else if (BY == 4) asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(d), "l"(q) : "memory"); else asm volatile("cp.async.ca.shared.global [%0],[%1],16;" ::"r"(d), "l"(q) : "memory"); } asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory"); } t1 = clk64(); } if (threadIdx.x == 0) o[0] = d32(t1 - t0); }
static u32* o; static char* g;
template <class... A> void cl(void (*k)(A...), int grid, int thr, size_t sm, int cs, A... a) { if (cs > 8) CK(cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)); cudaLaunchConfig_t c = {}; c.gridDim = grid; c.blockDim = thr; c.dynamicSmemBytes = sm; cudaLaunchAttribute at; at.id = cudaLaunchAttributeClusterDimension; at.val.clusterDim.x = cs; at.val.clusterDim.y = at.val.clusterDim.z = 1; c.attrs = &at; c.numAttrs = 1; CK(cudaLaunchKernelEx(&c, k, a...)); sync(); }
template <int K> void dtp(const char* nm) { CK(cudaFuncSetAttribute(k_dsm_tp<K>, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000)); for (int cs : {2, 4, 8}) for (int act : {1, cs}) for (int thr : {256, 1024}) { auto f = [&](int n, int w) { cl(k_dsm_tp<K>, cs, thr, (size_t)120000, cs, o, n, act, 1, 0u); return (double)down(o, 2)[w]; }; int w = K >= 2; double t = (f(40, w) - f(8, w)) / 32, by = 8.0 * thr * (K == 1 || K == 3 ? 16 : 4); rec("K", nm, by / t, "B/clk/SM", S("cluster %d; %d blocks active; %d threads; one cluster on the GPU", cs, act, thr), "k_dsm_tp"); } }
int main() { o = dmalloc<u32>(4096); g = dmalloc<char>(1u << 30); u64* tm = dmalloc<u64>(4096);
  for (int cs : {1, 2, 4, 8, 16}) for (int d = (cs > 1); d < cs; d += cs > 8 ? 5 : 1) { cl(k_dsm_lat, cs, 32, (size_t)0, cs, o, d); rec("K", "DSM_load_latency", down(o, 1)[0] / 64.0, "cyc", S("cluster %d; rank distance %d; incl. one IADD ~5", cs, d), "k_dsm_lat"); }
  dtp<0>("DSM_ld32"); dtp<1>("DSM_ld128"); dtp<2>("DSM_st32"); dtp<3>("DSM_st128"); dtp<4>("DSM_red32");
  for (int cs : {1, 2, 4, 8, 16}) for (int thr : {32, 256, 1024}) { cl(k_clbar, cs, thr, (size_t)0, cs, o, 64); rec("K", "cluster_barrier", down(o, 1)[0] / 64.0, "cyc", S("cluster %d; %d threads; arrive+wait loop", cs, thr), "k_clbar"); }
  for (int thr : {1, 32, 128, 1024}) { k_mbar<<<1, thr>>>(o, 64); sync(); auto r = down(o, 2); rec("K", "mbarrier_arrive_trywait_loop", r[0] / 64.0, "cyc", S("%d threads all arriving; try_wait on a completed phase alone %.1f", thr, r[1] / 16.0), "k_mbar"); }
  CK(cudaFuncSetAttribute(k_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000)); CK(cudaFuncSetAttribute(k_bulkst, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  for (u32 by : {16u, 64u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u, 32768u}) { k_bulk<<<1, 32, 200000>>>(o, g, by, 1, 1, by); sync(); auto r = down(o, 2); rec("K", "bulk_copy_latency(L2 hit)", r[0], "cyc", S("%u B; one copy; issue part %u", by, r[1]), "k_bulk"); if (by <= 16384) { k_bulk<<<1, 32, 200000>>>(o, g, by, 8, 1, by); sync(); r = down(o, 2); rec("K", "bulk_copy_latency(L2 hit)", r[0], "cyc", S("%u B; 8 copies in flight; issue part %u", by, r[1]), "k_bulk"); } }
  auto bt = [&](auto D) { constexpr int dep = decltype(D)::value; CK(cudaFuncSetAttribute(k_bulktp<dep>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000)); for (u32 by : {64u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u, 32768u}) { if (by * dep > 190000) continue; for (int grid : {1, nsm()}) for (u64 foot : {(u64)16 << 20, (u64)1 << 30}) { if (foot > (64u << 20) && grid == 1) continue; int tot = 200; for (int r = 0; r < 2; r++) k_bulktp<dep><<<grid, 32, by * dep + 1024>>>(tm, g, by, tot, foot - 1); sync(); auto r = down(tm, grid); double t = *std::max_element(r.begin(), r.end()) / (double)(tot * dep); rec("K", foot > (64u << 20) ? "bulk_copy_rate_DRAM" : "bulk_copy_rate_L2", by * (double)grid / t, "B/clk", S("%u B copies; depth %d; %d SMs; %.2f B/clk/SM; %.1f cyc per copy", by, dep, grid, by / t, t), "k_bulktp"); } } };
  bt(std::integral_constant<int, 1>()); bt(std::integral_constant<int, 2>()); bt(std::integral_constant<int, 4>()); bt(std::integral_constant<int, 8>()); bt(std::integral_constant<int, 16>());
  for (u32 by : {128u, 1024u, 8192u, 32768u}) for (int it : {1, 8}) { k_bulkst<<<1, 32, by + 1024>>>(o, g, by, it); sync(); auto r = down(o, 2); rec("K", "bulk_store_latency", r[1], "cyc", S("%u B x %d; source-read done %u", by, it, r[0]), "k_bulkst"); }
  for (int thr : {32, 128, 512}) for (int m : {1, 4}) { k_ldgsts<4, 0><<<1, thr, 40000>>>(o, g, m, 32, 0); sync(); rec("K", "cp.async_4B_ca_L1hit", down(o, 1)[0] / 32.0, "cyc", S("%d threads; %d per group; commit+wait each", thr, m), "k_ldgsts"); k_ldgsts<16, 0><<<1, thr, 40000>>>(o, g, m, 32, 0); sync(); rec("K", "cp.async_16B_ca_L1hit", down(o, 1)[0] / 32.0, "cyc", S("%d threads; %d per group; commit+wait each", thr, m), "k_ldgsts"); k_ldgsts<16, 1><<<1, thr, 40000>>>(o, g, m, 32, 1); sync(); rec("K", "cp.async_16B_cg_L2hit", down(o, 1)[0] / 32.0, "cyc", S("%d threads; %d per group; commit+wait each", thr, m), "k_ldgsts"); }
  return 0; }
