// Cooperative groups: the grid's barrier, tiles of a warp, and clusters with each other's shared memory.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

static bool say(const char* what, bool ok) {
  std::printf("%-40s %s\n", what, ok ? "PASS" : "FAIL");
  return ok;
}

// Smoothing over a ring, a step of the whole grid at a time.
__global__ void smooth(int* a, int* b, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  for (int s = 0; s < steps; s++) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      int left = a[(i + n - 1) % n], right = a[(i + 1) % n];
      b[i] = (left + 2 * a[i] + right) >> 2;
    }
    grid.sync();
    int* t = a;
    a = b;
    b = t;
  }
}

// Sums and scans of tiles of several sizes, and of the threads of a branch.
template <int kSize>
__global__ void tiles(const int* in, int* sums, int* scans) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<kSize>(block);
  int i = block.group_index().x * block.size() + block.thread_rank();
  int x = in[i];
  int sum = cg::reduce(tile, x, cg::plus<int>());
  scans[i] = cg::inclusive_scan(tile, x, cg::plus<int>());
  if (tile.thread_rank() == 0) sums[i / kSize] = sum;
}

__global__ void branches(const int* in, int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(&counts[0], int(active.size()));
  } else {
    auto warp = cg::coalesced_threads();
    auto same = cg::labeled_partition(warp, in[i] % 3);
    if (same.thread_rank() == 0) atomicAdd(&counts[in[i] % 3], int(same.size()));
  }
}

// A copy of each tile of the input to shared memory by the whole block, then its reversal.
__global__ void reverse(const int* in, int* out) {
  __shared__ int s[256];
  cg::thread_block block = cg::this_thread_block();
  const int* from = in + blockIdx.x * 256;
  cg::memcpy_async(block, s, from, sizeof(s));
  cg::wait(block);
  out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}

// A histogram whose bins are spread over the blocks of a cluster.
__global__ void histogram(const unsigned char* in, unsigned* bins, int n, int perBlock) {
  extern __shared__ unsigned local[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < perBlock; i += blockDim.x) local[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int bin = in[i], owner = bin / perBlock;
    unsigned* remote = cluster.map_shared_rank(local, owner);
    atomicAdd(&remote[bin % perBlock], 1u);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < perBlock; i += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * perBlock + i], local[i]);
}

// A cluster fixed at compile time: each block reads its right neighbour's shared memory.
__global__ void __cluster_dims__(4, 1, 1) neighbours(int* out) {
  __shared__ int mine;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = blockIdx.x * 100 + cluster.block_rank();
  cluster.sync();
  int next = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&mine, next);
  cluster.sync();
}

