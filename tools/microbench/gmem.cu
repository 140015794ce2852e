// C. Global memory through L1: hit latency and throughput, sector behaviour, write policy, capacity, miss parallelism.
#include "mb.h"
// Pure LDG chains: the word loaded becomes the low half of the next address (buffer must not cross a 4 GiB line).
template <int W, int CG> __global__ void k_chase(u32* o, const u32* base, const u32* offs, int n) { u64 p = (u64)base + offs[threadIdx.x]; u32 x = (u32)p, h = (u32)(p >> 32), t0, t1;
  for (int r = 0; r < 2; r++) { t0 = clk();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int i = 0; i < 32; i++) { if (CG) asm volatile("{.reg .b64 p; mov.b64 p,{%0,%1}; ld.global.cg.b32 %0,[p];}" : "+r"(x) : "r"(h)); else if (W == 1) asm volatile("{.reg .b64 p; mov.b64 p,{%0,%1}; ld.global.b32 %0,[p];}" : "+r"(x) : "r"(h)); else if (W == 2) asm volatile("{.reg .b64 p; .reg .b32 t; mov.b64 p,{%0,%1}; ld.global.v2.b32 {t,%0},[p];}" : "+r"(x) : "r"(h)); else asm volatile("{.reg .b64 p; .reg .b32 t,u,v; mov.b64 p,{%0,%1}; ld.global.v4.b32 {t,u,v,%0},[p];}" : "+r"(x) : "r"(h)); } } t1 = clk(); }
  o[threadIdx.x] = x; if (threadIdx.x == 0) o[64] = t1 - t0; }
__global__ void k_selfptr(u32* base, int n) { for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) base[i] = (u32)(u64)(base + (i & ~3)); }
// L1-hit throughput: every warp re-reads the same small buffer; `stride` bytes between lanes.
template <int W> __global__ void __launch_bounds__(1024) k_l1_tp(u32* o, const char* base, const u32* offs, int n, u32 step) { const char* q = base + offs[threadIdx.x & 31]; u32 x = 0, t0, t1;
  for (int r = 0; r < 2; r++) { t0 = (u32)bar_clk();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int i = 0; i < 16; i++) { const char* b = q + i * step; u32 t, u, v, w; if (W == 1) { asm volatile("ld.global.u32 %0,[%1];" : "=r"(t) : "l"(b)); x ^= t; } if (W == 2) { asm volatile("ld.global.v2.u32 {%0,%1},[%2];" : "=r"(t), "=r"(u) : "l"(b)); x ^= t ^ u; } if (W == 4) { asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(t), "=r"(u), "=r"(v), "=r"(w) : "l"(b)); x ^= t ^ u; x ^= v ^ w; } }
      q += x & 1; }
    t1 = (u32)bar_clk(); }
  o[threadIdx.x + 64] = x; if (threadIdx.x == 0) o[0] = t1 - t0; }
