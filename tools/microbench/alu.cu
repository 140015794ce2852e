// A. Dependent-issue latency and throughput of the scalar pipes.
// A block of inline PTX works on a state (x, y) with operands a, b; each intermediate is used twice so that ptxas cannot fuse
// neighbouring operations. K counts the measured instructions of one block. Check with the SASS listing (sass.py).
#include "mb.h"
#define OP32(N, KK, A) struct N { typedef u32 T; static constexpr int K = KK; static constexpr const char* name = #N; \
  static __device__ __forceinline__ void step(u32& x, u32& y, u32 a, u32 b) { asm volatile(A : "+r"(x), "+r"(y) : "r"(a), "r"(b)); } };
#define OP64(N, KK, A) struct N { typedef u64 T; static constexpr int K = KK; static constexpr const char* name = #N; \
  static __device__ __forceinline__ void step(u64& x, u64& y, u64 a, u64 b) { asm volatile(A : "+l"(x), "+l"(y) : "l"(a), "l"(b)); } };
OP32(IADD3, 2, "add.u32 %1,%0,%1; add.u32 %0,%1,%0;")
OP32(IADD3_3in, 2, "{.reg .u32 t; add.u32 t,%0,%1; add.u32 %1,t,%2; add.u32 t,%1,%0; add.u32 %0,t,%3;}")
OP32(LOP3, 2, "lop3.b32 %1,%0,%1,%2,0x1b; lop3.b32 %0,%1,%0,%3,0x2d;")
OP32(SHF, 2, "shf.l.wrap.b32 %1,%0,%1,%2; shf.l.wrap.b32 %0,%1,%0,%3;")
OP32(SHL_SHR, 2, "shl.b32 %1,%0,%2; shr.u32 %0,%1,%3;")
OP32(LEA, 2, "{.reg .u32 t; shl.b32 t,%0,3; add.u32 %1,t,%1; shl.b32 t,%1,5; add.u32 %0,t,%0;}")
OP32(ISETP_SEL, 4, "{.reg .pred p; setp.lt.u32 p,%0,%1; selp.b32 %1,%2,%0,p; setp.lt.u32 p,%1,%0; selp.b32 %0,%3,%1,p;}")
OP32(FSETP_SEL, 4, "{.reg .pred p; setp.lt.f32 p,%0,%1; selp.b32 %1,%2,%0,p; setp.lt.f32 p,%1,%0; selp.b32 %0,%3,%1,p;}")
OP32(VIMNMX, 2, "min.s32 %1,%0,%2; max.s32 %0,%1,%3;")
OP32(FMNMX, 2, "min.f32 %1,%0,%2; max.f32 %0,%1,%3;")
OP32(PRMT, 2, "prmt.b32 %1,%0,%1,%2; prmt.b32 %0,%1,%0,%3;")
OP32(IMAD, 2, "mad.lo.u32 %1,%0,%2,%1; mad.lo.u32 %0,%1,%3,%0;")
OP32(IMUL, 2, "mul.lo.u32 %1,%0,%2; mul.lo.u32 %0,%1,%0;")
OP32(IMAD_HI, 2, "mad.hi.u32 %1,%0,%2,%1; mad.hi.u32 %0,%1,%3,%0;")
OP64(IMAD_WIDE, 2, "{.reg .b32 l,h,c,d; mov.b64 {l,h},%0; mov.b64 {c,d},%2; mad.wide.s32 %1,l,c,%3; mov.b64 {l,h},%1; mad.wide.s32 %0,l,d,%2;}")
OP64(IADD64, 2, "add.u64 %1,%0,%1; add.u64 %0,%1,%0;")
OP32(FADD, 2, "add.f32 %1,%0,%1; add.f32 %0,%1,%0;")
OP32(FMUL, 2, "mul.f32 %1,%0,%1; mul.f32 %0,%1,%0;")
OP32(FFMA, 2, "fma.rn.f32 %1,%0,%2,%1; fma.rn.f32 %0,%1,%3,%0;")
OP32(FFMA_IMM, 2, "fma.rn.f32 %1,%0,0f3F810000,%1; fma.rn.f32 %0,%1,0f3F820000,%0;")
OP32(HFMA2, 2, "fma.rn.f16x2 %1,%0,%2,%1; fma.rn.f16x2 %0,%1,%3,%0;")
OP32(HFMA2_BF16, 2, "fma.rn.bf16x2 %1,%0,%2,%1; fma.rn.bf16x2 %0,%1,%3,%0;")
OP32(HADD2, 2, "add.f16x2 %1,%0,%1; add.f16x2 %0,%1,%0;")
OP32(HMUL2, 2, "mul.f16x2 %1,%0,%1; mul.f16x2 %0,%1,%0;")
OP64(DADD, 2, "add.f64 %1,%0,%1; add.f64 %0,%1,%0;")
OP64(DMUL, 2, "mul.f64 %1,%0,%1; mul.f64 %0,%1,%0;")
OP64(DFMA, 2, "fma.rn.f64 %1,%0,%2,%1; fma.rn.f64 %0,%1,%3,%0;")
OP64(DSETP_SEL, 4, "{.reg .pred p; setp.lt.f64 p,%0,%1; selp.b64 %1,%2,%0,p; setp.lt.f64 p,%1,%0; selp.b64 %0,%3,%1,p;}")
OP32(MUFU_RCP_FADD, 4, "rcp.approx.ftz.f32 %1,%0; add.f32 %1,%1,%2; rcp.approx.ftz.f32 %0,%1; add.f32 %0,%0,%3;")
OP32(MUFU_RSQ, 2, "rsqrt.approx.ftz.f32 %1,%0; rsqrt.approx.ftz.f32 %0,%1;")
OP32(MUFU_EX2, 2, "ex2.approx.ftz.f32 %1,%0; ex2.approx.ftz.f32 %0,%1;")
OP32(MUFU_LG2, 2, "lg2.approx.ftz.f32 %1,%0; lg2.approx.ftz.f32 %0,%1;")
OP32(MUFU_SIN_FMUL, 2, "sin.approx.ftz.f32 %1,%0; sin.approx.ftz.f32 %0,%1;")
OP32(MUFU_SQRT, 2, "sqrt.approx.ftz.f32 %1,%0; sqrt.approx.ftz.f32 %0,%1;")
OP32(MUFU_TANH, 2, "tanh.approx.f32 %1,%0; tanh.approx.f32 %0,%1;")
OP32(I2F, 2, "cvt.rn.f32.s32 %1,%0; cvt.rn.f32.s32 %0,%1;")
OP32(F2I, 2, "cvt.rzi.s32.f32 %1,%0; cvt.rzi.s32.f32 %0,%1;")
OP64(F2F_64_32, 2, "{.reg .f32 f; cvt.rn.f32.f64 f,%0; cvt.f64.f32 %0,f;}")
OP64(I2F64_F2I64, 2, "{.reg .s32 f; cvt.rzi.s32.f64 f,%0; cvt.rn.f64.s32 %0,f;}")
OP32(F2F_16_32, 2, "{.reg .b16 f; cvt.rn.f16.f32 f,%0; cvt.f32.f16 %0,f;}")
OP32(F2FP_PACK, 2, "cvt.rn.f16x2.f32 %1,%0,%1; cvt.rn.f16x2.f32 %0,%1,%0;")
OP32(FRND, 2, "cvt.rni.f32.f32 %1,%0; cvt.rmi.f32.f32 %0,%1;")
OP32(POPC, 2, "popc.b32 %1,%0; popc.b32 %0,%1;")
OP32(FLO, 2, "bfind.u32 %1,%0; bfind.u32 %0,%1;")
OP32(BREV_LOP, 2, "brev.b32 %1,%0; lop3.b32 %0,%1,%0,%3,0x2d;")
OP32(IABS_IADD, 2, "abs.s32 %1,%0; add.u32 %0,%1,%3;")
OP32(IDP4A, 2, "dp4a.u32.u32 %1,%0,%2,%1; dp4a.u32.u32 %0,%1,%3,%0;")
OP32(SHFL_BFLY, 2, "shfl.sync.bfly.b32 %1,%0,1,31,-1; shfl.sync.bfly.b32 %0,%1,2,31,-1;")
OP32(SHFL_IDX, 2, "shfl.sync.idx.b32 %1,%0,%1,31,-1; shfl.sync.idx.b32 %0,%1,%0,31,-1;")
OP32(BALLOT_ISETP, 2, "{.reg .pred p; setp.lt.u32 p,%0,%2; vote.sync.ballot.b32 %0,p,-1;}")
OP32(VOTEANY_ISETP_SEL, 3, "{.reg .pred p,q; setp.lt.u32 p,%0,%2; vote.sync.any.pred q,p,-1; selp.b32 %0,%3,%0,q;}")
OP32(MATCH_ANY, 2, "match.any.sync.b32 %1,%0,-1; match.any.sync.b32 %0,%1,-1;")
OP32(MATCH_ALL, 1, "{.reg .pred p; match.all.sync.b32 %0|p,%0,-1;}")
OP32(REDUX_ADD, 1, "redux.sync.add.s32 %0,%0,-1;")
OP32(REDUX_MIN, 1, "redux.sync.min.s32 %0,%0,-1;")
// Mixed pipes: two independent streams inside one block (x and y).
OP32(MIX_FFMA_IADD3, 4, "fma.rn.f32 %0,%0,%2,%3; add.u32 %1,%1,%2; fma.rn.f32 %0,%0,%3,%2; lop3.b32 %1,%1,%2,%3,0x1b;")
OP32(MIX_FFMA_LOP3, 4, "fma.rn.f32 %0,%0,%2,%3; lop3.b32 %1,%1,%2,%3,0x2d; fma.rn.f32 %0,%0,%3,%2; lop3.b32 %1,%1,%2,%3,0x1b;")
OP32(MIX_FFMA_IMAD, 4, "fma.rn.f32 %0,%0,%2,%3; mad.lo.u32 %1,%1,%2,%3; fma.rn.f32 %0,%0,%3,%2; mad.lo.u32 %1,%1,%3,%2;")
OP32(MIX_IMAD_LOP3, 4, "mad.lo.u32 %0,%0,%2,%3; lop3.b32 %1,%1,%2,%3,0x2d; mad.lo.u32 %0,%0,%3,%2; prmt.b32 %1,%1,%2,%3;")
OP32(MIX_IADD3_LOP3, 4, "add.u32 %0,%0,%1; lop3.b32 %1,%1,%0,%3,0x2d; add.u32 %0,%1,%0; lop3.b32 %1,%1,%0,%3,0x1b;")
OP32(MIX_FFMA_HFMA2, 4, "fma.rn.f32 %0,%0,%2,%3; fma.rn.f16x2 %1,%1,%2,%3; fma.rn.f32 %0,%0,%3,%2; fma.rn.f16x2 %1,%1,%3,%2;")
OP32(MIX_FFMA3_IMAD1, 4, "fma.rn.f32 %0,%0,%2,%3; fma.rn.f32 %1,%1,%2,%3; fma.rn.f32 %0,%0,%3,%2; mad.lo.u32 %1,%1,%3,%2;")
OP32(MIX_FFMA2_LOP3_IMAD, 4, "fma.rn.f32 %0,%0,%2,%3; lop3.b32 %1,%1,%2,%3,0x2d; fma.rn.f32 %0,%0,%3,%2; mad.lo.u32 %1,%1,%3,%2;")
OP32(MIX_FFMA_MUFU, 2, "fma.rn.f32 %0,%0,%2,%3; ex2.approx.ftz.f32 %1,%1;")
OP32(MIX_IDP_FFMA, 4, "fma.rn.f32 %0,%0,%2,%3; dp4a.u32.u32 %1,%1,%2,%3; fma.rn.f32 %0,%0,%3,%2; dp4a.u32.u32 %1,%1,%3,%2;")
OP32(MIX_HFMA2_IMAD, 4, "fma.rn.f16x2 %0,%0,%2,%3; mad.lo.u32 %1,%1,%2,%3; fma.rn.f16x2 %0,%0,%3,%2; mad.lo.u32 %1,%1,%3,%2;")

