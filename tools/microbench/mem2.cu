// Third-round probes: scattered stores, local memory, MATCH by distinct values, random DRAM, merging of misses to one line.
#include "mb.h"
__device__ __forceinline__ u32 d32(u64 a) { return a > 0xffffffffull ? 0xffffffffu : (u32)a; }
// Stores of W words per lane, `stride` bytes between lanes; every warp walks its own region of an L2-resident buffer.
template <int W> __global__ void __launch_bounds__(1024) k_st(u64* tm, char* b, u32 stride, int n, size_t foot) { u32 x = threadIdx.x; startbar(); u64 t0 = clk64(); size_t span = (size_t)stride * 32 * blockDim.x / 32, pos = (blockIdx.x * span) % foot; char* q = b + (threadIdx.x / 32) * (size_t)stride * 32 + (threadIdx.x & 31) * stride;
#pragma unroll 1
  for (int i = 0; i < n; i++) { char* p = q + pos; if (W == 1) asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(x)); if (W == 2) asm volatile("st.global.v2.u32 [%0],{%1,%1};" ::"l"(p), "r"(x)); if (W == 4) asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(p), "r"(x)); pos += span * gridDim.x; while (pos >= foot) pos -= foot; }
  __threadfence(); u64 t1 = bar_clk(); if (threadIdx.x == 0) tm[blockIdx.x] = t1 - t0; }
// Local memory: indexed array, dependent chain of store and load (latency) and streaming (throughput).
__global__ void __launch_bounds__(1024) k_local(u32* o, int n, u32 step) { u32 a[64]; for (int i = 0; i < 64; i++) a[i] = i * 7 + threadIdx.x; u32 j = threadIdx.x & 63, x = 0; u64 t0 = bar_clk();
#pragma unroll 1
  for (int i = 0; i < n; i++) { x += a[j]; j = (j + step + (x & 0)) & 63; a[j] = x; } u64 t1 = bar_clk(); if (threadIdx.x == 0) o[0] = d32(t1 - t0); o[threadIdx.x + 16] = x + a[5]; }
__global__ void __launch_bounds__(1024) k_localrd(u32* o, int n) { u32 a[64]; for (int i = 0; i < 64; i++) a[i] = (i + 5) & 63; for (int i = 0; i < n; i++) a[(i * 11) & 63] ^= 0; u32 j = threadIdx.x & 63; u64 t0 = bar_clk();
#pragma unroll 1
  for (int i = 0; i < n; i++) j = a[j]; u64 t1 = bar_clk(); if (threadIdx.x == 0) o[0] = d32(t1 - t0); o[threadIdx.x + 16] = j; }
__global__ void __launch_bounds__(1024) k_localwr(u32* o, int n, u32 k) { u32 a[64]; u32 j = k; for (int i = 0; i < 64; i++) a[i] = i; u64 t0 = bar_clk();
#pragma unroll 1
  for (int i = 0; i < n; i++) { a[j & 63] = i; a[(j + 1) & 63] = i; a[(j + 2) & 63] = i; a[(j + 3) & 63] = i; j += 4; } u64 t1 = bar_clk(); if (threadIdx.x == 0) o[0] = d32(t1 - t0); u32 s = 0; for (int i = 0; i < 64; i++) s += a[(i * k) & 63]; o[threadIdx.x + 16] = s; }
__global__ void __launch_bounds__(1024) k_match(u32* o, int n, u32 d) { u32 x = (threadIdx.x & 31) % d; u64 t0 = bar_clk(); u32 acc = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int u = 0; u < 8; u++) { u32 y; asm volatile("match.any.sync.b32 %0,%1,-1;" : "=r"(y) : "r"(x)); acc ^= y; x += y & 0; } }
  u64 t1 = bar_clk(); if (threadIdx.x == 0) o[0] = d32(t1 - t0); o[threadIdx.x + 16] = acc; }
// Random lines over a footprint: every lane (G=1), or groups of lanes sharing a 128-byte line (G=32).
template <int G> __global__ void __launch_bounds__(1024) k_rand(u64* tm, u32* o, const char* b, u64 mask, int n) { u64 r = (blockIdx.x * 1024ull + threadIdx.x) / G * 0x9E3779B97F4A7C15ull + 12345; u32 x = 0; startbar(); u64 t0 = clk64();
#pragma unroll 1
  for (int i = 0; i < n; i++) { u32 t[4];
#pragma unroll
    for (int u = 0; u < 4; u++) { r ^= r << 13; r ^= r >> 7; r ^= r << 17; const char* p = b + (r & mask & ~127ull) + (threadIdx.x % G) * 4; asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(t[u]) : "l"(p)); }
    x ^= t[0] ^ t[1] ^ t[2] ^ t[3]; }
  if (x == 0x1234567) o[0] = x; u64 t1 = bar_clk(); if (threadIdx.x == 0) tm[blockIdx.x] = t1 - t0; }
