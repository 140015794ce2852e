// Memory-bound fp32 operators with the algorithms, grids and blocks of ATen's CUDA kernels (PyTorch 2.1.0), written anew:
// elementwise.cuh (vectorized_elementwise_kernel<4>), PersistentSoftmax.cuh (softmax_warp_forward), SoftMax.cu
// (cunn_SoftMaxForward<4>). `make.sh` compiles them; tools/others-check says which launch each row of the measurements was.
#include <cfloat>
#include <cstdint>

namespace {

constexpr int kThreads = 128;     // of an elementwise block
constexpr int kPerThread = 4;     // elements
constexpr int kPerBlock = kThreads * kPerThread;

// One float4 of each tensor per thread; the last block goes element by element, first all loads, then all stores.
template <typename F>
__device__ void elementwise(int n, float* out, const float* a, const float* b, F f) {
  const int base = kPerBlock * blockIdx.x;
  const int left = n - base;
  if (left < kPerBlock) {
    float x[kPerThread], y[kPerThread];
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      const int at = threadIdx.x + i * kThreads;
      x[i] = at < left ? a[base + at] : 0;
      y[i] = b && at < left ? b[base + at] : 0;
    }
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      const int at = threadIdx.x + i * kThreads;
      if (at < left) out[base + at] = f(x[i], y[i]);
    }
    return;
  }
  const float4 x = reinterpret_cast<const float4*>(a + base)[threadIdx.x];
  const float4 y = b ? reinterpret_cast<const float4*>(b + base)[threadIdx.x] : float4{};
  reinterpret_cast<float4*>(out + base)[threadIdx.x] = {f(x.x, y.x), f(x.y, y.y), f(x.z, y.z), f(x.w, y.w)};
}

struct Max {
  static constexpr float kNothing = -FLT_MAX;
  __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

struct Sum {
  static constexpr float kNothing = 0;
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Of a block: every value through shared memory, then the first lanes of warp 0 one warp's each, then thread 0 those.
template <typename R>
__device__ float block_reduce(float* shared, float value, R reduce) {
  __syncthreads();
  shared[threadIdx.x] = value;
  __syncthreads();
  const unsigned warps = blockDim.x / 32;
  if (threadIdx.x < warps) {
    float of_warp = R::kNothing;
#pragma unroll
    for (int i = 0; i < 32; ++i) of_warp = reduce(of_warp, shared[threadIdx.x * 32 + i]);
    // ATen has __syncwarp here, for these lanes. The BRA.CONV that it becomes is not executed yet (frontends/cubin), and
    // lanes that go together need none.
    asm volatile("" ::: "memory");
    shared[threadIdx.x] = of_warp;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = R::kNothing;
    for (int i = 0; i < blockDim.x / 32; ++i) all = reduce(all, shared[i]);
    shared[0] = all;
  }
  __syncthreads();
  return shared[0];
}

// `step` with each element of a row: the head up to 16-byte alignment one by one, float4s, and the rest one by one.
template <typename Step>
__device__ float thread_reduce(int shift, const float* row, int size, float value, Step step) {
  int at = threadIdx.x;
  if (shift > 0) {
    row -= shift;
    size += shift;
    if (threadIdx.x >= shift) value = step(value, row[at]);
    size -= blockDim.x;
    row += blockDim.x;
  }
  const int rest = size % (4 * blockDim.x);
  for (; at * 4 < size - rest; at += blockDim.x) {
    const float4 v = reinterpret_cast<const float4*>(row)[at];
    value = step(step(step(step(value, v.x), v.y), v.z), v.w);
  }
  for (at = size - rest + threadIdx.x; at < size; at += blockDim.x) value = step(value, row[at]);
  return value;
}

// Up to 2^LOG2 elements a row, one row (two of up to 128 elements) a warp, all of it in registers.
template <int LOG2>
__device__ void softmax_warp(float* out, const float* in, int rows, int stride, int size) {
  constexpr int kLanes = (1 << LOG2) < 32 ? 1 << LOG2 : 32;
  constexpr int kEach = (1 << LOG2) / kLanes;
  constexpr int kRows = LOG2 <= 7 ? 2 : 1;
  const int first = (blockDim.y * blockIdx.x + threadIdx.y) * kRows;
  const int mine = min(rows - first, kRows);
  const int lane = threadIdx.x;
  in += first * stride + lane;
  out += first * stride + lane;
  float v[kRows][kEach], most[kRows], sum[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int here = r >= mine ? 0 : size;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      v[r][i] = lane + i * kLanes < here ? in[r * size + i * kLanes] : -INFINITY;
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    most[r] = v[r][0];
#pragma unroll
    for (int i = 1; i < kEach; ++i) most[r] = most[r] > v[r][i] ? most[r] : v[r][i];
  }
#pragma unroll
  for (int d = kLanes / 2; d > 0; d /= 2) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float other = __shfl_xor_sync(0xffffffff, most[r], d, kLanes);
      most[r] = most[r] < other ? other : most[r];
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    sum[r] = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      v[r][i] = expf(v[r][i] - most[r]);
      sum[r] += v[r][i];
    }
  }
#pragma unroll
  for (int d = kLanes / 2; d > 0; d /= 2) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) sum[r] += __shfl_xor_sync(0xffffffff, sum[r], d, kLanes);
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (r >= mine) break;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      if (lane + i * kLanes >= size) break;
      out[r * size + i * kLanes] = sum[r] == 0 ? NAN : v[r][i] / sum[r];
    }
  }
}

}  // namespace

