// What warps wait for between their first instruction, their first parameter and their first load: per warp,
// three clocks and the SM; then which SMs share a GPC (results/h100_start.csv has means and percentiles;
// FINDINGS.md 50). Under ncu --cache-control all each launch is cold.
#include "mb.h"
template <int KIND>
__global__ void k_s(const float* a, uint4* out, u32 never) {
  u32 t0 = clk();
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* p = a + i;
  u32 t1 = clk_after((u32)(size_t)p, never);
  float s = 1;
  if (KIND >= 1) {
    s = p[0];
  }
  u32 t2 = clk_after(__float_as_uint(s), never);
  if ((threadIdx.x & 31) == 0) {
    out[i >> 5] = make_uint4(t0, t1, t2, smid());
  }
}
__global__ void k_map(u32* out) {
  if (threadIdx.x == 0) {
    out[blockIdx.x] = smid();
  }
}
int main() {
  char* m;
  CK(cudaMalloc(&m, size_t{512} << 20));
  CK(cudaMemset(m, 0, size_t{512} << 20));
  float* A = (float*)(m + (64 << 20));
  uint4* out = (uint4*)(m + (256 << 20));
  CK(cudaDeviceSynchronize());
  for (int pass = 0; pass < 3; pass++) {
    for (int kind : {0, 1}) {
      for (auto [b, t] : std::vector<std::pair<int, int>>{{1, 256},
                                                          {2, 256},
                                                          {8, 256},
                                                          {16, 256},
                                                          {32, 256},
                                                          {66, 256},
                                                          {132, 32},
                                                          {132, 256},
                                                          {132, 1024},
                                                          {264, 256},
                                                          {1056, 256}}) {
        (kind ? k_s<1> : k_s<0>)<<<b, t>>>(A, out, 0xdeadbeef);
        sync();
        auto h = down(out, b * t / 32);
        for (int w = 0; w < b * t / 32; w++) {
          printf("R,%d,%d,%d,%d,%d,%u,%u,%u,%u\n", pass, kind, b, t, w, h[w].w, h[w].x, h[w].y - h[w].x,
                 h[w].z - h[w].y);
        }
      }
    }
  }
  CK(cudaFuncSetAttribute(k_map, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (int n : {16, 8}) {
    for (int rep = 0; rep < 8; rep++) {
      cudaLaunchConfig_t cfg{};
      cfg.gridDim = n * 8;
      cfg.blockDim = 1024;
      cfg.dynamicSmemBytes = 0;
      cudaLaunchAttribute at;
      at.id = cudaLaunchAttributeClusterDimension;
      at.val.clusterDim = {(u32)n, 1, 1};
      cfg.attrs = &at;
      cfg.numAttrs = 1;
      u32* o = (u32*)out;
      CK(cudaLaunchKernelEx(&cfg, k_map, o));
      sync();
      auto h = down(o, n * 8);
      for (int c = 0; c < 8; c++) {
        printf("C,%d", n);
        for (int i = 0; i < n; i++) {
          printf(",%u", h[c * n + i]);
        }
        printf("\n");
      }
    }
  }
}
