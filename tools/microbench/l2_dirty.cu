// How much of the L2 may be dirty, and what writing back costs, by the set-aside (FINDINGS.md 20).
//
//   nvcc -O3 -gencode arch=compute_90a,code=sm_90a l2_dirty.cu -o l2_dirty && ./l2_dirty
//   ncu --cache-control none --csv --page raw -k regex:"store|update|load_after" \
//       --metrics dram__bytes_write.sum,dram__bytes_read.sum ./l2_dirty once
//
// Rows: D,sixteenths set aside,kernel,MiB,us after a clean L2,us after itself; ncu's bytes written by the
// launch after a clean L2 are what had no room. P,MiB that persist,MiB read again,us: ncu's bytes read tell
// what stayed.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr int kBlocks = 264, kThreads = 1024;
constexpr uint32_t kLinesPerMiB = 8192;

// A warp takes a line of 128 bytes at a time.
template <class F>
__device__ void each_line(int* p, uint32_t lines, F f) {
  const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
  for (uint32_t i = warp; i < lines; i += warps) {
    f(p + size_t{i} * 32 + threadIdx.x % 32);
  }
}
__device__ int load_cg(const int* p) {
  int v;
  asm volatile("ld.global.cg.s32 %0,[%1];" : "=r"(v) : "l"(p));
  return v;
}
__global__ void load(int* p, uint32_t lines, int* out) {
  int sum = 0;
  each_line(p, lines, [&](int* q) { sum += load_cg(q); });
  if (sum == 12345) {
    *out = sum;
  }
}
__global__ void load_after(int* p, uint32_t lines, int* out) {
  int sum = 0;
  each_line(p, lines, [&](int* q) { sum += load_cg(q); });
  if (sum == 12345) {
    *out = sum;
  }
}
__global__ void store(int* p, uint32_t lines) {
  each_line(p, lines, [](int* q) { *q = 1; });
}
__global__ void update(int* p, uint32_t lines) {
  each_line(p, lines, [](int* q) { *q = load_cg(q) * 2; });
}

int main(int argc, char**) {
  const int repeats = argc > 1 ? 1 : 5;
  int *data, *other, *out;
  cudaMalloc(&data, 256 << 20);
  cudaMalloc(&other, 256 << 20);
  cudaMalloc(&out, 4);
  cudaMemset(data, 0, 256 << 20);
  cudaMemset(other, 0, 256 << 20);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  auto microseconds = [&](auto&& launch) {
    float ms;
    cudaEventRecord(begin, s);
    launch();
    cudaEventRecord(end, s);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    return ms * 1000;
  };
  auto clean = [&] { load<<<kBlocks, kThreads, 0, s>>>(other, 256 * kLinesPerMiB, out); };

  for (int aside = 0; aside <= 10; ++aside) {
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, size_t(aside) * 3932160);
    for (auto* kernel : {store, update}) {
      for (uint32_t mib : {4, 8, 16, 24, 32, 48, 100, 200}) {
        float after_clean = 1e9f, after_itself = 1e9f;
        auto launch = [&] { kernel<<<kBlocks, kThreads, 0, s>>>(data, mib * kLinesPerMiB); };
        for (int r = 0; r < repeats; ++r) {
          clean();
          after_clean = fminf(after_clean, microseconds(launch));
        }
        for (int r = 0; r < repeats; ++r) {
          after_itself = fminf(after_itself, microseconds(launch));
        }
        printf("D,%d,%s,%u,%.2f,%.2f\n", aside, kernel == store ? "store" : "update", mib, after_clean,
               after_itself);
      }
    }
  }

  for (uint32_t persist : {0, 5, 10, 20, 35}) {
    for (uint32_t mib : {4, 8, 12, 16, 20, 24, 28, 32, 40, 48}) {
      cudaCtxResetPersistingL2Cache();
      clean();
      cudaStreamAttrValue v = {};
      v.accessPolicyWindow = {data + (100 << 18), size_t(persist) << 20, 1, cudaAccessPropertyPersisting,
                              cudaAccessPropertyStreaming};
      cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v);
      for (int r = 0; r < 2; ++r) {
        load<<<kBlocks, kThreads, 0, s>>>(data + (100 << 18), persist * kLinesPerMiB, out);
      }
      v.accessPolicyWindow.num_bytes = 0;
      cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v);
      for (int r = 0; r < 2; ++r) {
        load<<<kBlocks, kThreads, 0, s>>>(data, mib * kLinesPerMiB, out);
      }
      printf("P,%u,%u,%.2f\n", persist, mib,
             microseconds([&] { load_after<<<kBlocks, kThreads, 0, s>>>(data, mib * kLinesPerMiB, out); }));
    }
  }
  printf("# %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
