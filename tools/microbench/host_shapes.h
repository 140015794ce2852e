// What host_shapes.cu and graph_shapes.cu share: rows, clocks, kernels, what each makes ready.
#pragma once
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>
#define CK(x)                                                                    \
  do {                                                                           \
    cudaError_t e_ = (x);                                                        \
    if (e_ != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)
using std::string;
using std::to_string;
using std::vector;

static double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
static void row(const char* test, const string& parameter, double value) {
  printf("%s,%s,%.6g,us\n", test, parameter.c_str(), value);
  fflush(stdout);
}
static double median(vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}
template <class F>
static double med(int n, F f) {
  vector<double> v;
  for (int i = 0; i < n; ++i) {
    v.push_back(f());
  }
  return median(v);
}

__global__ void k_empty() {}
__global__ void k_spin(long long cycles) {
  long long t = clock64();
  while (clock64() - t < cycles) {
  }
}
__global__ void k_set(cudaGraphConditionalHandle h, unsigned value) { cudaGraphSetConditional(h, value); }
__device__ unsigned d_left;
__global__ void k_start(unsigned n) { d_left = n; }
__global__ void k_count(cudaGraphConditionalHandle h) { cudaGraphSetConditional(h, --d_left != 0); }
__global__ void k_touch(char* p, size_t bytes, size_t stride) {
  for (size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * stride; i < bytes;
       i += (size_t)gridDim.x * blockDim.x * stride) {
    p[i] += 1;
  }
}
__global__ void k_read(const char* p, size_t bytes, size_t stride, char* out) {
  char sum = 0;
  for (size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * stride; i < bytes;
       i += (size_t)gridDim.x * blockDim.x * stride) {
    sum += p[i];
  }
  if (sum == 113) {
    out[0] = sum;
  }
}
__global__ void k_grid_sync(int n) {
  for (int i = 0; i < n; ++i) {
    cooperative_groups::this_grid().sync();
  }
}
template <int kBytes>
struct Parameters {
  char bytes[kBytes];
};
template <int kBytes>
__global__ void k_parameters(Parameters<kBytes> p) {
  if (p.bytes[blockIdx.x] == 77) {
    d_left = 0;
  }
}

static cudaStream_t s;
static cudaEvent_t ev_a, ev_b;
template <class F>
static double evt(F f) {  // between two events of the stream
  CK(cudaDeviceSynchronize());
  CK(cudaEventRecord(ev_a, s));
  f();
  CK(cudaEventRecord(ev_b, s));
  CK(cudaEventSynchronize(ev_b));
  float ms;
  CK(cudaEventElapsedTime(&ms, ev_a, ev_b));
  return ms * 1e3;
}
template <class F>
static double call(F f) {  // until it returns
  CK(cudaDeviceSynchronize());
  double t = now();
  f();
  t = now() - t;
  CK(cudaDeviceSynchronize());
  return t;
}
template <class F>
static double done(F f) {  // until all is done
  CK(cudaDeviceSynchronize());
  double t = now();
  f();
  CK(cudaDeviceSynchronize());
  return now() - t;
}

static char *dev, *dev2, *pinned;
static void host_function(void*) {}
static void start_shapes(unsigned flags) {
  CK(cudaSetDeviceFlags(flags));
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CK(cudaEventCreate(&ev_a));
  CK(cudaEventCreate(&ev_b));
  CK(cudaMalloc(&dev, 1 << 22));
  CK(cudaMalloc(&dev2, 1 << 22));
  CK(cudaMallocHost(&pinned, 1 << 22));
  for (int i = 0; i < 100; ++i) {
    k_spin<<<132, 128, 0, s>>>(2000000);  // clocks up
  }
  CK(cudaDeviceSynchronize());
}
static void run_parts(const string& part, const vector<std::pair<string, std::function<void()>>>& parts) {
  for (auto& [name, f] : parts) {
    if (part == "all" || part == name) {
      f();
    }
  }
}
