// What the program's own work between calls does to the calls behind it: a launch and its wait after sums, walks through memory,
// writes to a file and sleeps, with and without an idle cudaDeviceSynchronize in between (FINDINGS 69).
// One line a repetition: work, amount, idle sync first, then ns of the work, the idle sync, the launch, the wait, and of the next launch
// and wait directly behind.
// usage: cold_calls [REPETITIONS]     (nvcc -O2 -arch=native cold_calls.cu)
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(x)                                                       \
  do {                                                                 \
    const cudaError_t e_ = (x);                                        \
    if (e_ != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_));    \
      std::exit(1);                                                    \
    }                                                                  \
  } while (0)

__global__ void touch(int* p) { p[threadIdx.x] = threadIdx.x; }

static long now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static volatile float sink;
static FILE* paper;

static void work(const char* kind, long amount, std::vector<char>& memory) {
  if (!std::strcmp(kind, "spin")) {
    for (const long end = now() + amount; now() < end;) {
    }
  } else if (!std::strcmp(kind, "count")) {  // sums in registers
    float x = 1;
    for (long i = 0; i < amount; ++i) {
      x = x * 1.0001F + 0.5F;
    }
    sink = x;
  } else if (!std::strcmp(kind, "walk")) {
    for (long i = 0; i < amount; i += 64) {
      memory[i] += 1;
    }
  } else if (!std::strcmp(kind, "exp")) {
    float* const f = reinterpret_cast<float*>(memory.data());
    for (long i = 0; i < amount; ++i) {
      f[i] = std::exp(-f[i]);
    }
  } else if (!std::strcmp(kind, "print")) {
    for (long i = 0; i < amount; ++i) {
      std::fprintf(paper, "Average execution time: %f (us)\n", i * 1e-3);
    }
    std::fflush(paper);
  } else if (!std::strcmp(kind, "sleep")) {
    usleep(amount / 1000);
  }
}

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 15;
  paper = std::fopen("/dev/null", "w");
  std::vector<char> memory(64 << 20, 1);
  int* p;
  CHECK(cudaMalloc(&p, 4096));
  char* big;
  CHECK(cudaMalloc(&big, 1 << 20));
  for (int i = 0; i < 100; ++i) {
    touch<<<1, 32>>>(p);
    CHECK(cudaDeviceSynchronize());
  }
  const struct {
    const char* kind;
    long amount;
  } cases[] = {{"none", 0},          {"spin", 10000},     {"spin", 100000},  {"spin", 1000000},  {"count", 3000},
               {"count", 30000},     {"count", 300000},   {"walk", 16384},   {"walk", 65536},    {"walk", 262144},
               {"walk", 1048576},    {"walk", 4194304},   {"walk", 16777216}, {"walk", 67108864}, {"exp", 1000},
               {"exp", 16384},       {"exp", 65536},      {"exp", 1048576},  {"print", 1},       {"print", 10},
               {"sleep", 100000},    {"sleep", 1000000},  {"copy", 4096},    {"copy", 262144},   {"copy", 1048576}};
  std::puts("work,amount,idle_sync,repetition,work_ns,sync_ns,launch_ns,wait_ns,next_launch_ns,next_wait_ns");
  for (const auto& c : cases) {
    for (int sync = 0; sync < 2; ++sync) {
      for (int r = 0; r < repetitions; ++r) {
        for (int i = 0; i < 3; ++i) {
          touch<<<1, 32>>>(p);
          CHECK(cudaDeviceSynchronize());
        }
        const long a = now();
        if (!std::strcmp(c.kind, "copy")) {  // results to the host, which looks at them
          CHECK(cudaMemcpy(memory.data(), big, c.amount, cudaMemcpyDeviceToHost));
          work("walk", c.amount, memory);
        } else {
          work(c.kind, c.amount, memory);
        }
        const long b = now();
        if (sync) {
          CHECK(cudaDeviceSynchronize());
        }
        const long d = now();
        touch<<<1, 32>>>(p);
        const long e = now();
        CHECK(cudaDeviceSynchronize());
        const long f = now();
        touch<<<1, 32>>>(p);
        const long g = now();
        CHECK(cudaDeviceSynchronize());
        const long h = now();
        std::printf("%s,%ld,%d,%d,%ld,%ld,%ld,%ld,%ld,%ld\n", c.kind, c.amount, sync, r, b - a, d - b, e - d, f - e, g - f, h - g);
      }
    }
  }
  return 0;
}
