// Faults on managed memory, page by page: what a kernel's touches cost one after the other and all at once, what
// the host's cost, and how many bytes move with each.
//   nvcc -O2 -std=c++17 -arch=sm_90 managed.cu -o managed
// Prints name,parameter,median_us,least_us,most_us of seven. `heddle exec` runs it as well.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

using std::string;
using std::vector;

static void ck(cudaError_t e, int line) {
  if (e != cudaSuccess) {
    std::printf("line %d: %s\n", line, cudaGetErrorString(e));
    std::exit(1);
  }
}
#define CK(x) ck(x, __LINE__)

constexpr int kTimes = 7;
constexpr size_t kKiB = 1024, kMiB = kKiB * 1024;

static double now() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}
static string bytes_name(size_t b) {
  return b >= kMiB ? std::to_string(b / kMiB) + "MiB" : std::to_string(b / kKiB) + "KiB";
}

// One thread, each touch after the one before; the time of each in ns, if asked for.
__global__ void chase(char* p, size_t stride, int n, bool writes, unsigned* each) {
  unsigned long long before, after;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(before)::"memory");
  int zero = 0;
  for (int i = 0; i < n; ++i) {
    volatile char* q = p + i * stride + zero;
    const char c = *q;
    if (writes) *q = c + 1;
    zero = c == 77 ? 1 : 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(after) : "r"(zero) : "memory");
    if (each) each[i] = static_cast<unsigned>(after - before);
    before = after;
  }
}
// A thread of a block each.
__global__ void scatter(char* p, size_t stride, bool writes) {
  volatile char* q = p + blockIdx.x * stride;
  const char c = *q;
  if (writes || c == 77) *q = c + 1;
}
__global__ void whole(int* p, size_t words, bool writes, int* out) {
  int sum = 0;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < words; i += size_t{gridDim.x} * blockDim.x) {
    if (writes) {
      p[i] = 1;
    } else {
      sum += p[i];
    }
  }
  if (sum == 12345) *out = sum;
}

static void row(const char* name, const string& parameter, vector<double> v) {
  std::sort(v.begin(), v.end());
  std::printf("%s,%s,%.2f,%.2f,%.2f\n", name, parameter.c_str(), v[v.size() / 2], v.front(), v.back());
  std::fflush(stdout);
}

static int* out;
static void on_host(char* p, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 4096) p[i] = 1;
}
// The time of f() on fresh memory that the host has written (or nobody, or the device).
enum class Whose { kHost, kNobody, kDevice };
static vector<double> fresh(size_t bytes, Whose whose, const std::function<void(char*)>& f) {
  vector<double> all;
  for (int i = 0; i < kTimes; ++i) {
    char* p;
    CK(cudaMallocManaged(&p, bytes));
    if (whose != Whose::kNobody) on_host(p, bytes);
    if (whose == Whose::kDevice) whole<<<528, 256>>>(reinterpret_cast<int*>(p), bytes / 4, true, out);
    CK(cudaDeviceSynchronize());
    const double t = now();
    f(p);
    CK(cudaDeviceSynchronize());
    all.push_back(now() - t);
    CK(cudaFree(p));
  }
  return all;
}

int main() {
  CK(cudaMalloc(&out, 64));
  chase<<<1, 1>>>(reinterpret_cast<char*>(out), 0, 1, false, nullptr);
  scatter<<<1, 1>>>(reinterpret_cast<char*>(out), 0, false);
  whole<<<1, 32>>>(out, 4, false, out);
  CK(cudaDeviceSynchronize());
  std::puts("name,parameter,median_us,least_us,most_us");
  row("empty_us", "-", fresh(kMiB, Whose::kHost, [](char*) { whole<<<1, 32>>>(out, 1, false, out); }));
  for (const Whose whose : {Whose::kHost, Whose::kNobody}) {
    const string of = whose == Whose::kHost ? "host's" : "new";
    for (const bool writes : {false, true}) {
      const string how = of + (writes ? " written" : " read");
      for (const size_t stride : {4 * kKiB, 64 * kKiB, 512 * kKiB, 2 * kMiB, 4 * kMiB}) {
        for (const int n : {1, 4, 16, 64}) {
          const string p = std::to_string(n) + " every " + bytes_name(stride) + " " + how;
          row("chase_us", p, fresh(stride * n, whose, [&](char* q) { chase<<<1, 1>>>(q, stride, n, writes, nullptr); }));
          if (n > 1) row("scatter_us", p, fresh(stride * n, whose, [&](char* q) { scatter<<<n, 32>>>(q, stride, writes); }));
        }
      }
      for (const size_t bytes : {64 * kKiB, 256 * kKiB, kMiB, 2 * kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB, 128 * kMiB}) {
        row("whole_us", bytes_name(bytes) + " " + how, fresh(bytes, whose, [&](char* q) { whole<<<528, 256>>>(reinterpret_cast<int*>(q), bytes / 4, writes, out); }));
      }
    }
  }
  for (const Whose whose : {Whose::kDevice, Whose::kNobody}) {
    const string of = whose == Whose::kDevice ? "device's" : "new";
    for (const size_t stride : {4 * kKiB, 64 * kKiB, 512 * kKiB, 2 * kMiB}) {
      for (const int n : {1, 4, 16, 64, 256}) {
        row("host_us", std::to_string(n) + " every " + bytes_name(stride) + " " + of,
            fresh(stride * n, whose, [&](char* q) { for (int i = 0; i < n; ++i) q[i * stride] += 1; }));
      }
    }
  }
  // To and fro: the device has it, the host touches a byte of it, the device all.
  for (const size_t bytes : {64 * kKiB, 2 * kMiB, 16 * kMiB}) {
    row("byte_back_us", bytes_name(bytes), fresh(bytes, Whose::kDevice, [&](char* q) { q[bytes / 2] += 1; whole<<<528, 256>>>(reinterpret_cast<int*>(q), bytes / 4, false, out); }));
  }
  // The time of single touches: which of them wait.
  for (const bool writes : {false, true}) {
    constexpr int n = 160;
    unsigned* each;
    CK(cudaMallocHost(&each, n * sizeof *each));
    for (const Whose whose : {Whose::kHost, Whose::kNobody}) {
      char* p;
      CK(cudaMallocManaged(&p, n * 16 * kKiB));
      if (whose == Whose::kHost) on_host(p, n * 16 * kKiB);
      chase<<<1, 1>>>(p, 16 * kKiB, n, writes, each);
      CK(cudaDeviceSynchronize());
      std::printf("# chase every 16KiB %s %s, ns:", whose == Whose::kHost ? "host's" : "new", writes ? "written" : "read");
      for (int i = 0; i < n; ++i) std::printf(" %u", each[i]);
      std::printf("\n");
      double at[n + 1];
      at[0] = now();
      for (int i = 0; i < n; ++i) {
        p[i * 16 * kKiB] += 1;
        at[i + 1] = now();
      }
      std::printf("# host every 16KiB behind it, ns:");
      for (int i = 0; i < n; ++i) std::printf(" %.0f", 1e3 * (at[i + 1] - at[i]));
      std::printf("\n");
      CK(cudaFree(p));
    }
    CK(cudaFreeHost(each));
  }
}
