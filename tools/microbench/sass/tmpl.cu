// Template for raw-SASS experiments: runs of placeholder instructions (FLO = set-up, POPC = measured region) that sasslib.py overwrites.
// v[] only forces the kernel to own 64 registers; its values are never used.
#include <cstdint>
typedef unsigned u32; typedef unsigned long long u64;
#ifndef NREG
#define NREG 640
#endif
extern "C" __global__ void __launch_bounds__(1024) tmpl(u64* out, char* g, u32* g2, u32 a0, u32 a1) {
  u32 x = threadIdx.x, v[44];
#pragma unroll
  for (int i = 0; i < 64; i++) asm volatile("bfind.u32 %0,%0;" : "+r"(x));
#pragma unroll 1
  for (int r = 0; r < 4; r++) { __syncthreads(); u64 t0, t1; asm volatile("mov.u64 %0,%%clock64;" : "=l"(t0)::"memory");
#pragma unroll
    for (int i = 0; i < NREG; i++) asm volatile("popc.b32 %0,%0;" : "+r"(x));
    asm volatile("mov.u64 %0,%%clock64;" : "=l"(t1)::"memory"); if ((threadIdx.x & 31) == 0) { u64* o = out + (blockIdx.x * 32 + threadIdx.x / 32) * 4; o[0] = t0; o[1] = t1; o[2] = x; } __syncthreads(); }
  if (a0 == 12345) {
#pragma unroll
    for (int i = 0; i < 44; i++) v[i] = *(volatile u32*)(g2 + i * 3);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 44; i++) *(volatile u32*)(g2 + i * 5) = v[i]; }
}
