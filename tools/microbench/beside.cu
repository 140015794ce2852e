// Which blocks go beside which on an SM, by the split of its L1 array and by what is left: two kernels that spin, on two
// streams; the first long enough for all of the second. Not part of run.py. FINDINGS.md 22.
//   nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a -o beside beside.cu && ./beside
// Lines "a_threads,a_shared,a_carveout,a_blocks,b_threads,b_shared,b_carveout,b_blocks,beside": how many of the second's
// blocks started before the first kernel ended. Shared memory in bytes, carve-outs in per cent, -1: default.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CK(x)                                                                    \
  do {                                                                           \
    cudaError_t e = (x);                                                         \
    if (e) fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)), exit(1);      \
  } while (0)

__device__ unsigned long long ns() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}
template <int K>
__global__ void spin(unsigned long long* o, long duration) {
  const unsigned long long a = ns();
  unsigned long long t;
  do t = ns();
  while (t - a < duration);
  if (threadIdx.x == 0) o[2 * blockIdx.x] = a, o[2 * blockIdx.x + 1] = t;
}

struct Side {
  int threads, shared, carveout, blocks;
};
constexpr int kBlocks = 4000;
static unsigned long long *buffer, host[2][2 * kBlocks];
static cudaStream_t stream[2];

template <int K>
void start(const Side& s, long duration) {
  CK(cudaFuncSetAttribute(spin<K>, cudaFuncAttributeMaxDynamicSharedMemorySize, 231424));
  CK(cudaFuncSetAttribute(spin<K>, cudaFuncAttributePreferredSharedMemoryCarveout, s.carveout));
  spin<K><<<s.blocks, s.threads, s.shared, stream[K]>>>(buffer + K * 2 * kBlocks, duration);
}

static void measure(const Side& a, const Side& b) {
  for (int repeat = 0; repeat < 2; ++repeat) {
    start<0>(a, 100000);
    start<1>(b, 5000);
    CK(cudaDeviceSynchronize());
  }
  CK(cudaMemcpy(host, buffer, sizeof host, cudaMemcpyDeviceToHost));
  unsigned long long end = 0;
  for (int i = 0; i < a.blocks; ++i) end = std::max(end, host[0][2 * i + 1]);
  int beside = 0;
  for (int i = 0; i < b.blocks; ++i) beside += host[1][2 * i] < end;
  printf("%d,%d,%d,%d,%d,%d,%d,%d,%d\n", a.threads, a.shared, a.carveout, a.blocks, b.threads, b.shared, b.carveout,
         b.blocks, beside);
  fflush(stdout);
}

int main() {
  CK(cudaMalloc(&buffer, sizeof host));
  for (cudaStream_t& s : stream) CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  printf("a_threads,a_shared,a_carveout,a_blocks,b_threads,b_shared,b_carveout,b_blocks,beside\n");
  const int kib[] = {0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160};
  for (int ta : {32, 128, 256, 512, 1024})
    for (int tb : {128, 512})
      for (int a : kib)
        for (int b : kib) measure({ta, a << 10, -1, 132}, {tb, b << 10, -1, 132});
  for (int shared : {0, 1024, 8192})
    for (int a = 0; a <= 100; a += 5)
      for (int b = -5; b <= 100; b += 5) measure({128, shared, a, 132}, {128, shared, std::max(b, -1), 132});
  for (int blocks : {132, 263, 264, 396, 2640}) measure({1024, 0, -1, blocks}, {128, 0, -1, 132});
}
