// What the first accesses of a small kernel cost by the state of its process: how its memory was allocated, how much of it has been
// accessed, how many modules are loaded. Under ncu (SM-active cycles) and by its own clocks; process_state.py looks at a PyTorch
// process. FINDINGS.md 40.
// Build: nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a process_state.cu -o process_state
#include "mb.h"

// One block of two warps: parameter, load, dependent load of another page, shuffles over shared memory, store.
extern "C" __global__ void k_probe(const int* in, const int* second, float* out, long long* clk) {
  __shared__ float part[2];
  long long t0 = clock64();
  int v = in[threadIdx.x];
  if (v == 123456789) {  // never: what was loaded is waited for
    clk[7] = 1;
  }
  long long t1 = clock64();
  int w = second[v + threadIdx.x];
  if (w == 123456789) {
    clk[7] = 2;
  }
  long long t2 = clock64();
  float f = (float)w;
  for (int o = 16; o > 0; o >>= 1) {
    f += __shfl_xor_sync(~0u, f, o);
  }
  if (threadIdx.x % 32 == 0) {
    part[threadIdx.x / 32] = f;
  }
  __syncthreads();
  long long t3 = clock64();
  if (threadIdx.x == 0) {
    out[0] = part[0] + part[1];
    long long t4 = clock64();
    clk[0] = t0;
    clk[1] = t1;
    clk[2] = t2;
    clk[3] = t3;
    clk[4] = t4;
  }
}

__global__ void k_touch(char* p, size_t n, size_t step) {
  for (size_t i = (blockIdx.x * blockDim.x + threadIdx.x) * step; i < n; i += gridDim.x * blockDim.x * step) {
    p[i] += 1;
  }
}

__global__ void k_nothing() {}
// Writes what the probe reads.
__global__ void k_write(int* a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    a[i] = 0;
  }
}
// A line of each of n pages of 2 MB.
__global__ void k_pages(const char* p, int pages, int* sink) {
  int sum = 0;
  for (int i = threadIdx.x; i < pages; i += blockDim.x) {
    sum += p[(size_t)((i + blockIdx.x) % pages) << 21];
  }
  if (sum == 123456789) {
    *sink = sum;
  }
}

namespace {

// `before` runs ahead of each probe.
template <typename F>
void probe(const char* what, int* in, int* second, float* out, long long* clk, F before, int repeats = 4) {
  for (int r = 0; r < repeats; ++r) {
    before();
    CK(cudaDeviceSynchronize());
    k_probe<<<1, 64>>>(in, second, out, clk);
    CK(cudaDeviceSynchronize());
    long long c[8];
    CK(cudaMemcpy(c, clk, 64, cudaMemcpyDeviceToHost));
    std::printf("CSV,%s,%d,%lld,%lld,%lld,%lld,%lld\n", what, r, c[1] - c[0], c[2] - c[1], c[3] - c[2], c[4] - c[3], c[4] - c[0]);
  }
}
void probe(const char* what, int* in, int* second, float* out, long long* clk) {
  probe(what, in, second, out, clk, [] {});
}

}  // namespace

int main() {
  long long* clk;
  CK(cudaMalloc(&clk, 4096));
  char* big;
  CK(cudaMalloc(&big, size_t{512} << 20));
  CK(cudaMemset(big, 0, size_t{512} << 20));
  const auto at = [&](size_t mb) { return big + (mb << 20); };
  probe("one allocation", (int*)at(64), (int*)at(128), (float*)at(200), clk);
  probe("one allocation, same page", (int*)at(64), (int*)(at(64) + 65536), (float*)(at(64) + 131072), clk);
  k_touch<<<132, 256>>>(big, size_t{512} << 20, 4096);
  CK(cudaDeviceSynchronize());
  probe("one allocation, all touched before", (int*)at(66), (int*)at(130), (float*)at(202), clk);
  std::vector<char*> small(400);
  for (char*& p : small) {
    CK(cudaMalloc(&p, 2 << 20));
    CK(cudaMemset(p, 0, 2 << 20));
  }
  probe("400 allocations of 2 MB", (int*)small[17], (int*)small[203], (float*)small[311], clk);
  for (char* p : small) {
    k_touch<<<1, 32>>>(p, 2 << 20, 65536);
  }
  CK(cudaDeviceSynchronize());
  probe("400 allocations of 2 MB, touched before", (int*)small[18], (int*)small[204], (float*)small[312], clk);
  std::vector<char*> tiny(64);
  for (char*& p : tiny) {
    CK(cudaMalloc(&p, 512));
    CK(cudaMemset(p, 0, 512));
  }
  probe("small allocations", (int*)tiny[3], (int*)tiny[30], (float*)tiny[60], clk);
  int* in = (int*)at(64);
  int* second = (int*)at(128);
  float* out = (float*)at(200);
  probe("an empty kernel before", in, second, out, clk, [] { k_nothing<<<1, 32>>>(); });
  probe("132 empty blocks before", in, second, out, clk, [] { k_nothing<<<132, 1024>>>(); });
  probe("its input written before", in, second, out, clk, [&] { k_write<<<132, 256>>>(in, 1 << 19); });
  probe("its input written by one block", in, second, out, clk, [&] { k_write<<<1, 256>>>(in, 64); });
  probe("its second input written before", in, second, out, clk, [&] { k_write<<<132, 256>>>(second, 1 << 19); });
  probe("another page written before", in, second, out, clk, [&] { k_write<<<132, 256>>>((int*)at(300), 1 << 19); });
  probe("64 MB elsewhere written before", in, second, out, clk, [&] { k_write<<<132 * 8, 256>>>((int*)at(300), 1 << 24); });
  for (int pages : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    char name[64];
    std::snprintf(name, sizeof name, "%d pages read by 132 blocks before", pages);
    probe(name, in, second, out, clk, [&] { k_pages<<<132, 256>>>(big, pages, (int*)clk + 100); });
  }
  probe("256 pages read by one block before", in, second, out, clk, [&] { k_pages<<<1, 256>>>(big, 256, (int*)clk + 100); });
  char* huge;
  CK(cudaMalloc(&huge, size_t{40} << 30));
  CK(cudaMemset(huge, 0, size_t{40} << 30));
  k_touch<<<132, 256>>>(huge, size_t{40} << 30, 2 << 20);
  CK(cudaDeviceSynchronize());
  probe("40 GB touched before", (int*)at(70), (int*)at(134), (float*)at(206), clk);
  probe("in the 40 GB", (int*)(huge + (size_t{3} << 30)), (int*)(huge + (size_t{17} << 30)), (float*)(huge + (size_t{33} << 30)), clk);
}
