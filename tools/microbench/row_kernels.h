// Rows of n words, a warp each: written, copied. For mixed.cu and partial_fill.cu.
#pragma once

#include <cstdint>

// As `heddle run FILE.cubin` finds them by name.
extern "C" {
__global__ void rows(float* to, uint32_t count, uint32_t n) {
  const size_t row = (blockIdx.x * size_t{blockDim.x} + threadIdx.x) / 32;
  if (row < count) {
    for (uint32_t i = threadIdx.x % 32; i < n; i += 32) {
      to[row * n + i] = 1.f;
    }
  }
}
__global__ void copy_rows(float* to, const float* from, uint32_t count, uint32_t n) {
  const size_t row = (blockIdx.x * size_t{blockDim.x} + threadIdx.x) / 32;
  if (row < count) {
    for (uint32_t i = threadIdx.x % 32; i < n; i += 32) {
      to[row * n + i] = from[row * n + i];
    }
  }
}
}
