// Tensor maps, as the driver encodes them.
#pragma once
#include <cuda.h>

#include "mb.h"

static decltype(&cuTensorMapEncodeTiled) encode_tiled;
static decltype(&cuTensorMapEncodeIm2col) encode_im2col;
template <class F>
static void find(const char* name, F& f) {
  cudaDriverEntryPointQueryResult found;
  CK(cudaGetDriverEntryPointByVersion(name, (void**)&f, 12000, cudaEnableDefault, &found));
}
static void find_encoders() {
  CK(cudaFree(0));
  find("cuTensorMapEncodeTiled", encode_tiled);
  find("cuTensorMapEncodeIm2col", encode_im2col);
}

struct Map {
  int type = 6;  // as CUtensorMapDataType counts: 0 u8, 6 f16
  u32 rank = 2;
  u64 address = 0x7f0000000000ull, dim[5] = {1024, 512, 7, 5, 3},
      stride[4] = {2048, 1048576, 8388608, 67108864};
  u32 box[5] = {64, 32, 1, 1, 1}, step[5] = {1, 1, 1, 1, 1};
  int interleave = 0, swizzle = 0, promotion = 0, fill = 0;
};
static CUtensorMap encode(const Map& p, CUresult* result = nullptr) {
  alignas(64) CUtensorMap m;
  memset(&m, 0, sizeof m);
  cuuint64_t dim[5], stride[4];
  std::copy(p.dim, p.dim + 5, dim);
  std::copy(p.stride, p.stride + 4, stride);
  CUresult r = encode_tiled(&m, (CUtensorMapDataType)p.type, p.rank, (void*)p.address, dim, stride, p.box,
                            p.step, (CUtensorMapInterleave)p.interleave, (CUtensorMapSwizzle)p.swizzle,
                            (CUtensorMapL2promotion)p.promotion, (CUtensorMapFloatOOBfill)p.fill);
  if (result) {
    *result = r;
  }
  return m;
}
