// O. What the CUDA runtime says of residency: blocks per SM by registers, block size, shared memory, carve-out
// and cluster, and the block size it suggests. Prints the table results/h200_occupancy.csv
// (`occupancy > results/h200_occupancy.csv`); no kernel runs.
#include <utility>

#include "mb.h"

// N values live at once make about N + 10 registers a thread; the attribute says how many there are.
template <int N, int kShared>
__global__ void k_live(const float* p, float* out, int rounds) {
  __shared__ float s[kShared / 4 + 1];
  float a[N];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    a[i] = p[i * 1024 + threadIdx.x];
  }
  if (kShared) {
    s[threadIdx.x % (kShared / 4 + 1)] = a[0];
    __syncthreads();
  }
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      a[i] = a[i] * a[(i + 1) % N] + a[(i + N / 2) % N];
    }
  }
#pragma unroll
  for (int i = 0; i < N; ++i) {
    out[i * 1024 + threadIdx.x] = a[i] + (kShared ? s[(threadIdx.x + 1) % (kShared / 4 + 1)] : 0);
  }
}

using Kernel = void (*)(const float*, float*, int);

static bool allow(Kernel k, int dynamic, int carveout) {
  return cudaFuncSetAttribute((const void*)k, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic) == cudaSuccess &&
         cudaFuncSetAttribute((const void*)k, cudaFuncAttributePreferredSharedMemoryCarveout, carveout) == cudaSuccess;
}

static void row(const char* what, const cudaFuncAttributes& f, int block, int dynamic, int carveout, int cluster,
                int result) {
  printf("%s,%d,%d,%d,%d,%d,%d,%d\n", what, f.numRegs, block, (int)f.sharedSizeBytes, dynamic, carveout, cluster,
         result);
}

static void blocks(Kernel k, const cudaFuncAttributes& f, int block, int dynamic, int carveout) {
  int n = 0;
  if (allow(k, dynamic, carveout) && cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void*)k, block, dynamic) == cudaSuccess) {
    row("blocks", f, block, dynamic, carveout, 1, n);
  }
  cudaGetLastError();
}

static void clusters(Kernel k, const cudaFuncAttributes& f, int block, int dynamic, int cluster) {
  cudaFuncSetAttribute((const void*)k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaLaunchConfig_t c = {};
  cudaLaunchAttribute a[1];
  a[0].id = cudaLaunchAttributeClusterDimension;
  a[0].val.clusterDim.x = cluster;
  a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
  c.gridDim = cluster * 1024;
  c.blockDim = block;
  c.dynamicSmemBytes = dynamic;
  c.attrs = a;
  c.numAttrs = 1;
  int n = 0;
  if (allow(k, dynamic, -1) && cudaOccupancyMaxActiveClusters(&n, (const void*)k, &c) == cudaSuccess) {
    row("clusters", f, block, dynamic, -1, cluster, n);
  }
  cudaGetLastError();
}

static int seed = 1;
static int draw(int n) {
  seed = (int)((seed * 1103515245u + 12345u) & 0x7fffffff);
  return (seed >> 8) % n;
}

static void measure(Kernel k) {
  cudaFuncAttributes f;
  CK(cudaFuncGetAttributes(&f, (const void*)k));
  const int most = 232448 - (int)f.sharedSizeBytes;
  for (int block : {1, 32, 33, 64, 96, 128, 160, 192, 224, 256, 288, 320, 384, 416, 512, 544, 640, 768, 896, 1000, 1024}) {
    blocks(k, f, block, 0, -1);
    blocks(k, f, block, draw(most), -1);
    blocks(k, f, block, draw(20000), -1);
  }
  for (int carveout : {0, 1, 10, 25, 50, 75, 100}) {
    blocks(k, f, 64, 0, carveout);
    blocks(k, f, 128, 1000 + draw(9000), carveout);
    blocks(k, f, 256, draw(most), carveout);
  }
  for (int cluster : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16}) {
    clusters(k, f, 128, 0, cluster);
    clusters(k, f, 256, draw(100000), cluster);
    clusters(k, f, 512, draw(most), cluster);
    clusters(k, f, 1024, draw(most), cluster);
  }
  for (int dynamic : {0, 8192, 50000, 150000}) {
    int grid = 0, block = 0;
    if (dynamic <= most && allow(k, dynamic, -1) &&
        cudaOccupancyMaxPotentialBlockSize(&grid, &block, k, dynamic) == cudaSuccess) {
      row("suggest", f, block, dynamic, -1, 1, grid);
    }
    cudaGetLastError();
  }
}

int main() {
  printf("what,registers,block,static_shared,dynamic_shared,carveout_percent,cluster,result\n");
  measure(k_live<1, 0>);
  measure(k_live<6, 1000>);
  measure(k_live<12, 0>);
  measure(k_live<20, 0>);
  measure(k_live<28, 4096>);
  measure(k_live<36, 0>);
  measure(k_live<44, 0>);
  measure(k_live<56, 128>);
  measure(k_live<64, 0>);
  measure(k_live<80, 0>);
  measure(k_live<96, 40000>);
  measure(k_live<112, 0>);
  measure(k_live<128, 0>);
  measure(k_live<150, 0>);
  measure(k_live<180, 2000>);
  measure(k_live<220, 0>);
  return 0;
}
