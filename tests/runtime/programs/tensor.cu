// Matrix products with tensor cores through nvcuda::wmma: half, bfloat16 and 8-bit integers in.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

using namespace nvcuda;

// d = a b + c, all row-major but b, which is column-major. A warp computes 16 x 16 results, a block 2 x 2 of these.
template <class In, class Acc>
__global__ void product(const In* a, const In* b, const Acc* c, Acc* d, int m, int n, int k) {
  int warp = threadIdx.x / 32, x = (blockIdx.x * 2 + warp % 2) * 16, y = (blockIdx.y * 2 + warp / 2) * 16;
  if (x >= n || y >= m) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, In, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, In, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Acc> acc;
  wmma::load_matrix_sync(acc, c + y * n + x, n, wmma::mem_row_major);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + y * k + i, k);
    wmma::load_matrix_sync(fb, b + x * k + i, k);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(d + y * n + x, acc, n, wmma::mem_row_major);
}

// The same with tiles of a and b in shared memory, and d = alpha (a b) + beta c on the fragments' elements.
__global__ void shared(const half* a, const half* b, const float* c, float* d, int m, int n, int k, float alpha, float beta) {
  __shared__ __align__(32) half sa[64][40], sb[64][40];
  int t = threadIdx.x, warp = t / 32, wy = warp / 2 * 32, wx = warp % 2 * 32, y0 = blockIdx.y * 64, x0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
  for (int k0 = 0; k0 < k; k0 += 32) {
    for (int i = t; i < 64 * 4; i += blockDim.x) {
      int row = i / 4, column = i % 4 * 8;
      *reinterpret_cast<uint4*>(&sa[row][column]) = *reinterpret_cast<const uint4*>(a + (y0 + row) * k + k0 + column);
      *reinterpret_cast<uint4*>(&sb[row][column]) = *reinterpret_cast<const uint4*>(b + (x0 + row) * k + k0 + column);
    }
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb[2];
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(fa[i], &sa[wy + i * 16][kk], 40);
        wmma::load_matrix_sync(fb[i], &sb[wx + i * 16][kk], 40);
      }
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      int at = (y0 + wy + i * 16) * n + x0 + wx + j * 16;
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> old;
      wmma::load_matrix_sync(old, c + at, n, wmma::mem_row_major);
      for (int e = 0; e < acc[i][j].num_elements; e++) acc[i][j].x[e] = alpha * acc[i][j].x[e] + beta * old.x[e];
      wmma::store_matrix_sync(d + at, acc[i][j], n, wmma::mem_row_major);
    }
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& v) : size_(v.size()) {
    CHECK(cudaMalloc(&data_, size_ * sizeof(T)));
    CHECK(cudaMemcpy(data_, v.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  operator T*() const { return data_; }
  std::vector<T> get() const {
    std::vector<T> v(size_);
    CHECK(cudaMemcpy(v.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  T* data_;
  size_t size_;
};

static unsigned state = 99;
static int next(int range) {
  state = state * 1664525u + 1013904223u;
  return int((state >> 16) % range);
}

template <class T>
static double value(T x) { return double(float(x)); }
template <>
double value(int x) { return x; }

template <class In, class Acc>
static bool check(const char* name, const std::vector<In>& a, const std::vector<In>& b, const std::vector<Acc>& c,
                  const std::vector<Acc>& d, int m, int n, int k, double alpha, double beta, double tolerance) {
  double worst = 0, sum = 0;
  for (int y = 0; y < m; y++)
    for (int x = 0; x < n; x++) {
      double s = 0;
      for (int i = 0; i < k; i++) s += value(a[y * k + i]) * value(b[x * k + i]);
      s = alpha * s + beta * value(c[y * n + x]);
      worst = std::fmax(worst, std::fabs(s - value(d[y * n + x])));
      sum += value(d[y * n + x]);
    }
  bool ok = worst <= tolerance;
  std::printf("%-16s %dx%dx%d sum %.12g first %.9g last %.9g %s\n", name, m, n, k, sum, value(d[0]), value(d.back()),
              ok ? "PASS" : "FAIL");
  return ok;
}

template <class In, class Acc, class Make, class MakeC>
static bool run(const char* name, int m, int n, int k, Make make, MakeC makeC, double tolerance) {
  std::vector<In> a(m * k), b(k * n);
  std::vector<Acc> c(m * n);
  for (In& x : a) x = make();
  for (In& x : b) x = make();
  for (Acc& x : c) x = makeC();
  DeviceArray<In> da(a), db(b);
  DeviceArray<Acc> dc(c), dd(std::vector<Acc>(m * n));
  product<In, Acc><<<dim3((n + 31) / 32, (m + 31) / 32), 128>>>(da, db, dc, dd, m, n, k);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  return check(name, a, b, c, dd.get(), m, n, k, 1, 1, tolerance);
}

int main() {
  bool ok = true;
  // Small integers: every sum is exact.
  ok &= run<half, float>("half exact", 128, 96, 160, [] { return __float2half(float(next(17) - 8)); },
                         [] { return float(next(100)); }, 0);
  ok &= run<__nv_bfloat16, float>("bfloat16 exact", 64, 64, 128, [] { return __float2bfloat16(float(next(9) - 4)); },
                                  [] { return 0.5f * next(8); }, 0);
  ok &= run<signed char, int>("int8", 64, 128, 96, [] { return (signed char)(next(255) - 127); },
                              [] { return next(1000) - 500; }, 0);
  ok &= run<half, half>("half sums", 32, 32, 64, [] { return __float2half(float(next(5) - 2)); },
                        [] { return __float2half(1.0f); }, 0);
  // Fractions: the order and the width of the sums count.
  ok &= run<half, float>("half fractions", 64, 64, 256, [] { return __float2half(next(2001) / 1000.0f - 1.0f); },
                         [] { return 0.1f; }, 1e-3);
  {
    const int m = 128, n = 192, k = 256;
    std::vector<half> a(m * k), b(k * n);
    std::vector<float> c(m * n);
    for (half& x : a) x = __float2half(float(next(9) - 4));
    for (half& x : b) x = __float2half(float(next(9) - 4));
    for (float& x : c) x = float(next(64));
    DeviceArray<half> da(a), db(b);
    DeviceArray<float> dc(c), dd(std::vector<float>(m * n));
    shared<<<dim3(n / 64, m / 64), 128>>>(da, db, dc, dd, m, n, k, 0.5f, -2.0f);
    CHECK(cudaGetLastError());
    ok &= check("shared tiles", a, b, c, dd.get(), m, n, k, 0.5, -2, 0);
  }
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
