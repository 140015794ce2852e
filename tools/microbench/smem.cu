// B. Shared memory: dependent latency, throughput per SM by width and bank-conflict degree, atomics.
#include "mb.h"
// Each lane owns one self-pointing word: x = lds[x] is a dependent chain whose addresses never change.
// mode: byte address of lane l for conflict stride. W = words per access.
template <int W> __global__ void k_lds_lat(u32* o, const u32* addr, int n) { extern __shared__ __align__(16) u32 sm[]; u32 a = addr[threadIdx.x] + sptr(sm);
  for (int j = 0; j < W; j++) *(volatile u32*)((char*)sm + addr[threadIdx.x] + 4 * j) = a; __syncthreads(); u32 x = a, t0, t1;
  for (int r = 0; r < 2; r++) { t0 = clk();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int i = 0; i < 64; i++) { if (W == 1) asm volatile("ld.shared.u32 %0,[%0];" : "+r"(x)); if (W == 2) asm volatile("{.reg .u32 t; ld.shared.v2.u32 {t,%0},[%0];}" : "+r"(x)); if (W == 4) asm volatile("{.reg .u32 t,u,v; ld.shared.v4.u32 {t,u,v,%0},[%0];}" : "+r"(x)); } } t1 = clk(); }
  o[threadIdx.x] = x; if (threadIdx.x == 0) o[32] = t1 - t0; }
// Throughput: ST=0 loads (xor-consumed), 1 stores. Addresses shift by a row of 128 bytes * 0 so the pattern stays.
template <int W, int ST> __global__ void __launch_bounds__(1024) k_lds_tp(u32* o, const u32* addr, int n, u32 zero) { extern __shared__ __align__(16) u32 sm[]; u32 a = addr[threadIdx.x & 31] + sptr(sm), x = threadIdx.x, t0, t1, y = 1;
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) sm[i] = 0;
  for (int r = 0; r < 2; r++) { t0 = (u32)bar_clk();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int i = 0; i < 32; i++) { u32 b = a + i * 128 * W; if (ST == 0) { u32 t, u, v, w; if (W == 1) { asm volatile("ld.shared.u32 %0,[%1];" : "=r"(t) : "r"(b)); x ^= t; } if (W == 2) { asm volatile("ld.shared.v2.u32 {%0,%1},[%2];" : "=r"(t), "=r"(u) : "r"(b)); x ^= t ^ u; } if (W == 4) { asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(t), "=r"(u), "=r"(v), "=r"(w) : "r"(b)); x ^= t ^ u; y ^= v ^ w; } }
        else { if (W == 1) asm volatile("st.shared.u32 [%0],%1;" ::"r"(b), "r"(x)); if (W == 2) asm volatile("st.shared.v2.u32 [%0],{%1,%2};" ::"r"(b), "r"(x), "r"(y)); if (W == 4) asm volatile("st.shared.v4.u32 [%0],{%1,%2,%1,%2};" ::"r"(b), "r"(x), "r"(y)); } }
      a += zero; }
    t1 = (u32)bar_clk(); }
  if (x == 0x12345) o[64] = y; if (threadIdx.x == 0) o[0] = t1 - t0; }
// Atomics: R=1 uses the result in the address chain (latency), R=0 fire and forget.
template <int R> __global__ void __launch_bounds__(1024) k_atoms(u32* o, const u32* addr, int n) { extern __shared__ __align__(16) u32 sm[]; u32 a = addr[threadIdx.x & 31] + sptr(sm) + 0, x = 0, t0, t1;
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) sm[i] = 0;
  for (int r = 0; r < 2; r++) { t0 = (u32)bar_clk();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
      for (int i = 0; i < 16; i++) { if (R == 1) { asm volatile("atom.shared.add.u32 %0,[%1],%2;" : "=r"(x) : "r"(a), "r"(0)); a += x; } else if (R == 2) { asm volatile("atom.shared.exch.b32 %0,[%1],%2;" : "=r"(x) : "r"(a), "r"(0)); a += x; } else if (R == 3) { asm volatile("atom.shared.cas.b32 %0,[%1],%2,%3;" : "=r"(x) : "r"(a), "r"(1), "r"(2)); a += x; } else if (R == 4) asm volatile("red.shared.add.u32 [%0],%1;" ::"r"(a), "r"(threadIdx.x)); else asm volatile("red.shared.add.u32 [%0],%1;" ::"r"(a), "r"(1)); } }
    t1 = (u32)bar_clk(); }
  if (threadIdx.x == 0) { o[0] = t1 - t0; o[1] = a; } }
// Float atomic add in shared memory (a CAS loop or native).
__global__ void k_atoms_f(u32* o, const u32* addr, int n) { extern __shared__ __align__(16) u32 sm[]; float* p = (float*)((char*)sm + addr[threadIdx.x & 31]); for (int i = threadIdx.x; i < 8192; i += blockDim.x) sm[i] = 0; u32 t0, t1; for (int r = 0; r < 2; r++) { t0 = (u32)bar_clk(); for (int k = 0; k < n; k++) atomicAdd(p, 1.f); t1 = (u32)bar_clk(); } if (threadIdx.x == 0) o[0] = t1 - t0; }

static u32 *o, *ad;
static void pat(int bytes, int deg, bool bcast = false) { std::vector<u32> h(32); // lanes in groups: deg-way conflict in units of the access width
  for (int l = 0; l < 32; l++) { int g = 32 / deg; h[l] = bcast ? 0 : deg == 1 ? l * bytes : (l % g) * bytes + (l / g) * (128 * std::max(1, bytes / 4)); } CK(cudaMemcpy(ad, h.data(), 128, cudaMemcpyHostToDevice)); }
