// The programs that tools/tracer/measure captures: each does its work, checks it, and prints its milliseconds. Single
// kernels run twice, since with the first run a tool that instruments them has more to do.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                     \
  do {                                                                                  \
    if (const cudaError_t error = (call); error != cudaSuccess) {                       \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));               \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

__device__ int at() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void vecadd(const float* a, const float* b, float* c, int n) {
  if (const int i = at(); i < n) {
    c[i] = a[i] + b[i];
  }
}
__global__ void scale(float* a, float by, int n) {
  if (const int i = at(); i < n) {
    a[i] *= by;
  }
}
__global__ void square(float* a, int n) {
  if (const int i = at(); i < n) {
    a[i] *= a[i];
  }
}
__global__ void gemm(const float* a, const float* b, float* c, int n) {
  __shared__ float x[16][16], y[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    x[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      sum += x[threadIdx.y][i] * y[i][threadIdx.x];
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}
__global__ void rounds(float* a, int times) {
  float v = a[at()];
#pragma unroll 1
  for (int i = 0; i < times; ++i) {
    v = v * 0.5f + 1.0f;
  }
  a[at()] = v;
}
__global__ void __cluster_dims__(2, 2, 1) clusters(float* a) {
  a[threadIdx.x + blockDim.x * (blockIdx.x + gridDim.x * blockIdx.y)] += 1;
}

constexpr int kN = 1 << 20;
float* device(float value, int n = kN) {
  float* p = nullptr;
  const std::vector<float> host(n, value);
  CHECK(cudaMalloc(&p, n * sizeof(float)));
  CHECK(cudaMemcpy(p, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  return p;
}
void expect(const float* p, float value, int n = kN) {
  std::vector<float> host(n);
  CHECK(cudaMemcpy(host.data(), p, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (const float v : host) {
    if (std::fabs(v - value) > 1e-3f * std::fabs(value)) {
      std::fprintf(stderr, "wrong result: %f instead of %f\n", v, value);
      std::exit(1);
    }
  }
}

template <class F>
void timed(const F& f) {
  CHECK(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  f();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::printf("ms %.4f\n",
              std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
}

template <class F>
void twice(const F& f) {
  timed(f);
  timed(f);
}

// Five kernels, of which three are the same two functions: (1 * 2 + 3) * 2 squared, + 3, into `a`.
void five(float* a, float* b, float* c, cudaStream_t s) {
  const int blocks = 64, n = blocks * 128;
  scale<<<blocks, 128, 0, s>>>(a, 2, n);
  vecadd<<<blocks, 128, 0, s>>>(a, b, c, n);
  scale<<<blocks, 128, 0, s>>>(c, 2, n);
  square<<<blocks, 128, 0, s>>>(c, n);
  vecadd<<<blocks, 128, 0, s>>>(c, b, a, n);
}

// A graph made by capturing a stream, launched so many times, the last time profiled; with `direct` once between launches
// of one of its kernels.
void graph(int times, bool direct) {
  float *a = device(1), *b = device(3), *c = device(0);
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t e;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  five(a, b, c, s);
  CHECK(cudaStreamEndCapture(s, &g));
  CHECK(cudaGraphInstantiate(&e, g, 0));
  timed([&] {
    if (direct) {
      scale<<<64, 128, 0, s>>>(a, 1, 64 * 128);
    }
    for (int i = 1; i < times; ++i) {
      CHECK(cudaGraphLaunch(e, s));
    }
    if (!direct) {
      CHECK(cudaStreamSynchronize(s));
      CHECK(cudaProfilerStart());
    }
    CHECK(cudaGraphLaunch(e, s));
    if (direct) {
      scale<<<64, 128, 0, s>>>(a, 1, 64 * 128);
    }
  });
  float v = 1;
  for (int i = 0; i < times; ++i) {
    v = (v * 2 + 3) * 2 * ((v * 2 + 3) * 2) + 3;
  }
  expect(a, v, 64 * 128);
}

// A graph made node by node, whose first kernel gets other parameters before it is launched again.
void nodes() {
  float* a = device(2);
  int times = 10, n = 32 * 128;
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaGraphNode_t first, second;
  void *one[] = {&a, &times}, *two[] = {&a, &n};
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void*>(rounds);
  p.gridDim = 32;
  p.blockDim = 128;
  p.kernelParams = one;
  CHECK(cudaGraphCreate(&g, 0));
  CHECK(cudaGraphAddKernelNode(&first, g, nullptr, 0, &p));
  cudaKernelNodeParams q = p;
  q.func = reinterpret_cast<void*>(square);
  q.kernelParams = two;
  CHECK(cudaGraphAddKernelNode(&second, g, &first, 1, &q));
  CHECK(cudaGraphInstantiate(&e, g, 0));
  timed([&] {
    CHECK(cudaGraphLaunch(e, nullptr));
    times = 20;
    CHECK(cudaGraphExecKernelNodeSetParams(e, first, &p));
    CHECK(cudaGraphLaunch(e, nullptr));
  });
  float v = 4;  // that of the first launch, which leaves 2 as it is
  for (int i = 0; i < 20; ++i) {
    v = v * 0.5f + 1;
  }
  expect(a, v * v, 32 * 128);
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  CHECK(cudaFree(nullptr));
  if (what == "vecadd") {
    float *a = device(1), *b = device(2), *c = device(0);
    twice([&] { vecadd<<<kN / 256, 256>>>(a, b, c, kN); });
    expect(c, 3);
  } else if (what == "gemm") {
    const int n = 512;
    float *a = device(1, n * n), *b = device(2, n * n), *c = device(0, n * n);
    twice([&] { gemm<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n); });
    expect(c, 2.0f * n, n * n);
  } else if (what == "graph") {
    graph(2, false);
  } else if (what == "thrice") {
    graph(3, false);
  } else if (what == "both") {
    graph(1, true);
  } else if (what == "nodes") {
    nodes();
  } else if (what == "long") {
    float* a = device(2);
    twice([&] { rounds<<<4096, 256>>>(a, 500); });
    expect(a, 2);
  } else if (what == "clusters") {
    float* a = device(0);
    timed([&] { clusters<<<dim3(8, 8), 128>>>(a); });
    expect(a, 1, 64 * 128);
  } else {
    std::fprintf(stderr, "usage: measure vecadd|gemm|graph|thrice|both|nodes|long|clusters\n");
    return 2;
  }
  return 0;
}
