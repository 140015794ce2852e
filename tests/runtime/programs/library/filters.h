// A small library of device functions in several files, linked with -rdc=true.
#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    cudaError_t status_ = (call);                                                           \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

namespace filters {

constexpr int kMaxTaps = 16;

struct Taps {
  int count;
  float weight[kMaxTaps];
};

using PointFunction = float (*)(float);

enum Point { kIdentity, kSquare, kClamp, kFibonacci, kPoints };

extern __constant__ Taps taps;               // taps.cu
extern __device__ unsigned long long calls;  // points.cu
extern __device__ PointFunction chosen;      // points.cu
extern __device__ const PointFunction points[kPoints];

__device__ float convolve(const float* x, int i, int n);  // taps.cu
__device__ int fibonacci(int n);                          // points.cu, calls itself

void setTaps(const float* weights, int count);
PointFunction devicePointer(Point p);

template <class T, class F>
__global__ void map(const T* in, T* out, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = f(in[i]);
  }
}

template <int kOrder, class T>
struct Polynomial {
  T c[kOrder + 1];
  __host__ __device__ T operator()(T x) const {
    T y = c[kOrder];
    for (int i = kOrder - 1; i >= 0; i--) {
      y = y * x + c[i];
    }
    return y;
  }
};

// Classes with virtual functions, made and used on the device.
class Shape {
 public:
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual int sides() const { return 0; }
};

__global__ void makeShapes(Shape** shapes, int n);  // shapes.cu
__global__ void measure(Shape** shapes, float* area, int* sides, int n);
__global__ void destroyShapes(Shape** shapes, int n);

}  // namespace filters
