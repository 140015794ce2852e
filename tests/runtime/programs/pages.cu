// Unified memory that kernels, the program's own instructions and the system touch; work of the host's.
// "all PASS" at the end.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

using Clock = std::chrono::steady_clock;
static double us() {
  static const Clock::time_point start = Clock::now();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

static bool good = true;
static void say(const char* what, bool ok) {
  printf("%s: %s\n", what, ok ? "PASS" : "FAIL");
  good = good && ok;
}

__managed__ int counter = 5;

__global__ void add(int* p, size_t n, int what) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) p[i] += what;
}
__global__ void count() { atomicAdd(&counter, 1); }
// Hands over to the host and back, `n` times.
__global__ void play(volatile int* ball, int n) {
  for (int i = 0; i < n; ++i) {
    while (*ball != 2 * i + 1) {
    }
    *ball = 2 * i + 2;
    __threadfence_system();
  }
}

int main(int argc, char** argv) {
  constexpr size_t n = 1 << 20;
  int* p = nullptr;
  cudaMallocManaged(&p, n * sizeof(int));
  for (size_t i = 0; i < n; ++i) p[i] = static_cast<int>(i);
  double t = us();
  add<<<132, 256>>>(p, n, 1);
  cudaDeviceSynchronize();
  const double cold = us() - t;
  t = us();
  add<<<132, 256>>>(p, n, 1);
  cudaDeviceSynchronize();
  const double warm = us() - t;
  say("pages come once", cold > 300 && cold < 1200 && warm < 40);
  bool right = true;
  t = us();
  for (size_t i = 0; i < n; ++i) right = right && p[i] == static_cast<int>(i) + 2;
  say("and go back, with what the kernel has stored", right && us() - t > 400);

  cudaMemLocation device = {}, host = {};
  device.type = cudaMemLocationTypeDevice;
  host.type = cudaMemLocationTypeHost;
  cudaMemPrefetchAsync(p, n * sizeof(int), device, 0, 0);
  cudaDeviceSynchronize();
  t = us();
  add<<<132, 256>>>(p, n, 1);
  cudaDeviceSynchronize();
  say("a prefetch brings them", us() - t < 40);
  cudaMemAdvise(p, n * sizeof(int), cudaMemAdviseSetPreferredLocation, host);
  cudaMemPrefetchAsync(p, n * sizeof(int), host, 0, 0);
  add<<<132, 256>>>(p, n, 1);
  cudaDeviceSynchronize();
  say("what prefers the host is reached there", p[7] == 11);

  // The system reads and writes the pages for the program.
  int file = open("/proc/self/exe", O_RDONLY);
  add<<<132, 256>>>(p, n, 0);
  cudaDeviceSynchronize();
  say("a file into them", read(file, p, 1 << 20) > 4096 && memcmp(p, "\x7f" "ELF", 4) == 0);
  close(file);
  int ends[2];
  char text[8] = {};
  say("and out of them", pipe(ends) == 0 && write(ends[1], p, 4) == 4 && read(ends[0], text, 4) == 4 && text[1] == 'E');
  FILE* from = fopen("/proc/self/exe", "rb");
  add<<<1, 32>>>(p, 32, 0);
  cudaDeviceSynchronize();
  say("by the C library, too", fread(p, 1, 1 << 19, from) > 4096 && reinterpret_cast<char*>(p)[2] == 'L');
  fclose(from);
  cudaFree(p);

  count<<<4, 32>>>();
  cudaDeviceSynchronize();
  say("a managed variable", counter == 5 + 4 * 32);

  int* ball = nullptr;
  cudaMallocManaged(&ball, 4);
  *ball = 0;
  play<<<1, 1>>>(ball, 4);
  t = us();
  for (int i = 0; i < 4; ++i) {
    *static_cast<volatile int*>(ball) = 2 * i + 1;
    while (*static_cast<volatile int*>(ball) != 2 * i + 2) us();
  }
  cudaDeviceSynchronize();
  say("a page that both wait for", *ball == 8 && us() - t > 4 * 25);
  cudaFree(ball);

  // Takes no time, but with --host-work.
  t = us();
  volatile double x = 1;
  for (int i = 0; i < 20000000; ++i) x = x * 1.0000001;
  const bool took = us() - t > 1000;
  say("own work", took == (argc > 1 && std::string(argv[1]) == "work"));
  puts(good ? "all PASS" : "FAILED");
}