template <class O, int ILP, int U> __global__ void __launch_bounds__(1024) k_op(u32* o, const u32* in, int n, u32* tm) {
  typedef typename O::T T; T x[ILP], y[ILP]; const T* p = (const T*)in; T a = p[0], b = p[1];
#pragma unroll
  for (int i = 0; i < ILP; i++) x[i] = p[2 + i] + threadIdx.x, y[i] = p[10 + i] + threadIdx.x;
  u32 t0 = 0, t1 = 0;
  for (int r = 0; r < 2; r++) { t0 = (u32)bar_clk();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int u = 0; u < U; u++)
#pragma unroll
        for (int i = 0; i < ILP; i++) O::step(x[i], y[i], a, b); }
    t1 = clk(); }
  T s = 0;
#pragma unroll
  for (int i = 0; i < ILP; i++) s += x[i] ^ y[i];
  o[threadIdx.x + blockIdx.x * blockDim.x] = (u32)s ^ (u32)((u64)s >> 32);
  if ((threadIdx.x & 31) == 0) { int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32; tm[3 * w] = t0; tm[3 * w + 1] = t1; tm[3 * w + 2] = smid(); } }
static u32 *g_o, *g_in, *g_tm;
template <class O, int ILP, int U> double run1(int grid, int thr, int n) {
  k_op<O, ILP, U><<<grid, thr>>>(g_o, g_in, n, g_tm); sync(); int nw = grid * thr / 32; auto v = down(g_tm, 3 * nw);
  u32 sm = v[2], lo = v[0]; for (int i = 0; i < nw; i++) if (v[3 * i + 2] == sm && (int)(v[3 * i] - lo) < 0) lo = v[3 * i];
  u32 el = 0; for (int i = 0; i < nw; i++) if (v[3 * i + 2] == sm) el = std::max(el, v[3 * i + 1] - lo); return el; }