int main() {
  bool ok = true;
  int device = 0, cooperative = 0, multiprocessors = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  ok &= say("cooperative launches", cooperative == 1);

  {
    const int n = 20000;
    int steps = 9;
    std::vector<int> want(n), next(n);
    unsigned state = 5;
    for (int& x : want) x = int((state = state * 1664525u + 1013904223u) >> 12);
    int *a, *b, count = n;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaMemcpy(a, want.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    int perSm = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, smooth, 128, 0));
    void* args[] = {&a, &b, &count, &steps};
    ok &= say("64 blocks fit", perSm * multiprocessors >= 64);
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(smooth), dim3(64), dim3(128), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < steps; s++) {
      for (int i = 0; i < n; i++) next[i] = (want[(i + n - 1) % n] + 2 * want[i] + want[(i + 1) % n]) >> 2;
      want.swap(next);
    }
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("smoothed: first %d, sum %lld\n", got[0], std::accumulate(got.begin(), got.end(), 0ll));
    ok &= say("grid sync", got == want);
    cudaError_t tooMany = cudaLaunchCooperativeKernel(reinterpret_cast<void*>(smooth), dim3(perSm * multiprocessors + 1),
                                                      dim3(128), args, 0, 0);
    std::printf("one block too many: %s\n", cudaGetErrorName(tooMany));
    ok &= say("too large a cooperative grid", tooMany == cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
  }

  {
    const int n = 4096;
    std::vector<int> in(n);
    for (int i = 0; i < n; i++) in[i] = i * 37 % 101;
    int *din, *sums, *scans;
    CHECK(cudaMalloc(&din, n * sizeof(int)));
    CHECK(cudaMalloc(&sums, n * sizeof(int)));
    CHECK(cudaMalloc(&scans, n * sizeof(int)));
    CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    auto check = [&](int size) {
      std::vector<int> s(n / size), p(n);
      CHECK(cudaMemcpy(s.data(), sums, s.size() * sizeof(int), cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpy(p.data(), scans, n * sizeof(int), cudaMemcpyDeviceToHost));
      bool same = true;
      for (int i = 0, run = 0; i < n; i++) {
        run = i % size ? run + in[i] : in[i];
        same &= p[i] == run;
        if (i % size == size - 1) same &= s[i / size] == run;
      }
      std::printf("tiles of %2d: first sum %d, last %d\n", size, s.front(), s.back());
      ok &= say("tile sums and scans", same);
    };
    tiles<32><<<n / 128, 128>>>(din, sums, scans);
    check(32);
    tiles<16><<<n / 128, 128>>>(din, sums, scans);
    check(16);
    tiles<4><<<n / 128, 128>>>(din, sums, scans);
    check(4);

    CHECK(cudaMemset(sums, 0, 3 * sizeof(int)));
    branches<<<n / 128, 128>>>(din, sums, n - 50);
    int got[3], want[3] = {};
    CHECK(cudaMemcpy(got, sums, sizeof(got), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n - 50; i++) want[in[i] % 3]++;
    std::printf("branches: %d %d %d\n", got[0], got[1], got[2]);
    ok &= say("coalesced and labeled groups", got[0] == want[0] && got[1] == want[1] && got[2] == want[2]);

    reverse<<<n / 256, 256>>>(din, scans);
    std::vector<int> r(n);
    CHECK(cudaMemcpy(r.data(), scans, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool same = true;
    for (int i = 0; i < n; i++) same &= r[i] == in[i / 256 * 256 + 255 - i % 256];
    ok &= say("asynchronous copy to shared memory", same);
    CHECK(cudaFree(din));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(scans));
  }

  {
    const int n = 1 << 16, clusterSize = 4, perBlock = 256 / clusterSize;
    std::vector<unsigned char> in(n);
    std::vector<unsigned> want(256), got(256);
    unsigned state = 17;
    for (auto& x : in) {
      x = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
      want[x]++;
    }
    unsigned char* din;
    unsigned* bins;
    CHECK(cudaMalloc(&din, n));
    CHECK(cudaMalloc(&bins, 256 * sizeof(unsigned)));
    CHECK(cudaMemcpy(din, in.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(bins, 0, 256 * sizeof(unsigned)));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(32);
    config.blockDim = dim3(128);
    config.dynamicSmemBytes = perBlock * sizeof(unsigned);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = clusterSize;
    attribute[0].val.clusterDim.y = 1;
    attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, histogram, (const unsigned char*)din, bins, n, perBlock));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got.data(), bins, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    std::printf("bins: %u %u %u ... %u\n", got[0], got[1], got[2], got[255]);
    ok &= say("histogram over a cluster", got == want);
    int clusterBlocks = 0;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&clusterBlocks, histogram, &config));
    std::printf("largest portable cluster %d\n", clusterBlocks);

    int* out;
    CHECK(cudaMalloc(&out, 8 * sizeof(int)));
    neighbours<<<8, 32>>>(out);
    CHECK(cudaGetLastError());
    int h[8];
    CHECK(cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost));
    std::printf("neighbours:");
    bool same = true;
    for (int i = 0; i < 8; i++) {
      int next = i / 4 * 4 + (i + 1) % 4;
      std::printf(" %d", h[i]);
      same &= h[i] == next * 100 + next % 4;
    }
    std::printf("\n");
    ok &= say("neighbours in a fixed cluster", same);
    neighbours<<<6, 32>>>(out);
    std::printf("6 blocks in clusters of 4: %s\n", cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaFree(out));
    CHECK(cudaFree(din));
    CHECK(cudaFree(bins));
  }
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