// One timed load: latency until the value can be used, including CS2R/ISETP overhead (reported as base).
template <int CG> __device__ __forceinline__ u32 tload(const u32* p) { u32 d; if (CG) asm volatile("{.reg .pred p; .reg .u64 t0,t1; .reg .u32 x; mov.u64 t0,%%clock64; ld.global.cg.u32 x,[%1]; setp.ne.u32 p,x,0xdeadbeef; mov.u64 t1,0; @p mov.u64 t1,%%clock64; sub.u64 t0,t1,t0; min.u64 t0,t0,0xffffffff; cvt.u32.u64 %0,t0;}" : "=r"(d) : "l"(p) : "memory"); else asm volatile("{.reg .pred p; .reg .u64 t0,t1; .reg .u32 x; mov.u64 t0,%%clock64; ld.global.u32 x,[%1]; setp.ne.u32 p,x,0xdeadbeef; mov.u64 t1,0; @p mov.u64 t1,%%clock64; sub.u64 t0,t1,t0; min.u64 t0,t0,0xffffffff; cvt.u32.u64 %0,t0;}" : "=r"(d) : "l"(p) : "memory"); return d; }
// Sector / policy probes by one thread. o[] order is in main().
__global__ void k_probe(u32* o, u32* b, u32* cold, u32* b2) { u32 k = 0; if (smid() != 0) return; for (int r = 0; r < 2; r++) { k = 0;
    u32* p = b + r * 65536; // fresh lines each round (first round warms the code)
    o[k++] = tload<0>(p); o[k++] = tload<0>(p); o[k++] = tload<0>(p + 8); o[k++] = tload<0>(p + 16); o[k++] = tload<0>(p + 24); o[k++] = tload<0>(p + 24); // 0-5 (L2-resident or not: buffer is warmed in L2)
    p += 1024; o[k++] = tload<1>(p); o[k++] = tload<1>(p + 8); o[k++] = tload<0>(p); o[k++] = tload<0>(p);        // 6-9: cg, cg other sector, ca after cg, ca again
    p += 1024; tload<0>(p); *(volatile u32*)(p + 4096) = 1; asm volatile("st.global.u32 [%0],%1;" ::"l"(p + (b2 - b)), "r"(5u) : "memory"); o[k++] = tload<0>(p); // 10: hit line, store, load
    p += 8192; asm volatile("st.global.u32 [%0],%1;" ::"l"(p + (b2 - b)), "r"(5u) : "memory"); o[k++] = tload<0>(p); o[k++] = tload<0>(p); // 11,12: store miss then load
    p += 1024; tload<0>(p); asm volatile("red.global.add.u32 [%0],%1;" ::"l"(p), "r"(5u) : "memory"); o[k++] = tload<0>(p); // 13: hit line, RED, load
    u32* c = cold + r * 65536; o[k++] = tload<1>(c); o[k++] = tload<1>(c + 8); o[k++] = tload<1>(c + 16); o[k++] = tload<1>(c + 24); o[k++] = tload<1>(c + 32); o[k++] = tload<1>(c + 64); o[k++] = tload<1>(c + 128); o[k++] = tload<1>(c + 256); o[k++] = tload<1>(c + 512); // 14-22: DRAM-cold: sectors of a line, neighbour lines
    p += 2048; tload<0>(p); __threadfence(); o[k++] = tload<0>(p); // 23: load hit after membar.gl
    p += 1024; for (int i = 0; i < 20; i++) tload<0>(p + 64); tload<0>(p); __syncthreads(); o[k++] = tload<0>(p); // 24: after barrier
    u32 q = clk(); o[k++] = clk_after(q, 0xdeadbeef) - q; } }
// L1 capacity: pass over `lines` lines; second pass is timed per load, hits counted.
__global__ void k_l1cap(u32* o, const u32* b, int lines, int strideW, int rounds) { u32 s = 0; u64 t0 = 0, t1;
#pragma unroll 1
  for (int r = 0; r < rounds + 2; r++) { if (r == 2) t0 = clk64();
#pragma unroll 1
    for (int i = 0; i < lines; i++) { u32 x; asm volatile("ld.global.u32 %0,[%1];" : "=r"(x) : "l"(b + (size_t)i * strideW + s)); s = x & 3; } } t1 = clk64(); u64 d = t1 - t0; o[0] = d > 0xffffffffull ? ~0u : (u32)d; o[1] = s; }
// Miss parallelism on one SM: every warp issues k independent coalesced loads per round, then waits.
template <int K, int W, int CG> __global__ void __launch_bounds__(1024) k_mlp(u32* o, const char* b, int rounds, u32 mask, u32 laneStride) { if (blockIdx.x) return; u32 w = threadIdx.x / 32, nw = blockDim.x / 32, l = threadIdx.x & 31, x = 0, t0, t1; u32 span = laneStride * 32; u32 pos = w * K * span;
  for (int r = 0; r < 2; r++) { t0 = (u32)bar_clk(); pos = (w * K + r * 131) * span;
#pragma unroll 1
    for (int k = 0; k < rounds; k++) { u32 t[K][W];
#pragma unroll
      for (int i = 0; i < K; i++) { const char* p = b + ((pos + i * span) & mask) + l * laneStride; if (W == 1) { if (CG) asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(t[i][0]) : "l"(p)); else asm volatile("ld.global.u32 %0,[%1];" : "=r"(t[i][0]) : "l"(p)); } else asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(t[i][0]), "=r"(t[i][1 % W]), "=r"(t[i][2 % W]), "=r"(t[i][3 % W]) : "l"(p)); }
#pragma unroll
      for (int i = 0; i < K; i++)
#pragma unroll
        for (int j = 0; j < W; j++) x ^= t[i][j];
      pos += nw * K * span + (x & 1); }
    t1 = (u32)bar_clk(); }
  o[threadIdx.x + 64] = x; if (threadIdx.x == 0) o[0] = t1 - t0; }