// Difference of a long and a short loop removes start and drain.
template <class O, int ILP, int U> void meas(int grid, int thr, const char* cond) { int W = std::max(1, thr / 128) * (grid > 1 ? 2 : 1); constexpr int per = U * ILP * O::K;
  Stat s = best(3, [&] { double a = run1<O, ILP, U>(grid, thr, 2), b = run1<O, ILP, U>(grid, thr, 10); return (b - a) / (8.0 * per * W); });
  rec("A", std::string(O::name), s.mn, thr == 32 ? "cyc/instr" : "cyc/warp-instr/subcore", cond, "k_op", 3, s.spread); }
template <class O> void all() { constexpr int U1 = 256 / O::K, U4 = U1 / 4; // chain of 256 instructions per loop body
  meas<O, 1, U1>(1, 32, "latency: 1 warp ILP1"); meas<O, 4, U4>(1, 32, "1 warp ILP4");
  meas<O, 1, U1>(1, 128, "1 warp/subcore ILP1"); meas<O, 1, U1>(1, 256, "2 warps/subcore ILP1"); meas<O, 1, U1>(1, 512, "4 warps/subcore ILP1"); meas<O, 1, U1>(1, 1024, "8 warps/subcore ILP1");
  meas<O, 4, U4>(1, 128, "1 warp/subcore ILP4"); meas<O, 4, U4>(1, 512, "4 warps/subcore ILP4"); }
