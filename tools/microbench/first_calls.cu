// What a program pays for the first time: the context, the first call of a kind, the first launch of a kernel,
// of a module, of what needs memory of the device's own (stacks, printf, the heap); and what a launch costs
// again after a while without calls. One scenario a process, since the first time comes once.
//
// nvcc -arch=sm_90 -O2 -std=c++17 -cudart shared -o first_calls first_calls.cu   (PART=1 and PART=2 as objects beside it)
// ./first_calls SCENARIO      lines: name,config,microseconds
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#ifndef PART
#define PART 0
#endif
// What is in the module beside small kernels, a bit each: 1 printf, 2 the heap, 4 large stacks, 8 large kernels, 16 an array
// of 16 MiB. Its load takes as long as what is in it asks for.
#ifndef HOLDS
#define HOLDS 31
#endif

template <int N, int V>
__global__ void size_of(float* x) {
  float a = x[threadIdx.x];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    a = a * 1.0001f + V;
  }
  x[threadIdx.x] = a;
}

#if PART > 0
#define LAUNCHER(n) LAUNCHER_(n)
#define LAUNCHER_(n) launch_part_##n
extern "C" void LAUNCHER(PART)(int which, float* x) {
  if (which == 0) size_of<16, 10 * PART><<<1, 32>>>(x);
  if (which == 1) size_of<16, 10 * PART + 1><<<1, 32>>>(x);
}
#else
extern "C" void launch_part_1(int, float*);
extern "C" void launch_part_2(int, float*);

__global__ void prints(int n) {
#if HOLDS & 1
  if (n > 0) printf("%d\n", n);
#endif
}
__global__ void allocates(int n, float* x) {
#if HOLDS & 2
  if (n > 0) {
    float* p = static_cast<float*>(malloc(n));
    x[0] = p[1];
    free(p);
  }
#endif
}
#if HOLDS & 16
__device__ float g_array[4 << 20];
__global__ void reads(float* x) { x[0] = g_array[threadIdx.x]; }
#endif
template <int N>
__global__ void stack(int n, float* x) {
  float a[N];
  for (int i = 0; i < N; ++i) a[i] = x[i];
  for (int i = 0; i < n; ++i) a[(i * 7) % N] += a[(i * 3) % N];
  x[0] = a[n % N];
}
__global__ void shares(float* x) {
  extern __shared__ float s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[31 - threadIdx.x];
}

#if HOLDS & 4
constexpr int kStack = 2000;
#else
constexpr int kStack = 101;
#endif
#if HOLDS & 8
constexpr int kBig = 16384, kMiddle = 4096;
#else
constexpr int kBig = 48, kMiddle = 32;
#endif

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}
static double took(const std::function<void()>& f) {
  const double t = now();
  f();
  return now() - t;
}
static void row(const char* name, const std::string& config, double us) { printf("%s,%s,%.3f\n", name, config.c_str(), us); }
static double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}
// First, second, third time, and the median of those up to the twentieth.
static void times(const char* name, const std::string& config, const std::function<void()>& f) {
  std::vector<double> v;
  for (int i = 0; i < 20; ++i) v.push_back(took(f));
  row(name, config + " first", v[0]);
  row(name, config + " second", v[1]);
  row(name, config + " third", v[2]);
  row(name, config + " later", median({v.begin() + 5, v.end()}));
}
static void launched(const std::string& config, const std::function<void()>& launch) {
  std::vector<double> call, all;
  for (int i = 0; i < 12; ++i) {
    const double t = now();
    launch();
    const double r = now();
    cudaDeviceSynchronize();
    call.push_back(r - t);
    all.push_back(now() - t);
  }
  for (int i = 0; i < 3; ++i) {
    const char* which[] = {" first", " second", " third"};
    row("launch_call_us", config + which[i], call[i]);
    row("launch_sync_us", config + which[i], all[i]);
  }
  row("launch_call_us", config + " later", median({call.begin() + 4, call.end()}));
  row("launch_sync_us", config + " later", median({all.begin() + 4, all.end()}));
}

static std::vector<char> g_dirt(64 << 20);
static void thrash() {
  for (size_t i = 0; i < g_dirt.size(); i += 64) g_dirt[i] += 1;
}
static void spin(double us) {
  for (const double t = now(); now() - t < us;) {
  }
}