static u32 *o, *off; static char* big;
static void offs(std::function<u32(int)> f) { std::vector<u32> h(32); for (int i = 0; i < 32; i++) h[i] = f(i); CK(cudaMemcpy(off, h.data(), 128, cudaMemcpyHostToDevice)); }
template <int W, int CG> void chase(const char* nm, const char* cond) { auto f = [&](int n) { k_chase<W, CG><<<1, 32>>>(o, (u32*)big, off, n); sync(); return (double)down(o, 65)[64]; }; Stat s = best(3, [&] { return (f(20) - f(4)) / (16 * 32.0); }); rec("C", nm, s.mn, "cyc", cond, "k_chase", 3, s.spread); }
template <int W> void l1tp(int warps, const std::string& cond, u32 step = 0) { auto f = [&](int n) { k_l1_tp<W><<<1, 32 * warps>>>(o, big, off, n, step); sync(); return (double)down(o, 1)[0]; }; Stat s = best(3, [&] { return (f(20) - f(4)) / (16.0 * 16 * warps); }); rec("C", S("L1hit_LDG%d_throughput", 32 * W), s.mn, "cyc/warp-instr/SM", cond + S("; %d warps", warps), "k_l1_tp", 3, s.spread); }
template <int K, int W, int CG> void mlp(int warps, u32 laneStride, const char* what) { u32 mask = (8u << 20) - 1; auto f = [&](int n) { k_mlp<K, W, CG><<<1, 32 * warps>>>(o, big, n, mask & ~(laneStride - 1), laneStride); sync(); return (double)down(o, 1)[0]; }; f(400); Stat s = best(3, [&] { return (f(96) - f(32)) / 64.0; });
  rec("C", S("MLP_%s", what), s.mn, "cyc/round", S("k=%d loads in flight per warp; %d warps; %.2f B/clk; %.3f req/clk", K, warps, K * warps * 128.0 * W / s.mn, K * warps / s.mn), "k_mlp", 3, s.spread); }
