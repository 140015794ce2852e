#include "filters.h"

namespace filters {

__device__ unsigned long long calls = 0;

__device__ __noinline__ int fibonacci(int n) {
  if (n < 2) return n;
  return fibonacci(n - 1) + fibonacci(n - 2);
}

static __device__ float identity(float x) { return x; }
static __device__ float square(float x) {
  atomicAdd(&calls, 1ull);
  return x * x;
}
static __device__ float clamp(float x) { return fminf(fmaxf(x, -0.5f), 0.5f); }
static __device__ float fib(float x) { return float(fibonacci(int(fabsf(x * 4)) % 9)); }

__device__ const PointFunction points[kPoints] = {identity, square, clamp, fib};
__device__ PointFunction chosen = clamp;

// The host takes a device function's address from the device's table.
PointFunction devicePointer(Point p) {
  PointFunction f;
  CHECK(cudaMemcpyFromSymbol(&f, points, sizeof(f), p * sizeof(f)));
  return f;
}

}  // namespace filters
