// The same launches again and again, and one whose work the data decide: what `heddle exec --reuse` may execute without timing it.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    cudaError_t status_ = (call);                                                           \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__global__ void add_one(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

__global__ void as_told(const int* turns, unsigned* out) {
  unsigned v = threadIdx.x;
  for (int i = 0; i < *turns; ++i) v = v * 1664525u + 1013904223u;
  out[threadIdx.x] = v;
}

int main() {
  const int n = 64 * 256;
  int *x, *turns;
  unsigned* out;
  CHECK(cudaMalloc(&x, n * sizeof(int)));
  CHECK(cudaMemset(x, 0, n * sizeof(int)));
  CHECK(cudaMalloc(&turns, sizeof(int)));
  CHECK(cudaMalloc(&out, 32 * sizeof(unsigned)));
  const int rounds = 40;
  for (int i = 0; i < rounds; ++i) add_one<<<64, 256>>>(x);
  std::vector<int> all(n);
  CHECK(cudaMemcpy(all.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int v : all) wrong += v != rounds;
  for (int i = 0; i < 20; ++i) {
    const int told = i < 10 ? 1000 : 2000;
    CHECK(cudaMemcpy(turns, &told, sizeof told, cudaMemcpyHostToDevice));
    as_told<<<1, 32>>>(turns, out);
    unsigned got[32];
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < 32; ++t) {
      unsigned v = t;
      for (int k = 0; k < told; ++k) v = v * 1664525u + 1013904223u;
      wrong += got[t] != v;
    }
  }
  std::printf(wrong == 0 ? "all right\n" : "FAIL: %d wrong\n", wrong);
  return wrong != 0;
}
