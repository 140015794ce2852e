#include <cstddef>
#include "filters.h"

namespace filters {

__constant__ Taps taps = {1, {1.0f}};

__device__ __noinline__ float convolve(const float* x, int i, int n) {
  float sum = 0;
  for (int t = 0; t < taps.count; t++) {
    int j = i + t - taps.count / 2;
    if (j >= 0 && j < n) sum = fmaf(taps.weight[t], x[j], sum);
  }
  return sum;
}

void setTaps(const float* weights, int count) {
  CHECK(cudaMemcpyToSymbol(taps, &count, sizeof(int), offsetof(Taps, count)));
  CHECK(cudaMemcpyToSymbol(taps, weights, count * sizeof(float), offsetof(Taps, weight)));
}

}  // namespace filters
