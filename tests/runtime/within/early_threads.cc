// Two threads that sleep for a second each, side by side, before the runtime within is called: prints the
// seconds that pass.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

extern "C" __attribute__((visibility("hidden"))) int32_t cudaGetDeviceCount(int32_t* count);

int main() {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto sleep = [] { std::this_thread::sleep_for(std::chrono::seconds(1)); };
  std::thread a(sleep), b(sleep);
  a.join();
  b.join();
  const std::chrono::duration<double> passed = Clock::now() - begin;
  int32_t devices = 0;
  cudaGetDeviceCount(&devices);
  std::printf("%.1f s, %d\n", passed.count(), devices);
}