template <class... O> void list() { (all<O>(), ...); }

// FFMA with the three sources in chosen register banks (bank = reg % 2 is up to ptxas: see SASS).
// %smid and %warpid are volatile special registers: read chains cannot be merged.
__global__ void k_s2r(u32* o) { u32 s = 0, t0, t1; for (int r = 0; r < 2; r++) { t0 = clk();
#pragma unroll
    for (int i = 0; i < 64; i++) s += smid(); t1 = clk(); } o[0] = t1 - t0;
  for (int r = 0; r < 2; r++) { t0 = clk(); u32 x; asm volatile("mov.u32 %0,%%warpid;" : "=r"(x)::"memory"); t1 = clk_after(x, ~0u); } o[1] = t1 - t0;
  for (int r = 0; r < 2; r++) { t0 = clk(); u32 x = s; t1 = clk_after(x, ~0u); } o[2] = t1 - t0;
  u32 q[16];
#pragma unroll
  for (int i = 0; i < 16; i++) q[i] = clk();
#pragma unroll
  for (int i = 1; i < 16; i++) o[3 + i] = q[i] - q[i - 1];
  u64 h[8];
#pragma unroll
  for (int i = 0; i < 8; i++) h[i] = clk64();
  o[20] = (u32)(h[7] - h[6]); for (int r = 0; r < 2; r++) { t0 = clk(); s += (u32)gtime(); t1 = clk_after(s, ~0u); } o[21] = t1 - t0; o[30] = s; }
