// printf on the device: formats, strings, threads of a warp in order, and what it returns.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

__global__ void hello() { printf("hello from the device\n"); }

__global__ void formats(int i, long long l, unsigned u, float f, double d, const char* none) {
  printf("d [%d] [%5d] [%-5d] [%05d] [%+d]\n", i, i, i, i, i);
  printf("u [%u] x [%x] [%X] [%#x] [%08x] o [%o]\n", u, u, u, u, u, u);
  printf("lld [%lld] llu [%llu] llx [%llx] ld [%ld]\n", l, (unsigned long long)l, l, (long)l);
  printf("hd [%hd] c [%c] %%\n", (short)i, 'A' + i % 26);
  printf("f [%f] [%.2f] [%10.3f] [%-10.1f] [%+.0f]\n", f, f, f, f, f);
  printf("e [%e] [%.3E] g [%g] [%.12g] [%G]\n", d, d, d, d, d * 1e-20);
  printf("a [%a]\n", 1.5);
  printf("inf [%f] nan [%d] -0 [%g] tiny [%g]\n", 1.0 / 0.0, isnan(sqrtf(-f)), -0.0, 4.9e-324);
  printf("width from an argument [%*d] precision [%.*f]\n", 8, i, 3, d);
  printf("s [%s] [%10s] [%-10s] [%.2s]\n", "abc", "abc", "abc", "abc");
  printf("p of null %s\n", none == nullptr ? "null" : "not null");
  printf("no newline, ");
  printf("then one\n");
}

__device__ const char* const names[] = {"zero", "one", "two", "three"};
__constant__ char motto[] = "weft and warp";

__global__ void strings() {
  __shared__ char s[8];
  char local[6];
  if (threadIdx.x == 0)
    for (int i = 0; i < 5; i++) s[i] = 'a' + i, local[i] = 'v' + i;
  s[5] = local[5] = 0;
  __syncwarp();
  printf("thread %d is %s\n", threadIdx.x, names[threadIdx.x % 4]);
  if (threadIdx.x == 0) printf("constant: %s, shared: %s, local: %s\n", motto, s, local);
}

__global__ void lanes() {
  int square = threadIdx.x * threadIdx.x;
  if (threadIdx.x % 4 == 1) printf("lane %2d of %d: %3d\n", threadIdx.x, blockDim.x, square);
}

__global__ void returns(int* out) {
  out[0] = printf("two arguments: %d %d\n", 1, 2);
  out[1] = printf("none\n");
  out[2] = printf("%d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
}

__global__ void loop(int n) {
  for (int i = 0; i < n; i++) printf("%d%c", i * i, i == n - 1 ? '\n' : ' ');
}

__global__ void blocks3() {
  if (blockIdx.x == 1 && blockIdx.y == 2 && threadIdx.y == 1)
    printf("block (%u,%u,%u) thread (%u,%u,%u)\n", blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
}

int main() {
  std::printf("host first\n");
  hello<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  formats<<<1, 1>>>(42, -123456789012345ll, 0xbeefu, 3.14159274f, 2.718281828459045, nullptr);
  CHECK(cudaDeviceSynchronize());
  formats<<<1, 1>>>(-7, 9000000000ll, 7u, -0.001f, 1e300, nullptr);
  CHECK(cudaDeviceSynchronize());
  strings<<<1, 6>>>();
  CHECK(cudaDeviceSynchronize());
  lanes<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
  loop<<<1, 1>>>(12);
  CHECK(cudaDeviceSynchronize());
  blocks3<<<dim3(2, 3), dim3(4, 2)>>>();
  CHECK(cudaDeviceSynchronize());

  int *out, got[3];
  CHECK(cudaMalloc(&out, sizeof(got)));
  returns<<<1, 1>>>(out);
  CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
  std::printf("returned %d %d %d\n", got[0], got[1], got[2]);
  CHECK(cudaFree(out));

  size_t fifo;
  CHECK(cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize));
  std::printf("buffer of %zu bytes\n", fifo);
  for (int i = 0; i < 3; i++) loop<<<1, 1>>>(5 + i);  // in the order of the launches
  CHECK(cudaStreamSynchronize(0));
  std::printf("host last\n");
  return 0;
}
