// Calls of a kind behind each other, each one's time: memory that is cut from blocks which are there already, small copies
// whose predecessors are still under way.
//
// nvcc -arch=sm_90 -O2 -std=c++17 -cudart shared -o call_rows call_rows.cu
// ./call_rows      lines: what,bytes,number,microseconds
#include <cuda_runtime.h>
#include <stdio.h>
#include <time.h>

#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}
static void row(const char* what, size_t bytes, int i, double us) { printf("%s,%zu,%d,%.3f\n", what, bytes, i, us); }
static void must(cudaError_t e) {
  if (e != cudaSuccess) {
    printf("error %s\n", cudaGetErrorString(e));
  }
}

template <class Get, class Put>
static void memory(const char* get_name, const char* put_name, size_t bytes, int count, Get get, Put put) {
  std::vector<void*> p(count);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) {
      const double t = now();
      must(get(&p[i], bytes));
      row(get_name, bytes, i + 1000 * round, now() - t);
    }
    for (int i = 0; i < count; ++i) {
      const double t = now();
      must(put(p[i]));
      row(put_name, bytes, i + 1000 * round, now() - t);
    }
  }
}

int main() {
  cudaFree(nullptr);
  char* d;
  must(cudaMalloc(&d, 64 << 20));
  cudaDeviceSynchronize();
  for (const size_t bytes : {256, 4 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20, 1536 << 10, 2 << 20, 3 << 20}) {
    memory("malloc", "free", bytes, bytes < (64 << 10) ? 40 : 24, [](void** p, size_t n) { return cudaMalloc(p, n); },
           [](void* p) { return cudaFree(p); });
  }
  for (const size_t bytes : {64, 4 << 10, 64 << 10, 1 << 20, 2 << 20, 4 << 20, 16 << 20}) {
    memory("mallocHost", "freeHost", bytes, bytes > (4 << 20) ? 4 : 24, [](void** p, size_t n) { return cudaMallocHost(p, n); },
           [](void* p) { return cudaFreeHost(p); });
  }
  // Sizes in turn, as programs have them.
  std::vector<void*> p(24);
  const size_t sizes[] = {4 << 20, 4 << 20, 40, 8 << 20, 400 << 10, 4, 4, 1 << 20};
  for (int i = 0; i < 24; ++i) {
    const double t = now();
    must(cudaMalloc(&p[i], sizes[i % 8]));
    row("malloc in turn", sizes[i % 8], i, now() - t);
  }
  for (int i = 0; i < 24; ++i) {
    const double t = now();
    must(cudaFree(p[i]));
    row("free in turn", sizes[i % 8], i, now() - t);
  }
  std::vector<char> h(4 << 20, 1);
  for (const size_t bytes : {4, 256, 4 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 1 << 20}) {
    for (int pause = 0; pause < 2; ++pause) {
      cudaDeviceSynchronize();
      for (int i = 0; i < 24; ++i) {
        if (pause != 0) {
          cudaDeviceSynchronize();
        }
        const double t = now();
        must(cudaMemcpy(d, h.data(), bytes, cudaMemcpyHostToDevice));
        row(pause != 0 ? "h2d after a wait" : "h2d", bytes, i, now() - t);
      }
    }
    for (int i = 0; i < 24; ++i) {
      const double t = now();
      must(cudaMemcpy(h.data(), d, bytes, cudaMemcpyDeviceToHost));
      row("d2h", bytes, i, now() - t);
    }
    for (int i = 0; i < 24; ++i) {
      const double t = now();
      must(cudaMemcpy(d + (8 << 20), d, bytes, cudaMemcpyDeviceToDevice));
      row("d2d", bytes, i, now() - t);
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < 24; ++i) {
      const double t = now();
      must(cudaMemset(d, 0, bytes));
      row("memset", bytes, i, now() - t);
    }
  }
  cudaStream_t s[40];
  cudaEvent_t e[40];
  for (int i = 0; i < 40; ++i) {
    const double t = now();
    must(cudaStreamCreate(&s[i]));
    row("streamCreate", 0, i, now() - t);
  }
  for (int i = 0; i < 40; ++i) {
    const double t = now();
    must(cudaEventCreate(&e[i]));
    row("eventCreate", 0, i, now() - t);
  }
  for (int i = 0; i < 40; ++i) {
    const double t = now();
    must(cudaStreamDestroy(s[i]));
    row("streamDestroy", 0, i, now() - t);
  }
  for (int i = 0; i < 40; ++i) {
    const double t = now();
    must(cudaEventDestroy(e[i]));
    row("eventDestroy", 0, i, now() - t);
  }
  return 0;
}
