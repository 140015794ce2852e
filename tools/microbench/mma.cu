// A (tensor). mma.sync latency/rate, ldmatrix, movmatrix, WGMMA rate and completion latency.
#include "mb.h"
#include "wgmma_gen.h"
struct H16816F32 { static constexpr const char* name = "HMMA.16816.F32"; typedef float C; static constexpr int NC = 4; template <class T> static __device__ __forceinline__ void go(T* c, const u32* a) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5])); } };
struct H16816F16 { static constexpr const char* name = "HMMA.16816.F16"; typedef u32 C; static constexpr int NC = 2; template <class T> static __device__ __forceinline__ void go(T* c, const u32* a) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};" : "+r"(c[0]), "+r"(c[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5])); } };
struct H1688F32 { static constexpr const char* name = "HMMA.1688.F32"; typedef float C; static constexpr int NC = 4; template <class T> static __device__ __forceinline__ void go(T* c, const u32* a) { asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[4])); } };
struct HBF16 { static constexpr const char* name = "HMMA.16816.F32.BF16"; typedef float C; static constexpr int NC = 4; template <class T> static __device__ __forceinline__ void go(T* c, const u32* a) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5])); } };
struct HTF32 { static constexpr const char* name = "HMMA.1688.F32.TF32"; typedef float C; static constexpr int NC = 4; template <class T> static __device__ __forceinline__ void go(T* c, const u32* a) { asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5])); } };
struct I16832 { static constexpr const char* name = "IMMA.16832.S8"; typedef u32 C; static constexpr int NC = 4; template <class T> static __device__ __forceinline__ void go(T* c, const u32* a) { asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5])); } };
struct I16816 { static constexpr const char* name = "IMMA.16816.S8"; typedef u32 C; static constexpr int NC = 4; template <class T> static __device__ __forceinline__ void go(T* c, const u32* a) { asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[4])); } };
struct D884 { static constexpr const char* name = "DMMA.884"; typedef double C; static constexpr int NC = 2; template <class T> static __device__ __forceinline__ void go(T* c, const u32* a) { double x = __hiloint2double(a[0], a[1]), y = __hiloint2double(a[2], a[3]); asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};" : "+d"(c[0]), "+d"(c[1]) : "d"(x), "d"(y)); } };
struct D16816 { static constexpr const char* name = "DMMA.16x8x16"; typedef double C; static constexpr int NC = 4; template <class T> static __device__ __forceinline__ void go(T* c, const u32* a) { double x = __hiloint2double(a[0], a[1]), y = __hiloint2double(a[2], a[3]); asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%4,%5,%4,%5,%4,%5},{%4,%5,%4,%5},{%0,%1,%2,%3};" : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(x), "d"(y)); } };
template <class M, int ILP> __global__ void __launch_bounds__(1024) k_mma(u32* o, const u32* in, int n) { typename M::C c[ILP][M::NC]; u32 a[6], t0, t1; for (int i = 0; i < 6; i++) a[i] = in[i * 32 + (threadIdx.x & 31)];
  for (int i = 0; i < ILP; i++) for (int j = 0; j < M::NC; j++) c[i][j] = 0;
  for (int r = 0; r < 2; r++) { t0 = (u32)bar_clk();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int u = 0; u < 32 / ILP; u++)
#pragma unroll
        for (int i = 0; i < ILP; i++) M::go(c[i], a); }
    t1 = (u32)bar_clk(); }
  typename M::C s = 0; for (int i = 0; i < ILP; i++) for (int j = 0; j < M::NC; j++) s += c[i][j]; if (s == (typename M::C)12345) o[5] = 1; if (threadIdx.x == 0) o[0] = t1 - t0; }
static u32 *o, *in;
template <class M, int ILP> void mm(int warps) { auto f = [&](int n) { k_mma<M, ILP><<<1, 32 * warps>>>(o, in, n); sync(); return (double)down(o, 1)[0]; }; Stat s = best(3, [&] { return (f(20) - f(4)) / (16.0 * 32 * std::max(1, warps / 4)); }); rec("A", M::name, s.mn, warps == 1 ? "cyc/instr" : "cyc/warp-instr/subcore", S("%d warps per SM; %d independent accumulators", warps, ILP), "k_mma", 3, s.spread); }
template <class M> void mma() { mm<M, 1>(1); mm<M, 2>(1); mm<M, 4>(1); mm<M, 1>(4); mm<M, 4>(4); mm<M, 1>(8); mm<M, 4>(8); mm<M, 2>(16); mm<M, 4>(16); mm<M, 1>(32); }
// ldmatrix: dependent chain through the address (self-pointing rows), and throughput.
template <int X> __global__ void __launch_bounds__(1024) k_ldsm(u32* o, int n, u32 rowStride, int dep) { extern __shared__ __align__(16) u32 sm[]; u32 l = threadIdx.x & 31, a = sptr(sm) + l * rowStride, t0, t1, x = 0; for (int i = threadIdx.x; i < 8192; i += blockDim.x) sm[i] = 0;
  for (int r = 0; r < 2; r++) { t0 = (u32)bar_clk();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int i = 0; i < 16; i++) { u32 q[4] = {}; u32 b = a + i * 16 * (dep == 0); if (X == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];" : "=r"(q[0]) : "r"(b)); if (X == 2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];" : "=r"(q[0]), "=r"(q[1]) : "r"(b)); if (X == 4) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(b)); if (dep) a += q[0]; else x ^= q[0] ^ q[1] ^ q[2] ^ q[3]; } a += x; }
    t1 = (u32)bar_clk(); }
  if (x + a == 12345) o[9] = x; if (threadIdx.x == 0) o[0] = t1 - t0; }