extern "C" {

__global__ void __launch_bounds__(kThreads) add(int n, float alpha, float* out, const float* a, const float* b) {
  elementwise(n, out, a, b, [alpha](float x, float y) { return x + alpha * y; });
}

__global__ void __launch_bounds__(kThreads) mul(int n, float* out, const float* a, const float* b) {
  elementwise(n, out, a, b, [](float x, float y) { return x * y; });
}

__global__ void __launch_bounds__(kThreads) divide(int n, float* out, const float* a, const float* b) {
  elementwise(n, out, a, b, [](float x, float y) { return x / y; });
}

__global__ void __launch_bounds__(kThreads) relu(int n, float* out, const float* a) {
  elementwise(n, out, a, nullptr, [](float x, float) { return x != x ? x : fmaxf(x, 0); });
}

__global__ void __launch_bounds__(kThreads) gelu(int n, float* out, const float* a) {
  elementwise(n, out, a, nullptr, [](float x, float) { return x * 0.5f * (1 + erff(x * 0.70710678f)); });
}

__global__ void __launch_bounds__(kThreads) hyperbolic(int n, float* out, const float* a) {
  elementwise(n, out, a, nullptr, [](float x, float) { return tanhf(x); });
}

// A row a block, three times over it: its largest, the sum of the exponentials, the results.
__global__ void softmax_block(float* out, const float* in, int size) {
  extern __shared__ float shared[];
  in += int64_t(blockIdx.x) * size;
  out += int64_t(blockIdx.x) * size;
  const int shift = uint64_t(in) % 16 / 4;
  const int out_shift = uint64_t(out) % 16 / 4;
  const float own = thread_reduce(shift, in, size, -FLT_MAX, [](float m, float v) { return fmaxf(m, v); });
  const float most = block_reduce(shared, own, Max());
  const float exps = thread_reduce(shift, in, size, 0, [most](float s, float v) { return s + expf(v - most); });
  const float sum = block_reduce(shared, exps, Sum());
  const auto result = [most, sum](float v) { return expf(v - most) / sum; };
  if (shift != out_shift) {
    for (int at = threadIdx.x; at < size; at += blockDim.x) out[at] = result(in[at]);
    return;
  }
  int at = threadIdx.x;
  if (shift > 0) {
    in -= shift;
    out -= shift;
    size += shift;
    if (threadIdx.x >= shift) out[at] = result(in[at]);
    size -= blockDim.x;
    in += blockDim.x;
    out += blockDim.x;
  }
  const int rest = size % (4 * blockDim.x);
  for (; at * 4 < size - rest; at += blockDim.x) {
    const float4 v = reinterpret_cast<const float4*>(in)[at];
    reinterpret_cast<float4*>(out)[at] = {result(v.x), result(v.y), result(v.z), result(v.w)};
  }
  for (at = size - rest + threadIdx.x; at < size; at += blockDim.x) out[at] = result(in[at]);
}

#define SOFTMAX_WARP(N)                                                                                       \
  __global__ void softmax_warp_##N(float* out, const float* in, int rows, int stride, int size) {             \
    softmax_warp<N>(out, in, rows, stride, size);                                                             \
  }
SOFTMAX_WARP(5)
SOFTMAX_WARP(6)
SOFTMAX_WARP(7)
SOFTMAX_WARP(8)
SOFTMAX_WARP(9)
SOFTMAX_WARP(10)

}  // extern "C"
