// Kernels that launch kernels: how long whole trees of grids take, by events around the launch that the host makes.
//   nvcc -O2 -std=c++17 -arch=sm_90 -rdc=true -cudart shared nested.cu -o nested -lcudadevrt
// Prints name,median_us,least_us,most_us,first_us of eight launches behind a first one. `heddle exec` runs it as well.
#include <algorithm>
#include <cstdio>

__device__ void chain_of_sums(int* x, int n) {
  float a = threadIdx.x;
  for (int i = 0; i < n; ++i) a = a * 1.0001f + 0.5f;
  if (a == 7) x[0] = 1;
}

__global__ void empty(int*) {}
__global__ void busy(int* x, int n) { chain_of_sums(x, n); }
__global__ void one(int* x, int n) {
  if (threadIdx.x == 0) busy<<<132, 128>>>(x, n);
}
__global__ void after(int* x, int n) {
  chain_of_sums(x, n);
  if (threadIdx.x == 0) busy<<<132, 128>>>(x, n);
}
__global__ void each(int* x, int n) {
  if (threadIdx.x == 0) busy<<<4, 128>>>(x, n);
}
__global__ void tails(int* x, int left) {
  if (left != 0) tails<<<1, 1, 0, cudaStreamTailLaunch>>>(x, left - 1);
}
__global__ void tree(int* x, int depth) {
  if (depth == 0) return;
  tree<<<1, 1, 0, cudaStreamFireAndForget>>>(x, depth - 1);
  tree<<<1, 1, 0, cudaStreamFireAndForget>>>(x, depth - 1);
}

template <class F>
void measure(const char* name, F launch) {
  constexpr int kTimes = 9;
  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  float ms[kTimes];
  for (float& t : ms) {
    cudaDeviceSynchronize();
    cudaEventRecord(from);
    launch();
    cudaEventRecord(to);
    cudaEventSynchronize(to);
    cudaEventElapsedTime(&t, from, to);
  }
  std::sort(ms + 1, ms + kTimes);
  std::printf("%s,%.2f,%.2f,%.2f,%.2f\n", name, 1e3 * ms[5], 1e3 * ms[1], 1e3 * ms[8], 1e3 * ms[0]);
}

int main() {
  int* x = nullptr;
  cudaMalloc(&x, 1 << 20);
  std::puts("name,median_us,least_us,most_us,first_us");
  measure("empty", [&] { empty<<<1, 1>>>(x); });
  measure("busy_alone", [&] { busy<<<132, 128>>>(x, 20000); });
  measure("one_20000", [&] { one<<<1, 32>>>(x, 20000); });
  measure("one_100", [&] { one<<<1, 32>>>(x, 100); });
  measure("after_20000", [&] { after<<<1, 32>>>(x, 20000); });
  measure("each_16", [&] { each<<<16, 32>>>(x, 1000); });
  measure("each_132", [&] { each<<<132, 32>>>(x, 1000); });
  measure("each_1000", [&] { each<<<1000, 32>>>(x, 1000); });
  measure("tails_10", [&] { tails<<<1, 1>>>(x, 10); });
  measure("tails_100", [&] { tails<<<1, 1>>>(x, 100); });
  measure("tree_3", [&] { tree<<<1, 1>>>(x, 3); });
  measure("tree_6", [&] { tree<<<1, 1>>>(x, 6); });
}