template <int W> void lat(int deg, bool bc) { pat(4 * W, deg, bc); auto f = [&](int n) { k_lds_lat<W><<<1, 32, 65536>>>(o, ad, n); sync(); return (double)down(o, 33)[32]; }; Stat s = best(3, [&] { return (f(10) - f(2)) / (8 * 64); });
  rec("B", S("LDS%d_latency", 32 * W), s.mn, "cyc", bc ? std::string("uniform address") : S("conflict degree %d", deg), "k_lds_lat", 3, s.spread); }
template <int W, int ST> void tp(int deg, int warps, bool bc) { pat(4 * W, deg, bc); auto f = [&](int n) { k_lds_tp<W, ST><<<1, warps * 32, 65536>>>(o, ad, n, 0u); sync(); return (double)down(o, 1)[0]; }; Stat s = best(3, [&] { return (f(20) - f(4)) / (16.0 * 32 * warps); });
  rec("B", S("%s%d_throughput", ST ? "STS" : "LDS", 32 * W), s.mn, "cyc/warp-instr/SM", (bc ? std::string("uniform address") : S("conflict degree %d", deg)) + S("; %d warps", warps), "k_lds_tp", 3, s.spread); }
template <int W> void setup() { CK(cudaFuncSetAttribute(k_lds_lat<W>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)); CK(cudaFuncSetAttribute(k_lds_tp<W, 0>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)); CK(cudaFuncSetAttribute(k_lds_tp<W, 1>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)); }
template <int R> void at(int warps, const char* cond, const char* nm) { auto f = [&](int n) { k_atoms<R><<<1, warps * 32, 32768>>>(o, ad, n); sync(); return (double)down(o, 1)[0]; }; Stat s = best(3, [&] { return (f(20) - f(4)) / (16.0 * 16 * warps); }); rec("B", nm, s.mn, R && warps == 1 ? "cyc" : "cyc/warp-instr/SM", S("%s; %d warps", cond, warps), "k_atoms", 3, s.spread); }
int main() { o = dmalloc<u32>(4096); ad = dmalloc<u32>(64); setup<1>(); setup<2>(); setup<4>();
  for (int d = 1; d <= 32; d *= 2) { lat<1>(d, false); lat<2>(d, false); lat<4>(d, false); } lat<1>(1, true); lat<2>(1, true); lat<4>(1, true);
  for (int w : {1, 4, 8, 16, 32}) for (int d = 1; d <= 32; d *= 2) { if (d > 1 && w != 4 && w != 32) continue; tp<1, 0>(d, w, false); tp<2, 0>(d, w, false); tp<4, 0>(d, w, false); tp<1, 1>(d, w, false); tp<2, 1>(d, w, false); tp<4, 1>(d, w, false); }
  for (int w : {1, 4, 32}) { tp<1, 0>(1, w, true); tp<2, 0>(1, w, true); tp<4, 0>(1, w, true); tp<1, 1>(1, w, true); tp<4, 1>(1, w, true); }
  // atomics: lanes in groups of `same` share an address; distinct addresses in distinct banks, or bank conflicts
  for (int same : {1, 2, 4, 8, 32}) { std::vector<u32> h(32); for (int l = 0; l < 32; l++) h[l] = (l / same) * 4; CK(cudaMemcpy(ad, h.data(), 128, cudaMemcpyHostToDevice));
    auto c = S("%d lanes per address", same); for (int w : {1, 8, 32}) { at<1>(w, c.c_str(), "ATOMS_ADD_return"); at<0>(w, c.c_str(), "ATOMS_ADD1_noreturn(POPC.INC?)"); at<4>(w, c.c_str(), "ATOMS_ADD_noreturn"); } at<2>(1, c.c_str(), "ATOMS_EXCH"); at<3>(1, c.c_str(), "ATOMS_CAS"); }
  for (int d : {2, 4, 8, 32}) { pat(4, d); auto c = S("bank conflict %d distinct addresses", d); at<1>(1, c.c_str(), "ATOMS_ADD_return"); at<4>(1, c.c_str(), "ATOMS_ADD_noreturn"); at<4>(32, c.c_str(), "ATOMS_ADD_noreturn"); at<1>(32, c.c_str(), "ATOMS_ADD_return"); }
  for (int same : {1, 2, 8, 32}) { std::vector<u32> h(32); for (int l = 0; l < 32; l++) h[l] = (l / same) * 4; CK(cudaMemcpy(ad, h.data(), 128, cudaMemcpyHostToDevice)); for (int w : {1, 8}) { auto f = [&](int n) { k_atoms_f<<<1, 32 * w, 32768>>>(o, ad, n); sync(); return (double)down(o, 1)[0]; }; Stat s = best(3, [&] { return (f(80) - f(16)) / (64.0 * w); }); rec("B", "ATOMS_FADD(shared float atomicAdd)", s.mn, "cyc/warp-op/SM", S("%d lanes per address; %d warps", same, w), "k_atoms_f", 3, s.spread); } }
  // random bins (hist_smem): 256 bins, random per lane
  { std::vector<u32> h(32); u32 r = 12345; for (auto& x : h) { r ^= r << 13; r ^= r >> 17; r ^= r << 5; x = (r >> 8 & 255) * 4; } CK(cudaMemcpy(ad, h.data(), 128, cudaMemcpyHostToDevice)); at<4>(8, "random of 256 bins (one fixed draw)", "ATOMS_ADD_noreturn"); at<4>(32, "random of 256 bins (one fixed draw)", "ATOMS_ADD_noreturn"); }
  return 0; }