template <int K> void mlps() { for (int w : {1, 2, 4, 8, 16, 32}) { if (K * w > 512) continue; mlp<K, 1, 1>(w, 4, "L2hit_LDG32.cg"); if (K <= 8) mlp<K, 4, 1>(w, 16, "L2hit_LDG128.cg"); } for (int w : {1, 4, 8, 16, 32}) { if (K > 8 || K * w > 128) continue; mlp<K, 1, 0>(w, 4, "L2hit_LDG32.ca"); mlp<K, 1, 1>(w, 128, "L2hit_LDG32.cg_32lines"); mlp<K, 1, 1>(w, 32, "L2hit_LDG32.cg_8lines"); } }
int main() { o = dmalloc<u32>(1 << 16); off = dmalloc<u32>(64); { char* p = dmalloc<char>(64 << 20); big = p; u64 a = (u64)p; if ((a >> 32) != ((a + (64 << 20)) >> 32)) big = dmalloc<char>(64 << 20); } k_selfptr<<<132, 256>>>((u32*)big, 16 << 20); sync();
  offs([](int l) { return l * 4 & ~15; }); offs([](int l) { return 0; }); chase<1, 0>("LDG32_L1hit_latency", "uniform address"); chase<2, 0>("LDG64_L1hit_latency", "uniform address"); chase<4, 0>("LDG128_L1hit_latency", "uniform address");
  offs([](int l) { return l * 16; }); chase<1, 0>("LDG32_L1hit_latency", "lane stride 16B (4 lines)"); chase<4, 0>("LDG128_L1hit_latency", "lane stride 16B (coalesced 512B)"); chase<2, 0>("LDG64_L1hit_latency", "lane stride 16B");
  for (int d = 1; d <= 32; d *= 2) { offs([d](int l) { return (l % d) * 128; }); chase<1, 0>("LDG32_L1hit_latency", S("%d lines per request", d).c_str()); } chase<1, 1>("LDG32.cg_L2hit_latency", "32 lines per request"); offs([](int l) { return 0; }); chase<1, 1>("LDG32.cg_L2hit_latency", "one line; SM of block 0"); offs([](int l) { return l * 16; }); chase<1, 1>("LDG32.cg_L2hit_latency", "4 lines");
  for (int w : {1, 4, 8, 16, 32}) { offs([](int l) { return l * 4; }); l1tp<1>(w, "coalesced", 512); offs([](int l) { return l * 8; }); l1tp<2>(w, "coalesced", 512); offs([](int l) { return l * 16; }); l1tp<4>(w, "coalesced", 512); offs([](int l) { return 0; }); l1tp<1>(w, "uniform", 512); }
  for (int w : {4, 32}) for (int d = 1; d <= 32; d *= 2) { offs([d](int l) { return (l % d) * 128; }); l1tp<1>(w, S("%d lines same bank (lane%%d*128)", d), 4096); offs([d](int l) { return (l % d) * 128 + l * 4; }); l1tp<1>(w, S("%d lines distinct banks", d), 4096); offs([d](int l) { return l * 4 * d; }); l1tp<1>(w, S("lane stride %dB", 4 * d), 4096); offs([d](int l) { return (l % d) * 132 % 4096; }); l1tp<1>(w, S("%d distinct lines stride 132", d), 4096); }
  for (int d : {2, 4, 8, 16}) { offs([d](int l) { return l * 8 * d; }); l1tp<2>(32, S("lane stride %dB", 8 * d), 8192); offs([d](int l) { return l * 16 * d; }); l1tp<4>(32, S("lane stride %dB", 16 * d), 8192); }
  // probes: buffer warmed in L2 only
  { u32* cold = dmalloc<u32>(1 << 20); k_probe<<<132, 1>>>(o, (u32*)big + (4 << 20), cold, (u32*)big + (4 << 20)); sync(); char* fl = dmalloc<char>(256 << 20); CK(cudaMemset(fl, 1, 256 << 20)); CK(cudaMemset(big + (16 << 20), 0, 1 << 20)); sync(); k_probe<<<132, 1>>>(o, (u32*)big + (4 << 20), cold, (u32*)big + (4 << 20)); sync(); auto r = down(o, 32);
    const char* nm[] = {"first load ca (L2 hit)", "again (L1 hit)", "sector 1 of same line", "sector 2", "sector 3", "sector 3 again", "cg load", "cg next sector", "ca after cg", "ca again", "L1-hit line; store; load", "store miss; load", "store miss; load twice", "L1-hit line; RED; load", "DRAM cold sector 0", "DRAM line sector 1", "DRAM line sector 2", "DRAM line sector 3", "next line +128B", "+256B", "+512B", "+1KB", "+2KB", "L1-hit line; membar.gl; load", "L1-hit line; barrier; load", "base overhead"}; for (int i = 0; i < 26; i++) rec("C", "probe_timed_load", r[i], "cyc", nm[i], "k_probe"); cudaFree(fl); }
  for (int co : {0, 25, 50, 75, 100}) { CK(cudaFuncSetAttribute(k_l1cap, cudaFuncAttributePreferredSharedMemoryCarveout, co)); for (int kb : {8, 16, 32, 64, 96, 112, 128, 160, 176, 192, 208, 216, 224, 232, 240, 248, 256, 288}) { k_l1cap<<<1, 1>>>(o, (u32*)big, kb * 8, 32, 4); sync(); rec("C", S("L1_chase_%dKB", kb), down(o, 1)[0] / (kb * 8 * 4.0), "cyc/load", S("carveout %d; 128B lines; sequential; 1 thread; passes 3-6; incl. ~10 address cycles", co), "k_l1cap"); } }
  mlps<1>(); mlps<2>(); mlps<4>(); mlps<8>(); mlps<16>(); mlps<32>();
  return 0; }
