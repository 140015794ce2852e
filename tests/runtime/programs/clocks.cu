// Host clocks around work on the device: what they show encloses what events show, and waiting takes its time.
// On a simulated GPU these are the simulated host's.
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <thread>

using Clock = std::chrono::steady_clock;

static int failed = 0;

static void check(bool good, const char* what) {
  std::printf("%s: %s\n", what, good ? "PASS" : "FAIL");
  failed += good ? 0 : 1;
}

static double ms(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

static double of_day() {
  timeval t;
  gettimeofday(&t, nullptr);
  return 1e3 * t.tv_sec + 1e-3 * t.tv_usec;
}

int main() {
  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  spin<<<1, 1>>>(1000);  // what a first launch takes is not of interest
  cudaDeviceSynchronize();

  const auto a = Clock::now();
  const double day = of_day();
  const std::clock_t processor = std::clock();
  cudaEventRecord(from);
  spin<<<1, 1>>>(1000000);
  cudaEventRecord(to);
  const auto launched = Clock::now();
  cudaEventSynchronize(to);
  const auto b = Clock::now();
  float device = 0;
  cudaEventElapsedTime(&device, from, to);
  check(device > 0.4 && device < 2, "a kernel of a million cycles");
  check(ms(b - a) >= device && ms(b - a) < device + 0.2, "a host clock shows what events show, and the calls");
  check(ms(launched - a) < 0.2, "a launch returns before the kernel ends");
  check(std::fabs(of_day() - day - ms(b - a)) < 0.3, "gettimeofday");
  check(1e3 * (std::clock() - processor) / CLOCKS_PER_SEC < ms(b - a) + 20, "clock");

  const auto c = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  usleep(2000);
  check(ms(Clock::now() - c) >= 302 && ms(Clock::now() - c) < 350, "who sleeps lets time pass");

  const auto d = Clock::now();
  std::mutex mutex;
  std::condition_variable never;
  {
    std::unique_lock<std::mutex> lock(mutex);
    check(never.wait_for(lock, std::chrono::milliseconds(40)) == std::cv_status::timeout, "nobody comes");
    check(!never.wait_until(lock, std::chrono::system_clock::now() + std::chrono::milliseconds(40), [] { return false; }),
          "nor by a calendar time");
  }
  check(ms(Clock::now() - d) >= 80 && ms(Clock::now() - d) < 130, "a wait that times out takes until then");

  const auto e = Clock::now();
  while (ms(Clock::now() - e) < 1) {
  }
  check(ms(Clock::now() - e) < 5, "who looks at the clock again and again sees it go on");

  spin<<<1, 1>>>(2000000);
  const auto f = Clock::now();
  while (cudaStreamQuery(nullptr) == cudaErrorNotReady) {
  }
  check(ms(Clock::now() - f) > 0.8 && ms(Clock::now() - f) < 4, "who asks for the end of work waits for it");

  const auto g = Clock::now();
  std::thread other([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  other.join();
  check(ms(Clock::now() - g) < 60, "another thread's sleep");
  std::printf("%s\n", failed == 0 ? "all PASS" : "FAIL");
  return failed;
}
