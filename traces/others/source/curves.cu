// Pointer chases and streams after the public programs whose results shared/reference/other-gpus.md has (gpu-benches of D. Ernst: latency,
// cache, stream), written anew. Each is run twice with different amounts of work, and the difference is what is compared.
#include <cstdint>

namespace {

// A cycle through all of 2^n lines: the period of this generator is full.
__device__ uint32_t next(uint32_t i, uint32_t lines) { return (i * 1664525u + 1013904223u) & (lines - 1); }

constexpr uint32_t kWords = 16;  // pointers in a line

}  // namespace

// One thread follows `steps` pointers through `lines` lines of 128 bytes, which its SM has read before.
extern "C" __global__ void chase(uint64_t* p, uint32_t lines, uint32_t steps, uint64_t* out) {
  for (uint32_t i = threadIdx.x; i < lines; i += blockDim.x) {
    p[uint64_t(i) * kWords] = reinterpret_cast<uint64_t>(p + uint64_t(next(i, lines)) * kWords);
  }
  __syncthreads();
  uint64_t sum = 0;
  for (uint32_t i = threadIdx.x; i < lines; i += blockDim.x) {
    sum += p[uint64_t(i) * kWords];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const uint64_t* q = p;
    for (uint32_t s = 0; s < steps; ++s) {
      q = reinterpret_cast<const uint64_t*>(*q);
    }
    out[0] = reinterpret_cast<uint64_t>(q) + sum;
  }
}

// All blocks together read n elements in each turn, each block another part than in the turn before; past the L1.
extern "C" __global__ void read_again(const float4* p, uint32_t n, uint32_t turns, float* out) {
  const uint32_t part = n / gridDim.x;
  float sum = 0;
  uint32_t mine = blockIdx.x;
  for (uint32_t t = 0; t < turns; ++t) {
    const float4* from = p + uint64_t(mine) * part;
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < part; i += blockDim.x) {
      const float4 v = __ldcg(from + i);
      sum += v.x + v.y + v.z + v.w;
    }
    mine += 7;
    mine = mine >= gridDim.x ? mine - gridDim.x : mine;
  }
  if (sum == 1.25f) {
    out[0] = sum;
  }
}

extern "C" __global__ void stream_read(const double* a, double* out) {
  const uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (a[i] == 1.25) {
    out[0] = 1;
  }
}

extern "C" __global__ void stream_write(double* a, double value) {
  a[uint64_t(blockIdx.x) * blockDim.x + threadIdx.x] = value;
}

extern "C" __global__ void stream_triad(double* a, const double* b, const double* c, double s) {
  const uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  a[i] = b[i] + s * c[i];
}
