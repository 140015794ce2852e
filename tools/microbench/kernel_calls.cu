// What printf, malloc and free cost in kernels, by events around the launch; the text goes where stdout goes.
//   nvcc -O2 -std=c++17 -arch=sm_90 kernel_calls.cu -o kernel_calls; ./kernel_calls 2>rows.csv >/dev/null
// Prints name,parameter,median_us,least_us,most_us of nine on stderr. `heddle exec` runs it as well.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

using std::string;
using std::to_string;

__global__ void empty() {}
__global__ void prints(int n) {
  for (int i = 0; i < n; ++i) printf("block %d thread %d turn %d\n", blockIdx.x, threadIdx.x, i);
}
__global__ void prints_plain(int n) {
  for (int i = 0; i < n; ++i) printf("hello\n");
}
__global__ void mallocs(void** out, int n, size_t bytes) {
  for (int i = 0; i < n; ++i) {
    void* p = malloc(bytes);
    out[(blockIdx.x * blockDim.x + threadIdx.x) * n + i] = p;
  }
}
__global__ void frees(void** in, int n) {
  for (int i = 0; i < n; ++i) free(in[(blockIdx.x * blockDim.x + threadIdx.x) * n + i]);
}
__global__ void both(int n, size_t bytes) {
  for (int i = 0; i < n; ++i) {
    void* p = malloc(bytes);
    if (p) *static_cast<volatile int*>(p) = i;
    free(p);
  }
}

static cudaEvent_t from, to;
static double now() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}
template <class F, class G>
static void row(const string& name, const string& parameter, F f, G behind) {
  std::vector<double> device, host;
  for (int i = 0; i < 10; ++i) {
    const double t = now();
    cudaEventRecord(from);
    f();
    cudaEventRecord(to);
    const cudaError_t e = cudaDeviceSynchronize();
    const double all = now() - t;
    float ms;
    cudaEventElapsedTime(&ms, from, to);
    if (e != cudaSuccess) std::fprintf(stderr, "# %s: %s\n", name.c_str(), cudaGetErrorString(e));
    behind();
    if (i) device.push_back(1e3 * ms), host.push_back(all);
  }
  std::sort(device.begin(), device.end());
  std::sort(host.begin(), host.end());
  std::fprintf(stderr, "%s,%s,%.2f,%.2f,%.2f\n", (name + "_us").c_str(), parameter.c_str(), device[4], device[0], device[8]);
  std::fprintf(stderr, "%s,%s,%.2f,%.2f,%.2f\n", (name + "_done_us").c_str(), parameter.c_str(), host[4], host[0], host[8]);
}

int main() {
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 256ull << 20);
  void** all;
  cudaMalloc(&all, 1 << 24);
  std::fprintf(stderr, "name,parameter,median_us,least_us,most_us\n");
  const auto nothing = [] {};
  row("empty", "-", [] { empty<<<1, 32>>>(); }, nothing);
  for (int blocks : {1, 16, 132}) for (int threads : {1, 32, 256}) for (int n : {1, 8}) {
    const string p = to_string(blocks) + "x" + to_string(threads) + " " + to_string(n) + " each";
    if (blocks * threads * n > 20000) continue;
    row("printf", p, [&] { prints<<<blocks, threads>>>(n); }, nothing);
    row("printf_plain", p, [&] { prints_plain<<<blocks, threads>>>(n); }, nothing);
  }
  for (int blocks : {1, 16, 132}) for (int threads : {1, 32, 256}) for (int n : {1, 8}) for (size_t bytes : {16, 1024, 4096}) {
    if (size_t(blocks) * threads * n * bytes > (128 << 20)) continue;
    const string p = to_string(blocks) + "x" + to_string(threads) + " " + to_string(n) + " of " + to_string(bytes);
    row("malloc", p, [&] { mallocs<<<blocks, threads>>>(all, n, bytes); }, [&] { frees<<<blocks, threads>>>(all, n); cudaDeviceSynchronize(); });
    row("malloc_free", p, [&] { both<<<blocks, threads>>>(n, bytes); }, nothing);
  }
}
