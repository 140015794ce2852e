// Rows of n words, a warp each: written, copied. For mixed.cu and partial_fill.cu.
#pragma once

__global__ void copy_rows(float* p, const float* q, size_t rows, int n) {
  size_t row = (blockIdx.x * size_t(blockDim.x) + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row < rows) {
    for (int i = lane; i < n; i += 32) {
      p[row * n + i] = q[row * n + i];
    }
  }
}
__global__ void rows(float* p, size_t rows, int n) {
  size_t row = (blockIdx.x * size_t(blockDim.x) + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row < rows) {
    for (int i = lane; i < n; i += 32) {
      p[row * n + i] = 1.f;
    }
  }
}
