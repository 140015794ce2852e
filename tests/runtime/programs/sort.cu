// Sorting: a bitonic network in shared and global memory, and a radix sort of keys with values.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>
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

constexpr int kShared = 1024;  // elements of a block's shared memory, two for each thread

template <class T>
__device__ void order(T& a, T& b, bool ascending) {
  if ((a > b) == ascending) {
    T t = a;
    a = b;
    b = t;
  }
}

template <class T>
__global__ void bitonicShared(T* data, int from, int to) {  // all steps of sizes from..to that fit in a block
  __shared__ T s[kShared];
  int t = threadIdx.x, base = blockIdx.x * kShared;
  s[t] = data[base + t];
  s[t + kShared / 2] = data[base + t + kShared / 2];
  for (int size = from; size <= to; size *= 2)
    for (int stride = min(size, kShared) / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int i = 2 * t - (t & (stride - 1));
      order(s[i], s[i + stride], ((base + i) & size) == 0);
    }
  __syncthreads();
  data[base + t] = s[t];
  data[base + t + kShared / 2] = s[t + kShared / 2];
}

template <class T>
__global__ void bitonicGlobal(T* data, int size, int stride) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int i = 2 * t - (t & (stride - 1));
  order(data[i], data[i + stride], (i & size) == 0);
}

template <class T>
void bitonicSort(T* data, int n) {
  bitonicShared<<<n / kShared, kShared / 2>>>(data, 2, kShared);
  for (int size = 2 * kShared; size <= n; size *= 2) {
    for (int stride = size / 2; stride >= kShared; stride /= 2)
      bitonicGlobal<<<n / 512, 256>>>(data, size, stride);
    bitonicShared<<<n / kShared, kShared / 2>>>(data, size, size);
  }
  CHECK(cudaGetLastError());
}

// A radix sort of 4 bits a pass. Each block has a tile of 256 elements, one for a thread.
constexpr int kRadix = 16, kTile = 256;

__global__ void countDigits(const unsigned* keys, unsigned* counts, int n, int shift) {
  __shared__ unsigned c[kRadix];
  if (threadIdx.x < kRadix) c[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * kTile + threadIdx.x;
  if (i < n) atomicAdd(&c[keys[i] >> shift & (kRadix - 1)], 1u);
  __syncthreads();
  if (threadIdx.x < kRadix) counts[threadIdx.x * gridDim.x + blockIdx.x] = c[threadIdx.x];
}

__global__ void scanCounts(unsigned* counts, int n) {  // one block
  __shared__ unsigned s[1024];
  unsigned carry = 0;
  for (int base = 0; base < n; base += blockDim.x) {
    int i = base + threadIdx.x;
    unsigned x = i < n ? counts[i] : 0;
    s[threadIdx.x] = x;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
      unsigned y = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
      __syncthreads();
      s[threadIdx.x] += y;
      __syncthreads();
    }
    if (i < n) counts[i] = carry + s[threadIdx.x] - x;
    carry += s[blockDim.x - 1];
    __syncthreads();
  }
}

// An element's place: its digit's offset, the earlier warps' elements of the digit, and the lanes before it.
__global__ void scatter(const unsigned* keys, const unsigned* values, unsigned* keysOut, unsigned* valuesOut,
                        const unsigned* offsets, int n, int shift) {
  __shared__ unsigned perWarp[kTile / 32][kRadix];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, i = blockIdx.x * kTile + threadIdx.x;
  if (lane < kRadix) perWarp[warp][lane] = 0;
  __syncwarp();
  bool valid = i < n;
  unsigned key = valid ? keys[i] : 0, digit = valid ? key >> shift & (kRadix - 1) : kRadix;
  unsigned peers = __match_any_sync(~0u, digit);
  unsigned rank = __popc(peers & ((1u << lane) - 1));
  if (valid && rank == 0) perWarp[warp][digit] = __popc(peers);
  __syncthreads();
  if (valid) {
    for (int w = 0; w < warp; w++) rank += perWarp[w][digit];
    unsigned to = offsets[digit * gridDim.x + blockIdx.x] + rank;
    keysOut[to] = key;
    valuesOut[to] = values[i];
  }
}

static std::vector<unsigned> numbers(int n, unsigned seed) {
  std::vector<unsigned> v(n);
  for (unsigned& x : v) {
    seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
    x = seed;
  }
  return v;
}

template <class T>
static uint32_t hash(const std::vector<T>& v) {
  uint32_t h = 2166136261u;
  for (const T& x : v) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    h = (h ^ bits) * 16777619u;
  }
  return h;
}

template <class T>
static bool bitonic(const char* name, const std::vector<T>& v) {
  T* d;
  CHECK(cudaMalloc(&d, v.size() * sizeof(T)));
  CHECK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  bitonicSort(d, int(v.size()));
  std::vector<T> got(v.size()), want(v);
  CHECK(cudaMemcpy(got.data(), d, v.size() * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d));
  std::sort(want.begin(), want.end());
  std::printf("bitonic %-8s %6zu hash %08x %s\n", name, v.size(), hash(got), got == want ? "PASS" : "FAIL");
  return got == want;
}

static bool radix(int n) {
  std::vector<unsigned> keys = numbers(n, 77u + n), values(n), gotKeys(n), gotValues(n);
  for (int i = 0; i < n; i += 3) keys[i] &= 0xff00ff;  // equal ones too: the sort must be stable
  std::iota(values.begin(), values.end(), 0u);
  const int tiles = (n + kTile - 1) / kTile;
  unsigned *k[2], *v[2], *counts;
  for (int i = 0; i < 2; i++) {
    CHECK(cudaMalloc(&k[i], n * sizeof(unsigned)));
    CHECK(cudaMalloc(&v[i], n * sizeof(unsigned)));
  }
  CHECK(cudaMalloc(&counts, tiles * kRadix * sizeof(unsigned)));
  CHECK(cudaMemcpy(k[0], keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(v[0], values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  for (int shift = 0; shift < 32; shift += 4) {
    countDigits<<<tiles, kTile>>>(k[0], counts, n, shift);
    scanCounts<<<1, 1024>>>(counts, tiles * kRadix);
    scatter<<<tiles, kTile>>>(k[0], v[0], k[1], v[1], counts, n, shift);
    CHECK(cudaGetLastError());
    std::swap(k[0], k[1]);
    std::swap(v[0], v[1]);
  }
  CHECK(cudaMemcpy(gotKeys.data(), k[0], n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(gotValues.data(), v[0], n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (unsigned* p : {k[0], k[1], v[0], v[1], counts}) CHECK(cudaFree(p));
  std::stable_sort(values.begin(), values.end(), [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
  std::vector<unsigned> want(n);
  for (int i = 0; i < n; i++) want[i] = keys[values[i]];
  bool same = gotKeys == want && gotValues == values;
  std::printf("radix pairs      %6d hash %08x %08x first %u median %u last %u %s\n", n, hash(gotKeys), hash(gotValues),
              gotKeys[0], gotKeys[n / 2], gotKeys[n - 1], same ? "PASS" : "FAIL");
  return same;
}

int main() {
  bool ok = true;
  std::vector<unsigned> u = numbers(1 << 15, 1);
  std::vector<int> s(u.begin(), u.begin() + (1 << 13));
  std::vector<float> f(1 << 12);
  for (size_t i = 0; i < f.size(); i++) f[i] = int(u[i]) / 3.0f;
  ok &= bitonic("unsigned", u);
  ok &= bitonic("int", s);
  ok &= bitonic("float", f);
  for (int n : {5, 256, 1000, 40000}) ok &= radix(n);
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
