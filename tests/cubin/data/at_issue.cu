// Kernels of at_issue_test.cc: nvcc -gencode arch=compute_90,code=sm_90 -fatbin -Xfatbin -compress-all.
#include <cuda_fp16.h>

#include <cstdint>

// Every width of loads and stores: each thread copies its own bytes.
extern "C" __global__ void widths(uint8_t* out, const uint8_t* in) {
  const uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  out[t] = in[t] + 1;
  uint16_t* out2 = reinterpret_cast<uint16_t*>(out + n);
  out2[t] = reinterpret_cast<const int8_t*>(in)[t];  // with its sign
  uint32_t* out4 = reinterpret_cast<uint32_t*>(out + 3 * n);
  out4[t] = reinterpret_cast<const int16_t*>(in)[t];
  uint64_t* out8 = reinterpret_cast<uint64_t*>(out + 7 * n);
  out8[t] = reinterpret_cast<const uint64_t*>(in)[t] + 1;
  uint4* out16 = reinterpret_cast<uint4*>(out + 15 * n);
  uint4 v = reinterpret_cast<const uint4*>(in)[t];
  v.x ^= v.w;
  out16[t] = v;
}

// Lanes go round as often as their number says; then the block turns its rows round in shared memory.
extern "C" __global__ void parted(uint32_t* out, const uint32_t* in) {
  __shared__ uint32_t rows[256];
  const uint32_t t = threadIdx.x, g = blockIdx.x * 256 + t;
  uint32_t x = in[g];
  for (uint32_t i = 0; i < t % 7; ++i) {
    x = x * 3 + in[(g + i) % 256];
    if (x % 5 == 0) {
      x += __popc(in[(x >> 3) % 256]);
    }
  }
  rows[t] = x;
  __syncthreads();
  x = rows[255 - t] + __shfl_xor_sync(~0u, x, 5);
  out[g] = x;
}

extern "C" __global__ void sums(uint64_t* out, uint32_t* olds) {
  const uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(reinterpret_cast<unsigned long long*>(out), 1ull << 33 | t);
  atomicAdd(reinterpret_cast<double*>(out + 1), 0.5);
  atomicAdd(reinterpret_cast<__half2*>(out + 2), __half2(__float2half(1), __float2half(2)));
  atomicMax(reinterpret_cast<int*>(out + 3), static_cast<int>(t) - 7);
  atomicXor(reinterpret_cast<unsigned*>(out + 4), 1u << t % 32);
  olds[t] = atomicInc(reinterpret_cast<unsigned*>(out + 5), 4095);
}

// Block 0 waits for the word that the last block stores behind its data.
extern "C" __global__ void flag(uint32_t* p) {
  if (blockIdx.x == gridDim.x - 1) {
    for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x) p[64 + i] = i * i;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *static_cast<volatile uint32_t*>(p) = 1;
  } else if (blockIdx.x == 0) {
    while (*static_cast<volatile uint32_t*>(p) == 0) {
    }
    __threadfence();
    uint32_t sum = 0;
    for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x) sum += p[64 + i];
    atomicAdd(p + 1, sum);
  }
}

// A lock; what it guards is loaded and stored as any other word.
extern "C" __global__ void lock(uint32_t* p, uint32_t turns) {
  if (threadIdx.x != 0) return;
  for (uint32_t i = 0; i < turns; ++i) {
    while (atomicCAS(p, 0, 1) != 0) {
    }
    __threadfence();
    p[32] = p[32] + 1;
    __threadfence();
    atomicExch(p, 0);
  }
}

// Nobody waits for anybody: what is left is what the machine's time makes of it.
extern "C" __global__ void race(uint32_t* p, uint32_t turns) {
  for (uint32_t i = 0; i < turns; ++i) {
    volatile uint32_t* v = p + (threadIdx.x + i) % 4;
    *v = *v + 1;
  }
  p[64 + blockIdx.x * blockDim.x + threadIdx.x] = *static_cast<volatile uint32_t*>(p);
}

extern "C" __global__ void clocks(uint64_t* out, float x) {
  const long long a = clock64();
  float y = x;
#pragma unroll
  for (int i = 0; i < 64; ++i) y = y * x + 1.0f;
  const long long b = clock64();
  out[2 * threadIdx.x] = static_cast<uint64_t>(b - a);
  out[2 * threadIdx.x + 1] = __float_as_uint(y);
}

// Waits for what never comes.
extern "C" __global__ void never(uint32_t* p) {
  while (*static_cast<volatile uint32_t*>(p) == 0) {
  }
}
