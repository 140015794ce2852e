// What the parts of a small kernel cost, cold: kernels of one block that do a little more each. Under ncu --cache-control all, SM-active
// cycles; `small_parts` prints nothing. FINDINGS.md 40.
// Build: nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a small_parts.cu -o small_parts
#include "mb.h"

extern "C" {
__global__ void p0_empty(const float* in, float* out) {}
__global__ void p1_store(const float* in, float* out) {
  if (threadIdx.x == 0) {
    out[0] = 1;
  }
}
__global__ void p2_store_all(const float* in, float* out) { out[threadIdx.x] = 1; }
__global__ void p3_load_store(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void p4_load(const float* in, float* out) {
  if (in[threadIdx.x] == 123) {
    out[0] = 1;
  }
}
__global__ void p5_two_loads(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x + 65536]; }
__global__ void p6_shuffles(const float* in, float* out) {
  float f = in[threadIdx.x];
  for (int o = 16; o > 0; o >>= 1) {
    f += __shfl_xor_sync(~0u, f, o);
  }
  out[threadIdx.x] = f;
}
__global__ void p7_shuffles_one(const float* in, float* out) {
  float f = in[threadIdx.x];
  for (int o = 16; o > 0; o >>= 1) {
    f += __shfl_xor_sync(~0u, f, o);
  }
  if (threadIdx.x == 0) {
    out[0] = f;
  }
}
__global__ void p8_block_sum(const float* in, float* out) {
  __shared__ float part[2];
  float f = in[threadIdx.x];
  for (int o = 16; o > 0; o >>= 1) {
    f += __shfl_xor_sync(~0u, f, o);
  }
  if (threadIdx.x % 32 == 0) {
    part[threadIdx.x / 32] = f;
  }
  __syncthreads();
  if (threadIdx.x < 2) {
    float g = part[threadIdx.x];
    g += __shfl_xor_sync(3, g, 1);
    if (threadIdx.x == 0) {
      part[0] = g;
    }
  }
  __syncthreads();
  float all = part[0];
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = all * 0.5f;
  }
}
__global__ void p9_barriers(const float* in, float* out) {
  __syncthreads();
  __syncthreads();
  __syncthreads();
}
__global__ void pa_shared(const float* in, float* out) {
  __shared__ float part[64];
  part[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (part[threadIdx.x ^ 33] == 123) {
    out[0] = 1;
  }
}
}
// Vectorised addition as frameworks have it: 128 threads, 4 values of 16 bytes each.
__global__ void pb_add(const float4* a, const float4* b, float4* c) {
  const size_t base = (size_t)blockIdx.x * 512 + threadIdx.x;
  float4 x[4], y[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    x[i] = a[base + i * 128];
    y[i] = b[base + i * 128];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    c[base + i * 128] = make_float4(x[i].x + y[i].x, x[i].y + y[i].y, x[i].z + y[i].z, x[i].w + y[i].w);
  }
}

int main() {
  char* m;
  CK(cudaMalloc(&m, size_t{512} << 20));
  CK(cudaMemset(m, 0, size_t{512} << 20));
  const float* in = (float*)(m + (64 << 20));
  float* out = (float*)(m + (200 << 20));
  for (int r = 0; r < 5; ++r) {
    p0_empty<<<1, 64>>>(in, out);
    p1_store<<<1, 64>>>(in, out);
    p2_store_all<<<1, 64>>>(in, out);
    p3_load_store<<<1, 64>>>(in, out);
    p4_load<<<1, 64>>>(in, out);
    p5_two_loads<<<1, 64>>>(in, out);
    p6_shuffles<<<1, 64>>>(in, out);
    p7_shuffles_one<<<1, 64>>>(in, out);
    p8_block_sum<<<1, 64>>>(in, out);
    p9_barriers<<<1, 64>>>(in, out);
    pa_shared<<<1, 64>>>(in, out);
    for (int blocks : {1, 16, 128, 512, 1024}) {
      pb_add<<<blocks, 128>>>((float4*)m, (float4*)(m + (128 << 20)), (float4*)(m + (256 << 20)));
    }
    CK(cudaDeviceSynchronize());
  }
}