// Uniform chain: values depend only on kernel parameters (ptxas should keep them in uniform registers).
__global__ void k_uni(u32* o, u32 a, u32 b, int n) { u32 x = a + smid(), y = b + smid(); u32 t0 = 0, t1 = 0; for (int r = 0; r < 2; r++) { t0 = clk();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int i = 0; i < 64; i++) { y = x + y; x = (y ^ x) + b; } } t1 = clk(); } if (threadIdx.x == 0) o[0] = t1 - t0, o[1] = x, o[2] = y; }

int main() { g_o = dmalloc<u32>(1 << 20); g_tm = dmalloc<u32>(1 << 20); std::vector<u32> h(64); for (int i = 0; i < 64; i++) h[i] = 0x3f800001u + i * 7919; g_in = dmalloc<u32>(64); CK(cudaMemcpy(g_in, h.data(), 256, cudaMemcpyHostToDevice));
  rec("META", "sm_clock", mhz(), "MHz", "spin kernel", "k_spin_mhz");
#ifndef PART
#define PART 0
#endif
#if PART == 0 || PART == 1
  list<IADD3, IADD3_3in, LOP3, SHF, SHL_SHR, LEA, ISETP_SEL, FSETP_SEL, VIMNMX, FMNMX, PRMT, IMAD, IMUL, IMAD_HI, IMAD_WIDE, IADD64, FADD, FMUL, FFMA, FFMA_IMM>();
  u32* o = dmalloc<u32>(64); k_s2r<<<1, 32>>>(o); sync(); auto r = down(o, 32);
  rec("A", "S2R_smid+IADD", r[0] / 64.0, "cyc/instr", "64 volatile reads; 1 warp", "k_s2r"); rec("A", "S2R_warpid_to_use", r[1], "cyc", "incl. clock+ISETP overhead", "k_s2r"); rec("A", "clock_ISETP_clock_overhead", r[2], "cyc", "base of clk_after", "k_s2r");
  for (int i = 4; i < 19; i += 5) rec("A", "CS2R32_back_to_back", r[i], "cyc", S("pair %d", i), "k_s2r"); rec("A", "CS2R64_back_to_back", r[20], "cyc", "", "k_s2r"); rec("A", "globaltimer_read", r[21], "cyc", "incl. overhead", "k_s2r");
  auto f = [&](int n) { k_uni<<<1, 32>>>(o, 3, 5, n); sync(); return (double)down(o, 1)[0]; }; Stat s = best(3, [&] { double a = f(2), b = f(18); return (b - a) / (16 * 64 * 3.0); }); rec("A", "UNIFORM_chain(UIADD3;ULOP3;UIADD3)", s.mn, "cyc/instr", "check SASS", "k_uni", 3, s.spread);
#endif
#if PART == 0 || PART == 2
  list<HFMA2, HFMA2_BF16, HADD2, HMUL2, DADD, DMUL, DFMA, DSETP_SEL, MUFU_RCP_FADD, MUFU_RSQ, MUFU_EX2, MUFU_LG2, MUFU_SIN_FMUL, MUFU_SQRT, MUFU_TANH, I2F, F2I, F2F_64_32, I2F64_F2I64, F2F_16_32, F2FP_PACK>();
#endif
#if PART == 0 || PART == 3
  list<FRND, POPC, FLO, BREV_LOP, IABS_IADD, IDP4A, SHFL_BFLY, SHFL_IDX, BALLOT_ISETP, VOTEANY_ISETP_SEL, MATCH_ANY, MATCH_ALL, REDUX_ADD, REDUX_MIN>();
#endif
#if PART == 0 || PART == 4
  list<MIX_FFMA_IADD3, MIX_FFMA_LOP3, MIX_FFMA_IMAD, MIX_IMAD_LOP3, MIX_IADD3_LOP3, MIX_FFMA_HFMA2, MIX_FFMA3_IMAD1, MIX_FFMA2_LOP3_IMAD, MIX_FFMA_MUFU, MIX_IDP_FFMA, MIX_HFMA2_IMAD>();
#endif
  return 0; }
