// DRAM read and written together: 64 MiB in each array, one element a thread (FINDINGS.md 20). Not part of
// run.py.
//
//   nvcc -O3 -gencode arch=compute_90a,code=sm_90a dram_mix.cu -o dram_mix
//   ncu --clock-control none --csv --page raw --metrics
//   gpc__cycles_elapsed.max,dram__bytes_read.sum,dram__bytes_write.sum ./dram_mix
#include <cuda_runtime.h>

#include <cstdio>

__device__ unsigned number() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <class T>
__global__ void read(const T* a, T* never) {
  const T v = a[number()];
  if (*reinterpret_cast<const float*>(&v) == 1.5f) {
    *never = v;
  }
}
template <class T>
__global__ void store(T* a) {
  a[number()] = T{};
}
template <class T>
__global__ void update(T* a) {
  T v = a[number()];
  *reinterpret_cast<float*>(&v) *= 2;
  a[number()] = v;
}
template <class T>
__global__ void copy(const T* __restrict__ a, T* __restrict__ b) {
  b[number()] = a[number()];
}
template <class T>
__global__ void triad(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c) {
  T x = a[number()];
  const T y = b[number()];
  for (unsigned i = 0; i < sizeof(T) / 4; ++i) {
    reinterpret_cast<float*>(&x)[i] += 3 * reinterpret_cast<const float*>(&y)[i];
  }
  c[number()] = x;
}
template <class T>
__global__ void read1_store2(const T* __restrict__ a, T* __restrict__ b, T* __restrict__ c) {
  b[number()] = c[number()] = a[number()];
}

template <class T>
void all(T* a, T* b, T* c, size_t bytes) {
  const unsigned blocks = bytes / sizeof(T) / 256;
  read<<<blocks, 256>>>(a, c);
  store<<<blocks, 256>>>(a);
  update<<<blocks, 256>>>(a);
  copy<<<blocks, 256>>>(a, b);
  triad<<<blocks, 256>>>(a, b, c);
  read1_store2<<<blocks, 256>>>(a, b, c);
}

int main() {
  const size_t bytes = 64 << 20;
  void* p[3];
  for (void*& q : p) {
    cudaMalloc(&q, bytes);
    cudaMemset(q, 0, bytes);
  }
  for (int repeat = 0; repeat < 5; ++repeat) {
    all(static_cast<float*>(p[0]), static_cast<float*>(p[1]), static_cast<float*>(p[2]), bytes);
    all(static_cast<float4*>(p[0]), static_cast<float4*>(p[1]), static_cast<float4*>(p[2]), bytes);
  }
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
