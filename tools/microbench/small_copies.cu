// How long a small plain copy of pageable memory to the device keeps the host, by what is under way in its stream.
//
// nvcc -arch=sm_90 -O2 -std=c++17 -cudart shared -o small_copies small_copies.cu
// ./small_copies      lines: behind,bytes,us behind it,us alone
#include <cuda_runtime.h>
#include <stdio.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

__global__ void spin(long long cycles) {
  for (const long long t = clock64(); clock64() - t < cycles;) {
  }
}
static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

int main() {
  char* d;
  cudaMalloc(&d, 64 << 20);
  std::vector<char> h(1 << 20, 1);
  char* pinned;
  cudaMallocHost(&pinned, 32 << 20);
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  struct Case {
    const char* name;
    std::function<void()> before;
  };
  const Case cases[] = {
      {"nothing", [] {}},
      {"kernel 5 us", [] { spin<<<1, 1>>>(9000); }},
      {"kernel 500 us", [] { spin<<<1, 1>>>(900000); }},
      {"kernel of another stream", [&] { spin<<<1, 1, 0, other>>>(900000); }},
      {"memset 32MiB", [&] { cudaMemset(d, 0, 32 << 20); }},
      {"copy from pinned 16MiB", [&] { cudaMemcpyAsync(d, pinned, 16 << 20, cudaMemcpyHostToDevice); }},
      {"copy to pinned 16MiB", [&] { cudaMemcpyAsync(pinned, d, 16 << 20, cudaMemcpyDeviceToHost); }},
      {"copy of 4KiB", [&] { cudaMemcpy(d + (1 << 20), h.data(), 4 << 10, cudaMemcpyHostToDevice); }},
      {"event", [&] { cudaEvent_t e; cudaEventCreate(&e); cudaEventRecord(e); cudaEventDestroy(e); }},
  };
  for (const Case& c : cases) {
    for (const size_t bytes : {4, 1 << 10, 4 << 10, 32 << 10, 64 << 10, 65 << 10, 256 << 10}) {
      for (const bool async : {false, true}) {
        std::vector<double> v, w;
        for (int i = 0; i < 12; ++i) {
          cudaDeviceSynchronize();
          c.before();
          const double t = now();
          if (async) {
            cudaMemcpyAsync(d, h.data(), bytes, cudaMemcpyHostToDevice);
          } else {
            cudaMemcpy(d, h.data(), bytes, cudaMemcpyHostToDevice);
          }
          v.push_back(now() - t);
          cudaDeviceSynchronize();
          w.push_back(now() - t);
        }
        std::sort(v.begin(), v.end());
        std::sort(w.begin(), w.end());
        printf("%s%s,%zu,%.2f,%.2f\n", c.name, async ? " async" : "", bytes, v[6], w[6]);
      }
    }
  }
  return 0;
}
