// What harness.py does, for programs in C++: PROGRAM REPEATS.
#pragma once

#include <cuda_profiler_api.h>
#include <thrust/device_vector.h>
#include <thrust/random.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

__global__ void heddle_marker() {}

template <class T>
using Vector = thrust::device_vector<T>;

struct Random {
  unsigned long long range;
  __host__ __device__ unsigned operator()(unsigned long long i) const {
    i = (i + 1) * 0x9e3779b97f4a7c15ull;
    i = (i ^ (i >> 29)) * 0xbf58476d1ce4e5b9ull;
    return static_cast<unsigned>((i ^ (i >> 32)) % range);
  }
};

// Whole numbers below `range`, divided by `by`.
template <class T>
Vector<T> random_vector(size_t n, unsigned range, double by = 1) {
  std::vector<T> h(n);
  for (size_t i = 0; i < n; ++i) {
    h[i] = static_cast<T>(Random{range}(i + 77 * n) / by);
  }
  return Vector<T>(h.begin(), h.end());
}

template <class T>
T* raw(Vector<T>& v) {
  return thrust::raw_pointer_cast(v.data());
}

class Ops {
 public:
  explicit Ops(int argc, char** argv) : repeats_(argc > 1 ? atoi(argv[1]) : 1) {
    const char *log = getenv("HEDDLE_LOG"), *limit = getenv("HEDDLE_LIMIT");
    log_ = fopen(log ? log : "/dev/null", "w");
    limit_ = limit ? atof(limit) : 1e9;
  }
  // Makes the operands and returns what is measured.
  void add(const char* name, const std::function<std::function<void()>()>& make) {
    using Clock = std::chrono::steady_clock;
    if (std::chrono::duration<double>(Clock::now() - begin_).count() > limit_) {
      return;
    }
    try {
      const std::function<void()> f = make();
      f();
      f();
      if (const cudaError_t e = cudaDeviceSynchronize(); e != cudaSuccess) {
        throw std::runtime_error(cudaGetErrorString(e));
      }
      cudaProfilerStart();
      heddle_marker<<<1, 1>>>();
      for (int i = 0; i < repeats_; ++i) {
        f();
        cudaDeviceSynchronize();
      }
      cudaProfilerStop();
      fprintf(log_, "%s\n", name);
      fflush(log_);
    } catch (const std::exception& e) {
      printf("skip %s %s\n", name, e.what());
    }
  }

 private:
  int repeats_;
  FILE* log_;
  double limit_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

inline void check(int status) {
  if (status != 0) {
    throw std::runtime_error("status " + std::to_string(status));
  }
}
