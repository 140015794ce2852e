// Partial-sector stores by pattern: how fast do all SMs together get rid of them?
#include "mb.h"
// Every warp has a frame of 8 KB: 64 lines of 128 bytes. Each store of a warp goes to 32 of its lines, one word in each.
template <int M> __global__ void __launch_bounds__(512) k_part(u64* tm, char* b, int n) {
  u32 lane = threadIdx.x & 31, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, x = threadIdx.x; char* frame = b + (size_t)warp * 8192; u32 acc = 0;
  startbar(); u64 t0 = clk64();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    u32 k = (lane * 7 + i * 13) & 63; u32 w = M == 1 || M == 3 ? lane : M == 2 ? 0 : M == 4 ? (i & 7) : M == 5 ? (lane + i) & 31 : 0;
    if (M == 0) k = (lane + i * 32) & 63;
    char* p = frame + k * 128 + w * 4;
    if (M == 3) { u32 y; asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(y) : "l"(frame + ((k + 5) & 63) * 128 + w * 4)); x += y; }
    if (M == 6) { asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(frame + k * 128 + (lane & 3) * 32), "r"(x)); asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(frame + k * 128 + (lane & 3) * 32 + 16), "r"(x)); }
    else if (M == 7) asm volatile("st.local.u32 [%0],%1;" ::"r"(0), "r"(x));
    else asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(x) : "memory");
  }
  __threadfence(); u64 t1 = bar_clk(); if (threadIdx.x == 0) tm[blockIdx.x] = t1 - t0; if (x == 0x12345678) b[0] = acc; }
// The suite's `local`: an array in local memory, each lane at its own index.
__global__ void __launch_bounds__(512) k_loc(u64* tm, u32* o, int n, int loads) { float v[64]; int t = threadIdx.x; for (int i = 0; i < 64; i++) v[i] = t * 0.5f + i; startbar(); u64 t0 = clk64();
#pragma unroll 1
  for (int i = 0; i < n; i++) { int k = (t * 7 + i * 13) & 63; v[k] = (loads ? v[(k + 5) & 63] : (float)i) * 1.01f + 1.f; } u64 t1 = bar_clk(); float r = 0; for (int i = 0; i < 64; i++) r += v[(i * (n | 1)) & 63]; if (threadIdx.x == 0) tm[blockIdx.x] = t1 - t0; o[blockIdx.x * 512 + t] = (u32)r; }
static u64* tm; static u32* o; static char* b;
static double res(int g) { sync(); auto v = down(tm, g); return (double)*std::max_element(v.begin(), v.end()); }
template <int M> void part(const char* what) { for (int g : {1, nsm()}) { auto f = [&](int n) { k_zero<<<1, 1>>>(); k_part<M><<<g, 512>>>(tm, b, n); return res(g); }; f(64); double best = 1e30; for (int r = 0; r < 3; r++) best = std::min(best, (f(192) - f(64)) / 128); rec("D", "partial_store", 32.0 * 16 * g / best, "sectors/clk", S("%s; %d SMs; 16 warps each; %.1f cyc per warp store and SM", what, g, best / 16), "k_part", 3); } }
int main() { tm = dmalloc<u64>(4096); o = dmalloc<u32>(1 << 20); b = dmalloc<char>(64 << 20);
  part<0>("32 lines; first word; lines in order"); part<1>("32 lines of 64; word = lane"); part<2>("32 lines of 64; first word"); part<3>("32 lines of 64; word = lane; a load of another line before"); part<4>("32 lines of 64; words 0-7 in turn"); part<5>("32 lines of 64; any word in turn"); part<6>("32 lines of 64; a whole sector in two stores");
  for (int loads : {0, 1}) for (int g : {1, nsm()}) { auto f = [&](int n) { k_zero<<<1, 1>>>(); k_loc<<<g, 512>>>(tm, o, n, loads); return res(g); }; f(64); double best = 1e30; for (int r = 0; r < 3; r++) best = std::min(best, (f(192) - f(64)) / 128); rec("D", "partial_store_local", 32.0 * 16 * g / best, "sectors/clk", S("STL to 32 lines%s; %d SMs; 16 warps each; %.1f cyc per warp store and SM", loads ? " and LDL from 32 others" : "", g, best / 16), "k_loc", 3); }
  return 0; }
