// Matrix products without tensor cores: tiles in shared memory, a tile of results in each thread's registers, doubles.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
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

struct CudaFree {
  void operator()(void* p) const { cudaFree(p); }
};
template <class T>
using DevicePtr = std::unique_ptr<T[], CudaFree>;

template <class T>
DevicePtr<T> upload(const std::vector<T>& v) {
  T* p;
  CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
  CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return DevicePtr<T>(p);
}

// c (m x n) = a (m x k) b (k x n), any sizes.
template <class T, int kTile>
__global__ void tiled(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ T sa[kTile][kTile], sb[kTile][kTile + 1];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  T sum = 0;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    sa[ty][tx] = y < m && k0 + tx < k ? a[y * k + k0 + tx] : T(0);
    sb[ty][tx] = x < n && k0 + ty < k ? b[(k0 + ty) * n + x] : T(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; i++) sum += sa[ty][i] * sb[i][tx];
    __syncthreads();
  }
  if (x < n && y < m) c[y * n + x] = sum;
}

// 64 x 64 results a block, 4 x 4 a thread; sizes are multiples of 64.
__global__ void __launch_bounds__(256) registers(const float* a, const float* b, float* c, int n, int k) {
  __shared__ __align__(16) float sa[16][64], sb[16][64];
  int t = threadIdx.x, tx = t % 16 * 4, ty = t / 16 * 4, x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
  float r[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    float4 v = *reinterpret_cast<const float4*>(&a[(y0 + t / 4) * k + k0 + t % 4 * 4]);
    sa[t % 4 * 4][t / 4] = v.x, sa[t % 4 * 4 + 1][t / 4] = v.y;
    sa[t % 4 * 4 + 2][t / 4] = v.z, sa[t % 4 * 4 + 3][t / 4] = v.w;
    *reinterpret_cast<float4*>(&sb[t / 16][t % 16 * 4]) =
        *reinterpret_cast<const float4*>(&b[(k0 + t / 16) * n + x0 + t % 16 * 4]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) {
      float4 p = *reinterpret_cast<float4*>(&sa[i][ty]), q = *reinterpret_cast<float4*>(&sb[i][tx]);
      const float u[4] = {p.x, p.y, p.z, p.w}, w[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
      for (int y = 0; y < 4; y++)
#pragma unroll
        for (int x = 0; x < 4; x++) r[y][x] += u[y] * w[x];
    }
    __syncthreads();
  }
  for (int y = 0; y < 4; y++)
    *reinterpret_cast<float4*>(&c[(y0 + ty + y) * n + x0 + tx]) = make_float4(r[y][0], r[y][1], r[y][2], r[y][3]);
}

template <class T>
static std::vector<T> numbers(int n, unsigned seed) {
  std::vector<T> v(n);
  for (T& x : v) {
    seed = seed * 1103515245u + 12345u;
    x = T(int(seed >> 16 & 0xff) - 128) / T(96);
  }
  return v;
}

template <class T>
static bool compare(const char* name, const std::vector<T>& a, const std::vector<T>& b, const T* c, int m, int n, int k,
                    double tolerance) {
  std::vector<T> got(m * n);
  CHECK(cudaMemcpy(got.data(), c, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
  double worst = 0, sum = 0;
  std::vector<double> row(n);
  for (int y = 0; y < m; y++) {
    std::fill(row.begin(), row.end(), 0.0);
    for (int i = 0; i < k; i++)
      for (int x = 0; x < n; x++) row[x] += double(a[y * k + i]) * b[i * n + x];
    for (int x = 0; x < n; x++) {
      worst = std::fmax(worst, std::fabs(got[y * n + x] - row[x]));
      sum += got[y * n + x];
    }
  }
  bool ok = worst < tolerance;
  std::printf("%-10s %dx%dx%d sum %.15g c[0] %.9g c[last] %.9g %s\n", name, m, n, k, sum, double(got[0]),
              double(got.back()), ok ? "PASS" : "FAIL");
  return ok;
}

template <class T, int kTile>
static bool runTiled(const char* name, int m, int n, int k, double tolerance) {
  auto a = numbers<T>(m * k, 1), b = numbers<T>(k * n, 2);
  auto da = upload(a), db = upload(b), dc = upload(std::vector<T>(m * n));
  dim3 block(kTile, kTile), grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  tiled<T, kTile><<<grid, block>>>(da.get(), db.get(), dc.get(), m, n, k);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  return compare(name, a, b, dc.get(), m, n, k, tolerance);
}

int main() {
  bool ok = true;
  ok &= runTiled<float, 16>("tile 16", 128, 128, 128, 1e-3);
  ok &= runTiled<float, 32>("tile 32", 192, 128, 160, 1e-3);
  ok &= runTiled<float, 32>("ragged", 75, 131, 99, 1e-3);
  ok &= runTiled<double, 16>("double", 64, 96, 80, 1e-11);
  ok &= runTiled<int, 16>("int", 48, 48, 48, 0.5);
  {
    const int n = 256;
    auto a = numbers<float>(n * n, 3), b = numbers<float>(n * n, 4);
    auto da = upload(a), db = upload(b), dc = upload(std::vector<float>(n * n));
    registers<<<dim3(n / 64, n / 64), 256>>>(da.get(), db.get(), dc.get(), n, n);
    CHECK(cudaGetLastError());
    ok &= compare("registers", a, b, dc.get(), n, n, n, 1e-3);
  }
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
