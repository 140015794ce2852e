// The 128 bytes of tensor maps, each parameter by itself: name;result of the driver;16 words.
// Not part of run.py: nvcc -O2 -std=c++17 -arch=sm_90a tensor_maps.cu; results/h200_tensor_maps.txt.
#include "tensor_map.h"

static void print_map(const std::string& what, const Map& p) {
  CUresult r;
  CUtensorMap m = encode(p, &r);
  printf("%s;%d", what.c_str(), (int)r);
  for (int i = 0; i < 16; i++) {
    printf(i ? " %016llx" : ";%016llx", (u64)m.opaque[i]);
  }
  printf("\n");
}
int main() {
  find_encoders();
  print_map("base", {});
  for (int t = 0; t <= 12; t++) {
    Map p;
    p.type = t;
    p.stride[0] = 8192;
    p.box[0] = 16;
    print_map(S("type=%d", t), p);
  }
  for (u32 r = 1; r <= 5; r++) {
    Map p;
    p.rank = r;
    print_map(S("rank=%u", r), p);
  }
  for (int k = 0; k < 4; k++) {
    Map p;
    p.swizzle = k;
    p.box[0] = k == 1 ? 16 : k == 2 ? 32 : 64;
    print_map(S("swizzle=%d", k), p);
  }
  for (int k = 0; k < 3; k++) {
    Map p;
    p.interleave = k;
    p.rank = 3;
    p.box[0] = 8;
    p.swizzle = k == 2;
    print_map(S("interleave=%d", k), p);
  }
  for (int k = 0; k < 4; k++) {
    Map p;
    p.promotion = k;
    print_map(S("l2_promotion=%d", k), p);
  }
  {
    Map p;
    p.fill = 1;
    print_map("fill=1", p);
  }
  {
    Map p;
    p.address = 0x123456789ab0ull;
    print_map("address=0x123456789ab0", p);
  }
  for (int d = 0; d < 5; d++) {
    Map p;
    p.rank = 5;
    p.dim[d] = 0x12345;
    if (!d) {
      p.stride[0] = 0x24690;
    }
    print_map(S("dim%d=0x12345", d), p);
  }
  {
    Map p;
    p.dim[1] = 1ull << 32;
    print_map("dim1=2^32", p);
  }
  for (int d = 0; d < 4; d++) {
    Map p;
    p.rank = 5;
    p.stride[d] = 0xfffffffff0ull;
    print_map(S("stride%d=0xfffffffff0", d), p);
  }
  for (int d = 0; d < 5; d++) {
    Map p;
    p.rank = 5;
    p.box[0] = 8;
    p.box[1] = 1;
    p.box[d] = 256;
    print_map(S("box%d=256", d), p);
  }
  for (int d = 0; d < 5; d++) {
    Map p;
    p.rank = 5;
    std::fill(p.box, p.box + 5, 8u);
    p.box[0] = 64;
    p.box[4] = 2;
    std::fill(p.dim + 1, p.dim + 5, 64ull);
    p.step[d] = 3;
    print_map(S("element_stride%d=3", d), p);
  }
  for (int v = 0; v < 8; v++) {
    Map p;
    p.rank = v < 6 ? 4 : 5;
    std::fill(p.dim + 1, p.dim + 5, 64ull);
    p.swizzle = 3;
    int low[3] = {v == 1 ? -3 : -1, v == 2 ? 2 : -1, -1}, high[3] = {v == 3 ? 5 : -1, -1, v == 7 ? -2 : -1};
    if (p.rank == 4) {
      low[2] = high[2] = 0;
    }
    u32 channels = v == 4 ? 32 : 64, pixels = v == 5 ? 200 : 32;
    CUtensorMap m;
    memset(&m, 0, sizeof m);
    cuuint64_t dim[5], stride[4];
    std::copy(p.dim, p.dim + 5, dim);
    std::copy(p.stride, p.stride + 4, stride);
    CUresult r = encode_im2col(&m, (CUtensorMapDataType)p.type, p.rank, (void*)p.address, dim, stride, low,
                               high, channels, pixels, p.step, (CUtensorMapInterleave)0,
                               (CUtensorMapSwizzle)3, (CUtensorMapL2promotion)0, (CUtensorMapFloatOOBfill)0);
    printf("im2col rank=%u lower=%d,%d,%d upper=%d,%d,%d channels=%u pixels=%u;%d", p.rank, low[0], low[1],
           low[2], high[0], high[1], high[2], channels, pixels, (int)r);
    for (int i = 0; i < 16; i++) {
      printf(i ? " %016llx" : ";%016llx", (u64)m.opaque[i]);
    }
    printf("\n");
  }
}
