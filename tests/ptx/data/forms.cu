// What CUDA C++ makes of the language's parts: compiled by the lines below, whose outputs lie beside this file.
//   nvcc -ptx -arch=sm_90a -lineinfo -rdc=true forms.cu -o forms_nvcc.ptx
//   nvcc -ptx -arch=sm_75 -G -DSMALL forms.cu -o forms_debug.ptx
//   clang++-16 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -S -O2 -DSMALL -DCLANG
//       forms.cu -o forms_clang.ptx
#ifdef CLANG
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
extern "C" __attribute__((device)) void __syncthreads();
#define TID __nvvm_read_ptx_sreg_tid_x()
#define SYNC __syncthreads()
#else
#define TID threadIdx.x
#define SYNC __syncthreads()
#endif

__constant__ float table[8] = {1.0f, -2.5f, 0.0f, 3.0e-20f};
__device__ int counter = 7;
__device__ const char text[] = "heddle";

static __device__ __noinline__ float helper(float x, int n) { return n == 0 ? x : x * table[n & 7] + 1.0f; }

__global__ void reduce(const float* in, float* out, int n) {
  __shared__ float part[256];
  float sum = 0.0f;
  for (int i = TID; i < n; i += 256) {
    sum += helper(in[i], i);
  }
  part[TID] = sum;
  SYNC;
#pragma unroll 1
  for (int step = 128; step > 0; step >>= 1) {
    if (TID < step) {
      part[TID] += part[TID + step];
    }
    SYNC;
  }
  if (TID == 0) {
    out[0] = part[0];
  }
}

#ifndef SMALL
#include <cstdio>
#include <cuda_fp16.h>

__device__ int (*const reach[2])(int) = {nullptr, nullptr};
__device__ int* pointer = &counter;
__device__ float4 quad = {1, 2, 3, 4};

typedef float (*Operation)(float, int);

struct Big {
  double a[5];
  char b;
};

__global__ void __launch_bounds__(128, 2) __cluster_dims__(2, 1, 1) calls(Operation f, Big big, float* out) {
  extern __shared__ double dynamic[];
  dynamic[threadIdx.x] = big.a[threadIdx.x % 5] / 3.0;
  __syncthreads();
  out[threadIdx.x] = f(static_cast<float>(dynamic[127 - threadIdx.x]), big.b);
  printf("%d %f\n", threadIdx.x, dynamic[0]);
}

__global__ void choose(int* x, int which) {
  switch (which) {
    case 0: atomicAdd(x, 1); break;
    case 1: atomicCAS(x, 2, 3); break;
    case 2: x[1] = __shfl_xor_sync(~0u, x[0], 4); break;
    case 3: x[1] = __popc(x[0]) + __clz(x[1]); break;
    case 4: x[2] = __ballot_sync(~0u, x[3] > 0); break;
    case 5: x[3] = atomicExch(&counter, 9) + *pointer + text[x[0] & 3]; break;
    case 6: x[4] = static_cast<int>(quad.y) + (reach[x[0] & 1] != nullptr); break;
    default: x[5] = x[6] / x[7] + x[8] % 7; break;
  }
}

__global__ void halves(__half2* x, float* y, unsigned long long n) {
  const __half2 v = __hfma2(x[0], x[1], x[2]);
  x[3] = v;
  y[0] = __low2float(v) + rsqrtf(y[1]) + __expf(y[2]) + sinf(y[3]);
  y[4] = static_cast<float>(n / 10u) + __fdividef(y[5], y[6]) + __fsqrt_rz(y[7]);
  asm volatile("{ .reg .pred p; setp.ne.b64 p, %0, 0; @p st.global.cs.f32 [%1], 0f3F800000; }" ::"l"(n), "l"(y));
}
#endif
