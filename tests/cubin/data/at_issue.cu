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

// A row's sum of differences to its largest value: the same shared words are used for maxima and for sums, and
// nothing but time lies between the last read of the one and the first write of the other.
extern "C" __global__ void rows(uint32_t* out, const uint32_t* in, uint32_t n) {
  __shared__ uint32_t part[32];
  const uint32_t* x = in + blockIdx.x * n;
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  uint32_t top = 0;
  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) top = max(top, x[i]);
  for (uint32_t d = 16; d; d /= 2) top = max(top, __shfl_xor_sync(~0u, top, d));
  if (lane == 0) part[warp] = top;
  __syncthreads();
  top = part[0];
  for (uint32_t i = 1; i < warps; ++i) top = max(top, part[i]);
  uint32_t sum = 0;
  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) sum += top - x[i];
  for (uint32_t d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  sum = 0;
  for (uint32_t i = 0; i < warps; ++i) sum += part[i];
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Two warps that count for equally long, and look at each other half-way.
extern "C" __global__ void half_way(uint32_t* out) {
  __shared__ volatile uint32_t count[2];
  if (threadIdx.x < 2) count[threadIdx.x] = 0;
  __syncthreads();
  const uint32_t w = threadIdx.x / 32;
  uint32_t seen = 0;
  for (uint32_t i = 0; i < 2000; ++i) {
    if (i == 1000) seen = count[1 - w];
    count[w] = i;
  }
  if (threadIdx.x % 32 == 0) out[w] = seen;
}

// Copies to shared memory behind a store of the same thread to what they read; waited for by group and through
// a barrier object. Odd threads copy 8 of 16 bytes, the rest is zero.
extern "C" __global__ void copies(uint32_t* out, uint32_t* in) {
  __shared__ alignas(16) uint32_t first[64][4], second[64];
  __shared__ alignas(8) uint64_t object;
  const uint32_t t = threadIdx.x, block = blockIdx.x * 64;
  uint32_t* mine = in + (block + t) * 4;
  const auto address = [](const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); };
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address(&object)));
  __syncthreads();
  mine[1] = mine[0] * 3;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(address(first[t])), "l"(mine), "r"(t % 2 ? 8 : 16));
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  out[(block + t) * 4] = first[t][0] + first[t][1] + first[t][3];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address(&second[t])), "l"(mine + 1));
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address(&object)) : "memory");
  uint32_t done = 0;
  while (!done) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(address(&object)) : "memory");
  }
  out[(block + t) * 4 + 1] = second[63 - t];
}
