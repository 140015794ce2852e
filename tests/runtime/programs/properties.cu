// What the device and its kernels are: properties, attributes, occupancy, large dynamic shared memory.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

__global__ void simple(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

__global__ void __launch_bounds__(1024, 2) bounded(float* x) {
  __shared__ float s[2048];
  s[threadIdx.x] = x[threadIdx.x];
  s[threadIdx.x + 1024] = 1;
  __syncthreads();
  x[threadIdx.x] = s[2047 - threadIdx.x];
}

__constant__ int constants[100];

__global__ void spread(int* out, int n) {  // its local array is indexed by a value of the data
  int local[64];
  for (int i = 0; i < 64; i++) local[i] = i * i + constants[i];
  out[threadIdx.x] = local[out[threadIdx.x] & 63] + n;
}

__global__ void dynamicShared(int* out, int words) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) s[i] = i * 3;
  __syncthreads();
  if (threadIdx.x == 0) *out = s[words - 1] + s[words / 2];
}

struct PerThread {
  __host__ __device__ size_t operator()(int threads) const { return size_t(threads) * 128; }
};

template <class F>
static void describe(const char* name, F kernel) {
  cudaFuncAttributes a;
  CHECK(cudaFuncGetAttributes(&a, kernel));
  std::printf("%s: shared %zu const %zu local %zu max threads %d binary %d max dynamic shared %d\n", name, a.sharedSizeBytes,
              a.constSizeBytes, a.localSizeBytes, a.maxThreadsPerBlock, a.binaryVersion, a.maxDynamicSharedSizeBytes);
  if (a.numRegs <= 0) std::printf("no registers?\n");
}

int main() {
  int count = 0, device = -1;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&device));
  std::printf("devices at least one: %d, current %d\n", count >= 1, device);
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  std::printf("name %s\ncompute capability %d.%d\n", p.name, p.major, p.minor);
  std::printf("multiprocessors %d warp %d\n", p.multiProcessorCount, p.warpSize);
  std::printf("threads: block %d multiprocessor %d\n", p.maxThreadsPerBlock, p.maxThreadsPerMultiProcessor);
  std::printf("block %d x %d x %d grid %d x %d x %d\n", p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2],
              p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
  std::printf("registers: block %d multiprocessor %d\n", p.regsPerBlock, p.regsPerMultiprocessor);
  std::printf("shared: block %zu opt-in %zu multiprocessor %zu reserved %zu\n", p.sharedMemPerBlock, p.sharedMemPerBlockOptin,
              p.sharedMemPerMultiprocessor, p.reservedSharedMemPerBlock);
  std::printf("blocks per multiprocessor %d, constant memory %zu, L2 %d\n", p.maxBlocksPerMultiProcessor, p.totalConstMem,
              p.l2CacheSize);
  std::printf("bus %d bits, memory over 100 GB: %d, ECC %d\n", p.memoryBusWidth, p.totalGlobalMem > 100ull << 30, p.ECCEnabled);
  std::printf("unified addressing %d managed %d concurrent kernels %d cooperative %d engines over one: %d\n",
              p.unifiedAddressing, p.managedMemory, p.concurrentKernels, p.cooperativeLaunch, p.asyncEngineCount > 1);
  const std::pair<const char*, cudaDeviceAttr> attributes[] = {
      {"max threads per block", cudaDevAttrMaxThreadsPerBlock},
      {"warp size", cudaDevAttrWarpSize},
      {"multiprocessors", cudaDevAttrMultiProcessorCount},
      {"compute capability major", cudaDevAttrComputeCapabilityMajor},
      {"compute capability minor", cudaDevAttrComputeCapabilityMinor},
      {"max shared memory per block opt-in", cudaDevAttrMaxSharedMemoryPerBlockOptin},
      {"max shared memory per multiprocessor", cudaDevAttrMaxSharedMemoryPerMultiprocessor},
      {"memory pools", cudaDevAttrMemoryPoolsSupported},
      {"cluster launch", cudaDevAttrClusterLaunch},
      {"max pitch", cudaDevAttrMaxPitch},
      {"texture alignment", cudaDevAttrTextureAlignment},
  };
  for (const auto& [name, attribute] : attributes) {
    int v;
    CHECK(cudaDeviceGetAttribute(&v, attribute, 0));
    std::printf("attribute %s %d\n", name, v);
  }
  size_t free_, total;
  CHECK(cudaMemGetInfo(&free_, &total));
  std::printf("memory free within total: %d\n", free_ > 0 && free_ <= total && total == p.totalGlobalMem);
  size_t limit;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  std::printf("stack %zu", limit);
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  std::printf(" heap %zu", limit);
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  std::printf(" then %zu\n", limit);

  describe("simple", simple);
  describe("bounded", bounded);
  describe("spread", spread);
  describe("dynamicShared", dynamicShared);

  std::printf("blocks of simple:");
  for (int threads : {32, 64, 96, 128, 192, 256, 512, 768, 1024}) {
    int blocks;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, simple, threads, 0));
    std::printf(" %d", blocks);
  }
  std::printf("\nblocks of dynamicShared:");
  CHECK(cudaFuncSetAttribute(dynamicShared, cudaFuncAttributeMaxDynamicSharedMemorySize, int(p.sharedMemPerBlockOptin)));
  for (int kib : {0, 1, 8, 16, 32, 48, 64, 100, 113, 128, 200, 227}) {
    int blocks;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamicShared, 256, kib * 1024));
    std::printf(" %d", blocks);
  }
  int grid, block;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, simple, 0, 0));
  std::printf("\nbest of simple: %d blocks of %d\n", grid, block);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, simple, 0, 300));
  std::printf("best of simple below 300 threads: %d blocks of %d\n", grid, block);
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, dynamicShared, PerThread()));
  std::printf("best with 128 bytes a thread: %d blocks of %d\n", grid, block);
  size_t dynamic;
  CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, dynamicShared, 4, 256));
  std::printf("shared memory for 4 blocks of 256: %zu\n", dynamic);

  int* out;
  CHECK(cudaMalloc(&out, 4096));
  CHECK(cudaMemset(out, 0, 4096));
  for (int kib : {16, 48, 100, 227}) {
    int words = kib * 256, got;
    dynamicShared<<<1, 256, kib * 1024>>>(out, words);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, out, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("%d KiB of shared memory: %d %s\n", kib, got, got == 3 * (words - 1) + words / 2 * 3 ? "PASS" : "FAIL");
  }
  spread<<<1, 32>>>(out, 5);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFuncSetAttribute(dynamicShared, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  CHECK(cudaFuncSetCacheConfig(simple, cudaFuncCachePreferShared));
  CHECK(cudaFree(out));
  return 0;
}
