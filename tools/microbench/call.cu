// What a call and its return cost.
#include "mb.h"
__device__ __noinline__ u32 f0(u32 x) { return x * 3 + 1; }
__device__ __noinline__ u32 f1(u32 x) { asm volatile(""); return x ^ 0x55; }
__device__ __noinline__ void ft(u64* t) { t[0] = clk64(); t[1] = clk64(); }
typedef u32 (*fp)(u32); __device__ fp table[2] = {f0, f1};
__global__ void k_call(u64* tm, u32* o, int n, int way, u32 x) {
  __shared__ u32 s; if (x == 77) s = x; __syncthreads(); u64 t0 = clk64();
  if (way == 0) for (int i = 0; i < n; i++) { x = f0(x); }
  else if (way == 1) for (int i = 0; i < n; i++) { x = f0(x); x = f1(x); }
  else if (way == 2) { fp f = table[x & 1]; for (int i = 0; i < n; i++) x = f(x); }
  else if (way == 3) for (int i = 0; i < n; i++) { x = x * 3 + 1; asm volatile("" : "+r"(x)); }
  else if (way == 4) for (int i = 0; i < n; i++) { if ((threadIdx.x + i) & 1) x = f0(x); else x = f1(x); }
  u64 t1 = clk64(); tm[blockIdx.x * blockDim.x + threadIdx.x] = t1 - t0; o[blockIdx.x * blockDim.x + threadIdx.x] = x; }
__global__ void k_parts(u64* tm, u32 x) { u64 t[2]; u64 a, d; 
  for (int r = 0; r < 4; r++) { a = clk64(); ft(t); d = clk64(); tm[r * 3] = t[0] - a; tm[r * 3 + 1] = d - t[1]; tm[r * 3 + 2] = d - a; } }
int main() { u64* tm = dmalloc<u64>(1 << 16); u32* o = dmalloc<u32>(1 << 16);
  for (int way = 0; way < 5; way++) for (int warps : {1, 4, 8, 16, 32}) { double v[2]; int i = 0; for (int n : {64, 192}) { double best = 1e30; for (int r = 0; r < 3; r++) { k_call<<<1, warps * 32>>>(tm, o, n, way, 5); sync(); auto d = down(tm, warps * 32); best = std::min(best, (double)*std::max_element(d.begin(), d.end())); } v[i++] = best; } printf("R,call,way%d,w%d,%.2f\n", way, warps, (v[1] - v[0]) / 128); }
  k_parts<<<1, 1>>>(tm, 1); sync(); auto d = down(tm, 12); for (int i = 0; i < 12; i++) printf("R,parts,%d,%llu\n", i, (unsigned long long)d[i]);
  return 0; }