int main(int argc, char** argv) {
  const std::string s = argc > 1 ? argv[1] : "";
  if (s == "context") {
    row("context_us", "cudaFree(0) first", took([] { cudaFree(nullptr); }));
    row("context_us", "cudaFree(0) second", took([] { cudaFree(nullptr); }));
    return 0;
  }
  if (s == "context_malloc") {
    void* p;
    row("context_us", "cudaMalloc 1MiB first", took([&] { cudaMalloc(&p, 1 << 20); }));
    return 0;
  }
  if (s == "context_count") {
    int n;
    row("context_us", "cudaGetDeviceCount first", took([&] { cudaGetDeviceCount(&n); }));
    row("context_us", "cudaSetDevice behind it", took([] { cudaSetDevice(0); }));
    row("context_us", "cudaFree(0) behind it", took([] { cudaFree(nullptr); }));
    return 0;
  }
  if (s == "context_launch") {
    row("context_us", "launch and synchronise first", took([] {
          size_of<16, 1><<<1, 32>>>(nullptr);
          cudaDeviceSynchronize();
        }));
    return 0;
  }
  cudaFree(nullptr);
  float* x;
  cudaMalloc(&x, 64 << 20);
  cudaDeviceSynchronize();
  if (s == "calls") {
    void *p[32], *h[32];
    int i = 0;
    std::vector<char> host(4 << 20, 1);
    times("call_us", "cudaMalloc 256B", [&] { cudaMalloc(&p[i++], 256); });
    i = 0;
    times("call_us", "cudaFree 256B", [&] { cudaFree(p[i++]); });
    i = 0;
    times("call_us", "cudaMalloc 8MiB", [&] { cudaMalloc(&p[i++], 8 << 20); });
    i = 0;
    times("call_us", "cudaFree 8MiB", [&] { cudaFree(p[i++]); });
    times("call_us", "cudaMemset 1MiB", [&] { cudaMemset(x, 0, 1 << 20); });
    times("call_us", "cudaMemset 1MiB and synchronise", [&] {
      cudaMemset(x, 0, 1 << 20);
      cudaDeviceSynchronize();
    });
    times("call_us", "cudaMemcpy H2D 4KiB", [&] { cudaMemcpy(x, host.data(), 4 << 10, cudaMemcpyHostToDevice); });
    times("call_us", "cudaMemcpy H2D 1MiB", [&] { cudaMemcpy(x, host.data(), 1 << 20, cudaMemcpyHostToDevice); });
    times("call_us", "cudaMemcpy D2H 4KiB", [&] { cudaMemcpy(host.data(), x, 4 << 10, cudaMemcpyDeviceToHost); });
    times("call_us", "cudaMemcpy D2H 1MiB", [&] { cudaMemcpy(host.data(), x, 1 << 20, cudaMemcpyDeviceToHost); });
    times("call_us", "cudaMemcpy D2D 1MiB", [&] { cudaMemcpy(x, x + (1 << 20), 1 << 20, cudaMemcpyDeviceToDevice); });
    times("call_us", "cudaDeviceSynchronize", [&] { cudaDeviceSynchronize(); });
    i = 0;
    times("call_us", "cudaMallocHost 1MiB", [&] { cudaMallocHost(&h[i++], 1 << 20); });
    cudaEvent_t e[32];
    i = 0;
    times("call_us", "cudaEventCreate", [&] { cudaEventCreate(&e[i++]); });
    i = 0;
    times("call_us", "cudaEventRecord", [&] { cudaEventRecord(e[i++]); });
    times("call_us", "cudaEventSynchronize", [&] { cudaEventSynchronize(e[0]); });
    float ms;
    times("call_us", "cudaEventElapsedTime", [&] { cudaEventElapsedTime(&ms, e[0], e[1]); });
    cudaStream_t t[32];
    i = 0;
    times("call_us", "cudaStreamCreate", [&] { cudaStreamCreate(&t[i++]); });
    times("call_us", "cudaStreamSynchronize", [&] { cudaStreamSynchronize(t[0]); });
    cudaDeviceProp d;
    times("call_us", "cudaGetDeviceProperties", [&] { cudaGetDeviceProperties(&d, 0); });
    return 0;
  }
  for (const char* first : {"H2D", "D2H", "memset"}) {  // of a kind, before any other
    if (s == std::string("only_") + first) {
      std::vector<char> host(4 << 20, 1);
      times("alone_us", std::string("cudaMemcpy ") + first + " 64KiB", [&] {
        if (first[0] == 'm') cudaMemset(x, 0, 64 << 10);
        if (first[0] == 'H') cudaMemcpy(x, host.data(), 64 << 10, cudaMemcpyHostToDevice);
        if (first[0] == 'D') cudaMemcpy(host.data(), x, 64 << 10, cudaMemcpyDeviceToHost);
      });
      return 0;
    }
  }
  const auto small = [&] { size_of<16, 1><<<1, 32>>>(x); };
  if (s == "kernels_after_copies") {  // what most programs do before
    std::vector<char> host(1 << 20, 1);
    cudaMemcpy(x, host.data(), 1 << 20, cudaMemcpyHostToDevice);
    cudaMemset(x + (1 << 20), 0, 1 << 20);
    cudaDeviceSynchronize();
    launched("1st kernel of " + std::to_string(HOLDS) + " after copies", small);
    launched("2nd kernel after copies", [&] { size_of<16, 2><<<1, 32>>>(x); });
    launched("another module after copies", [&] { launch_part_1(0, x); });
    return 0;
  }
  if (s == "kernels") {
    launched("1st kernel of " + std::to_string(HOLDS), small);
    launched("2nd kernel", [&] { size_of<16, 2><<<1, 32>>>(x); });
    launched("3rd kernel", [&] { size_of<16, 3><<<1, 32>>>(x); });
    launched("4th kernel", [&] { size_of<16, 4><<<1, 32>>>(x); });
    launched("another module", [&] { launch_part_1(0, x); });
    launched("another module's 2nd", [&] { launch_part_1(1, x); });
    launched("a third module", [&] { launch_part_2(0, x); });
    launched("a third module's 2nd", [&] { launch_part_2(1, x); });
    return 0;
  }
  if (s == "sizes") {
    launched("small first", small);
    launched("16KiB", [&] { size_of<1024, 1><<<1, 32>>>(x); });
    launched("64KiB", [&] { size_of<kMiddle, 1><<<1, 32>>>(x); });
    launched("256KiB", [&] { size_of<kBig, 1><<<1, 32>>>(x); });
    return 0;
  }
  if (s == "big_first") {
    launched("256KiB before others", [&] { size_of<kBig, 1><<<1, 32>>>(x); });
    return 0;
  }
  if (s == "special") {
    launched("small first", small);
    launched("dynamic shared", [&] { shares<<<1, 32, 4096>>>(x); });
    launched("stack 400B", [&] { stack<100><<<1, 32>>>(5, x); });
    launched("stack 8000B", [&] { stack<kStack><<<1, 32>>>(5, x); });
    launched("prints", [&] { prints<<<1, 32>>>(0); });
    launched("allocates", [&] { allocates<<<1, 32>>>(0, x); });
    launched("small again", small);
    return 0;
  }
  if (s == "unsynchronised") {  // first launches behind each other, one synchronisation
    const auto four = [&] {
      size_of<16, 1><<<1, 32>>>(x);
      size_of<16, 2><<<1, 32>>>(x);
      size_of<16, 3><<<1, 32>>>(x);
      size_of<16, 4><<<1, 32>>>(x);
      cudaDeviceSynchronize();
    };
    row("launches_us", "four kernels first, one wait", took(four));
    row("launches_us", "four kernels second, one wait", took(four));
    return 0;
  }
  // What a call costs after a while without calls, and behind work of the host's that empties its caches.
  for (int i = 0; i < 50; ++i) {
    small();
    cudaDeviceSynchronize();
  }
  struct Gap {
    std::string name;
    std::function<void()> wait;
  };
  std::vector<Gap> gaps = {{"none", [] {}}, {"caches emptied", [] { thrash(); }}};
  for (const int us : {10, 100, 1000, 10000, 100000}) {
    gaps.push_back({"spin " + std::to_string(us) + "us", [us] { spin(us); }});
    gaps.push_back({"sleep " + std::to_string(us) + "us", [us] { usleep(us); }});
  }
  std::vector<char> host(1 << 20, 1);
  for (const Gap& g : gaps) {
    if (s != "gaps") break;
    std::vector<double> call, all, in, out, set;
    for (int i = 0; i < 12; ++i) {
      g.wait();
      const double t = now();
      small();
      const double r = now();
      cudaDeviceSynchronize();
      call.push_back(r - t);
      all.push_back(now() - t);
      g.wait();
      in.push_back(took([&] { cudaMemcpy(x, host.data(), 4 << 10, cudaMemcpyHostToDevice); }));
      g.wait();
      out.push_back(took([&] { cudaMemcpy(host.data(), x, 4 << 10, cudaMemcpyDeviceToHost); }));
      g.wait();
      set.push_back(took([&] {
        cudaMemset(x, 0, 4 << 10);
        cudaDeviceSynchronize();
      }));
    }
    row("gap_launch_call_us", g.name, median(call));
    row("gap_launch_sync_us", g.name, median(all));
    row("gap_h2d_us", g.name, median(in));
    row("gap_d2h_us", g.name, median(out));
    row("gap_memset_sync_us", g.name, median(set));
  }
  if (s == "fresh") {  // as many calls as a short program makes, each behind work of its own
    std::vector<double> v;
    for (int i = 0; i < 16; ++i) {
      thrash();
      v.push_back(took([&] {
        small();
        cudaDeviceSynchronize();
      }));
      row("fresh_launch_sync_us", "time " + std::to_string(i + 1), v.back());
    }
  }
  return 0;
}
#endif