// All warps of one SM load the same n lines (not in L1): do the misses merge?
__global__ void __launch_bounds__(1024) k_merge(u32* o, const char* b, int n, int same) { if (blockIdx.x) return; u32 x = 0, w = threadIdx.x / 32; u64 t0 = bar_clk();
#pragma unroll 1
  for (int i = 0; i < n; i++) { const char* p = b + ((size_t)i * (same ? 1 : 32) + (same ? 0 : w)) * 128 + (threadIdx.x & 31) * 4; u32 t; asm volatile("ld.global.u32 %0,[%1];" : "=r"(t) : "l"(p)); x ^= t; if (x == 0x12345) o[1] = x; } u64 t1 = bar_clk(); if (threadIdx.x == 0) o[0] = d32(t1 - t0); }
static u64* tm; static u32* o; static char* b;
static double res(int g) { sync(); auto v = down(tm, g); return (double)*std::max_element(v.begin(), v.end()); }
template <int W> void st(u32 stride) { for (int g : {1, nsm()}) { auto f = [&](int n) { k_zero<<<1, 1>>>(); k_st<W><<<g, 1024>>>(tm, b, stride, n, 16 << 20); return res(g); }; f(64); Stat s = best(3, [&] { return (f(96) - f(32)) / 64; }); rec("D", S("STG%d_scattered", 32 * W), s.mn / 32, "cyc/warp-instr/SM", S("lane stride %u B; %d SMs; 32 warps each; %.2f sectors/clk/SM; L2-resident 16MB", stride, g, 32.0 * std::max(1.0, (stride < 32 ? std::max(stride, 4u * W) / 32.0 * 32 / 32 : 1.0)) * 32 / s.mn), "k_st", 3, s.spread); } }
int main() { tm = dmalloc<u64>(4096); o = dmalloc<u32>(1 << 16); b = dmalloc<char>(8ull << 30);
  for (u32 s : {4u, 8u, 16u, 32u, 64u, 128u, 256u, 4096u}) st<1>(s);
  for (u32 s : {16u, 32u, 128u}) st<4>(s);
  for (u32 s : {8u, 32u}) st<2>(s);
  for (int w : {1, 4, 16, 32}) { auto f = [&](int n) { k_local<<<1, 32 * w>>>(o, n, 1); sync(); return (double)down(o, 1)[0]; }; auto g = [&](int n) { k_localrd<<<1, 32 * w>>>(o, n); sync(); return (double)down(o, 1)[0]; }; auto h = [&](int n) { k_localwr<<<1, 32 * w>>>(o, n, 3); sync(); return (double)down(o, 1)[0]; };
    rec("C", "local_load_store_loop", (f(400) - f(100)) / 300, "cyc/iteration", S("%d warps; LDL then STL to the next slot", w), "k_local"); rec("C", "local_load_chain", (g(400) - g(100)) / 300, "cyc/load", S("%d warps; lane-dependent index", w), "k_localrd"); rec("C", "local_store_stream", (h(400) - h(100)) / 1200 / w, "cyc/warp-instr/SM", S("%d warps; uniform index: one 128B line per store", w), "k_localwr"); }
  for (u32 d : {1u, 2u, 3u, 4u, 8u, 16u, 32u}) for (int w : {1, 4, 32}) { auto f = [&](int n) { k_match<<<1, 32 * w>>>(o, n, d); sync(); return (double)down(o, 1)[0]; }; rec("A", "MATCH.ANY", (f(40) - f(8)) / 256, "cyc per instr of each warp", S("%u distinct values; %d warps per SM", d, w), "k_match"); }
  for (u64 mb : {16ull, 4096ull}) { auto f = [&](int n) { k_zero<<<1, 1>>>(); k_rand<1><<<nsm(), 1024>>>(tm, o, b, (mb << 20) - 1, n); return res(nsm()); }; auto h = [&](int n) { k_zero<<<1, 1>>>(); k_rand<32><<<nsm(), 1024>>>(tm, o, b, (mb << 20) - 1, n); return res(nsm()); }; f(8); double t = (f(24) - f(8)) / 16; rec("D", "random_32B_sectors", 4.0 * 1024 * nsm() / t, "sectors/clk", S("%llu MB; all SMs; one lane per line", mb), "k_rand"); h(8); t = (h(104) - h(40)) / 64; rec("D", "random_128B_lines", 4.0 * 32 * nsm() * 128 / t, "B/clk", S("%llu MB; all SMs; one line per warp load", mb), "k_rand"); }
  for (int sm : {0, 1}) { auto f = [&](int n) { k_merge<<<1, 1024>>>(o, b + (sm ? 0 : (64 << 20)), n, sm); sync(); return (double)down(o, 1)[0]; }; f(64); rec("C", "L1_miss_merge", (f(192) - f(64)) / 128, "cyc/round", S("32 warps load %s line each round (L2 hit; L1 cold)", sm ? "the same" : "their own"), "k_merge"); }
  return 0; }