template <int X> void ldsm() { for (int d = 1; d >= 0; d--) for (int w : {1, 4, 16, 32}) { if (d && w > 1) continue; for (u32 st : {16u, 32u, 128u}) { auto f = [&](int n) { k_ldsm<X><<<1, 32 * w, 32768>>>(o, n, st, d); sync(); return (double)down(o, 1)[0]; }; Stat s = best(3, [&] { return (f(20) - f(4)) / (16.0 * 16 * w); }); rec("A", S("LDSM.x%d_%s", X, d ? "latency(+IADD)" : "throughput"), s.mn, d ? "cyc" : "cyc/warp-instr/SM", S("row stride %u B; %d warps", st, w), "k_ldsm", 3, s.spread); } } }
__global__ void k_movm(u32* o, int n, int ilp) { u32 x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3, t0, t1; for (int r = 0; r < 2; r++) { t0 = (u32)bar_clk();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int i = 0; i < 32; i++) { asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%0; lop3.b32 %0,%0,%1,%1,0x2d;" : "+r"(x) : "r"(y)); } } t1 = (u32)bar_clk(); } o[threadIdx.x + 1] = x + y + z + w; if (threadIdx.x == 0) o[0] = t1 - t0; }
// WGMMA: n back-to-back async instructions then one wait (rate), or wait after each (latency).
template <int N, int RS> __global__ void __launch_bounds__(128) k_wg(u32* o, int n, int waitEach) { extern __shared__ __align__(1024) char smw[]; for (int i = threadIdx.x; i < 16384; i += 128) ((u32*)smw)[i] = 0; asm volatile("fence.proxy.async.shared::cta;"); __syncthreads();
  auto desc = [](u32 p) { return ((u64)((p & 0x3ffff) >> 4)) | ((u64)(128 >> 4) << 16) | ((u64)(256 >> 4) << 32); }; u64 da = desc(sptr(smw)), db = desc(sptr(smw) + 8192); float d[N / 2]; for (int i = 0; i < N / 2; i++) d[i] = 0; u64 t0 = 0, t1 = 0, ti = 0; u32 ra[4] = {};
  for (int r = 0; r < 2; r++) { t0 = bar_clk(); asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int u = 0; u < 4; u++) { WG<N, RS>::go(d, da, db, ra); asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); if (waitEach) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); } }
    ti = clk64(); asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); t1 = clk64(); }
  float s = 0; for (int i = 0; i < N / 2; i++) s += d[i]; if (s == 1.25f) o[9] = 1; if (threadIdx.x == 0) { u32* q = o + 16 + blockIdx.x * 4; q[0] = (u32)(t1 - t0); q[1] = (u32)(ti - t0); } }
template <int N, int RS> void wg() { CK(cudaFuncSetAttribute(k_wg<N, RS>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)); auto f = [&](int n, int we, int g, int idx) { k_wg<N, RS><<<g, 128, 65536>>>(o, n, we); sync(); return (double)down(o, 32)[16 + idx]; }; const char* ab = RS ? "A in registers" : "A+B in shared";
  Stat s = best(3, [&] { return (f(40, 0, 1, 0) - f(8, 0, 1, 0)) / 128.0; }); rec("A", S("HGMMA.64x%dx16.F32", N), s.mn, "cyc/instr", S("rate; one warpgroup; %s", ab), "k_wg", 3, s.spread);
  s = best(3, [&] { return (f(40, 1, 1, 0) - f(8, 1, 1, 0)) / 128.0; }); rec("A", S("HGMMA.64x%dx16.F32", N), s.mn, "cyc/instr", S("commit+wait after each; %s", ab), "k_wg", 3, s.spread);
  for (int n : {1, 2, 4, 8}) { rec("A", S("HGMMA.64x%dx16.F32", N), f(n, 0, 1, 0), "cyc", S("total for %d instrs incl. fence and wait; %s; issued by %.0f", 4 * n, ab, f(n, 0, 1, 1)), "k_wg"); }
  s = best(3, [&] { return (f(400, 0, 4 * nsm(), 0) - f(80, 0, 4 * nsm(), 0)) / 1280.0; }); rec("A", S("HGMMA.64x%dx16.F32", N), s.mn, "cyc/instr", S("rate per warpgroup; up to 3-4 warpgroups per SM; all SMs; %s", ab), "k_wg", 3, s.spread); }
int main() { o = dmalloc<u32>(1 << 16); in = dmalloc<u32>(1024); std::vector<u32> h(1024, 0x2c003c00); CK(cudaMemcpy(in, h.data(), 4096, cudaMemcpyHostToDevice));
  mma<H16816F32>(); mma<H16816F16>(); mma<H1688F32>(); mma<HBF16>(); mma<HTF32>(); mma<I16832>(); mma<I16816>(); mma<D884>(); mma<D16816>(); ldsm<1>(); ldsm<2>(); ldsm<4>();
  auto f = [&](int n) { k_movm<<<1, 32>>>(o, n, 1); sync(); return (double)down(o, 1)[0]; }; Stat s = best(3, [&] { return (f(20) - f(4)) / (16.0 * 32); }); rec("A", "MOVM+LOP3", s.mn, "cyc", "dependent pair; 1 warp", "k_movm", 3, s.spread);
  auto g = [&](int n) { k_movm<<<1, 1024>>>(o, n, 1); sync(); return (double)down(o, 1)[0]; }; s = best(3, [&] { return (g(20) - g(4)) / (16.0 * 32 * 8); }); rec("A", "MOVM_throughput", s.mn, "cyc/warp-instr/subcore", "8 warps/subcore", "k_movm", 3, s.spread);
  wg<8, 0>(); wg<16, 0>(); wg<32, 0>(); wg<64, 0>(); wg<128, 0>(); wg<256, 0>(); wg<64, 1>(); wg<128, 1>(); wg<256, 1>(); return 0; }
