// Sums and extremes of an array in the ways people write them: shared memory, shuffles, atomics, vector loads.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <climits>
#include <numeric>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

constexpr int kThreads = 256;

template <class T>
class Buffer {
 public:
  explicit Buffer(size_t n) : n_(n) { CHECK(cudaMalloc(&p_, n * sizeof(T))); }
  explicit Buffer(const std::vector<T>& v) : Buffer(v.size()) {
    CHECK(cudaMemcpy(p_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { cudaFree(p_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* get() const { return p_; }
  std::vector<T> host() const {
    std::vector<T> v(n_);
    CHECK(cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  T* p_ = nullptr;
  size_t n_;
};

// Neighbours are added first: half of the threads idle from the start, and more at each step.
template <class T>
__global__ void interleaved(const T* in, T* out, int n) {
  extern __shared__ unsigned char raw[];
  T* s = reinterpret_cast<T*>(raw);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// The upper half is added to the lower one.
template <class T>
__global__ void sequential(const T* in, T* out, int n) {
  extern __shared__ unsigned char raw[];
  T* s = reinterpret_cast<T*>(raw);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  T x = i < n ? in[i] : T(0);
  if (i + blockDim.x < n) x += in[i + blockDim.x];
  s[t] = x;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

template <class T, class Op>
__device__ T warpReduce(T x, Op op) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x = op(x, __shfl_down_sync(0xffffffffu, x, d));
  return x;
}

// Shuffles within a warp, shared memory between warps, a loop over the grid.
template <class T, class Op>
__global__ void shuffled(const T* in, T* out, int n, T zero, Op op) {
  __shared__ T part[32];
  T x = zero;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x = op(x, in[i]);
  x = warpReduce(x, op);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x < 32) {
    x = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : zero;
    x = warpReduce(x, op);
    if (threadIdx.x == 0) out[blockIdx.x] = x;
  }
}

__global__ void atomics(const int* in, unsigned long long* sum, int* lo, int* hi, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(sum, (unsigned long long)(long long)in[i]);
  atomicMin(lo, in[i]);
  atomicMax(hi, in[i]);
}

// The whole warp's sum in one instruction (compute capability 8.0 and later), then one atomic per warp.
__global__ void vectorReduce(const int4* in, unsigned long long* sum, int quads) {
  int s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    int4 v = in[i];
    s += v.x + v.y + v.z + v.w;
  }
  s = __reduce_add_sync(0xffffffffu, s);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, (unsigned long long)(long long)s);
}

// The last block to finish adds up what the others left.
__device__ unsigned finished = 0;
__global__ void onePass(const float* in, float* part, float* out, int n) {
  __shared__ float s[kThreads];
  __shared__ bool last;
  float x = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x += in[i];
  s[threadIdx.x] = x;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += ((volatile float*)part)[b];
    *out = sum;
  }
}

struct Sum {
  template <class T> __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
struct Max {
  template <class T> __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

static bool report(const char* name, long long got, long long want) {
  std::printf("%-22s %lld %s\n", name, got, got == want ? "PASS" : "FAIL");
  return got == want;
}

int main() {
  const int n = 200003;
  std::vector<int> v(n);
  unsigned state = 2463534242u;
  for (int& x : v) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    x = int(state % 2001) - 1000;
  }
  std::vector<float> f(n);
  std::transform(v.begin(), v.end(), f.begin(), [](int x) { return x / 7.0f; });
  const long long want = std::accumulate(v.begin(), v.end(), 0ll);
  const auto [lo, hi] = std::minmax_element(v.begin(), v.end());
  std::printf("reduction of %d numbers\n", n);

  bool ok = true;
  Buffer<int> in(v);
  {
    int blocks = (n + kThreads - 1) / kThreads;
    Buffer<int> out(blocks);
    interleaved<int><<<blocks, kThreads, kThreads * sizeof(int)>>>(in.get(), out.get(), n);
    CHECK(cudaGetLastError());
    auto h = out.host();
    ok &= report("interleaved int", std::accumulate(h.begin(), h.end(), 0ll), want);
  }
  {
    int blocks = (n + 2 * kThreads - 1) / (2 * kThreads);
    Buffer<int> out(blocks);
    sequential<int><<<blocks, kThreads, kThreads * sizeof(int)>>>(in.get(), out.get(), n);
    CHECK(cudaGetLastError());
    auto h = out.host();
    ok &= report("sequential int", std::accumulate(h.begin(), h.end(), 0ll), want);
  }
  {
    const int blocks = 64;
    Buffer<int> out(blocks), total(1);
    shuffled<<<blocks, kThreads>>>(in.get(), out.get(), n, 0, Sum());
    shuffled<<<1, kThreads>>>(out.get(), total.get(), blocks, 0, Sum());
    ok &= report("shuffled int", total.host()[0], want);
    shuffled<<<blocks, kThreads>>>(in.get(), out.get(), n, INT_MIN, Max());
    shuffled<<<1, 64>>>(out.get(), total.get(), blocks, INT_MIN, Max());
    ok &= report("shuffled max", total.host()[0], *hi);
  }
  {
    Buffer<unsigned long long> sum(1);
    Buffer<int> low(std::vector<int>{INT_MAX}), high(std::vector<int>{INT_MIN});
    CHECK(cudaMemset(sum.get(), 0, sizeof(unsigned long long)));
    atomics<<<(n + kThreads - 1) / kThreads, kThreads>>>(in.get(), sum.get(), low.get(), high.get(), n);
    CHECK(cudaGetLastError());
    ok &= report("atomic sum", (long long)sum.host()[0], want);
    ok &= report("atomic min", low.host()[0], *lo);
    ok &= report("atomic max", high.host()[0], *hi);
    CHECK(cudaMemset(sum.get(), 0, sizeof(unsigned long long)));
    vectorReduce<<<32, kThreads>>>(reinterpret_cast<int4*>(in.get()), sum.get(), n / 4);
    ok &= report("vector loads", (long long)sum.host()[0], want - std::accumulate(v.begin() + n / 4 * 4, v.end(), 0ll));
  }
  {
    double exact = 0;
    for (float x : f) exact += x;
    Buffer<float> fin(f), part(48), out(1);
    for (int pass = 0; pass < 2; pass++) {
      onePass<<<48, kThreads>>>(fin.get(), part.get(), out.get(), n);
      CHECK(cudaDeviceSynchronize());
      float got = out.host()[0];
      bool near = std::fabs(got - exact) < 0.05;
      ok &= near;
      std::printf("one pass float         %.9g %s\n", got, near ? "PASS" : "FAIL");
    }
    Buffer<double> din(std::vector<double>(f.begin(), f.end())), dpart(64), dout(1);
    shuffled<<<64, kThreads>>>(din.get(), dpart.get(), n, 0.0, Sum());
    shuffled<<<1, 64>>>(dpart.get(), dout.get(), 64, 0.0, Sum());
    double got = dout.host()[0];
    bool near = std::fabs(got - exact) < 1e-6;
    ok &= near;
    std::printf("shuffled double        %.17g %s\n", got, near ? "PASS" : "FAIL");
  }
  CHECK(cudaDeviceSynchronize());
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
