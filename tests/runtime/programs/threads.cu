// Host threads that wait for each other and for the device, by all means: what happens in which order, and at which time of the
// host's clock, is to be the same in each run. Each line says what it does; "all PASS" at the end.
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;
static const Clock::time_point start = Clock::now();
static long long us() { return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count(); }

static bool good = true;
static void say(const char* what, bool ok) {
  printf("%s: %s\n", what, ok ? "PASS" : "FAIL");
  good = good && ok;
}

__global__ void burn(long long cycles, int* count) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  if (threadIdx.x == 0) atomicAdd(count, 1);
}
// Rounds of a doorbell: waits for it, answers.
__global__ void serve(volatile int* bell, volatile int* answer, int rounds) {
  for (int i = 1; i <= rounds; ++i) {
    while (*bell < i) {
    }
    *answer = 10 * i;
    __threadfence_system();
  }
}

int main() {
  int* count;
  cudaMalloc(&count, 4);
  cudaMemset(count, 0, 4);
  burn<<<1, 32>>>(1000, count);
  cudaDeviceSynchronize();

  // Four workers take jobs from a queue; each has a stream.
  std::mutex m;
  std::condition_variable some;
  std::queue<int> jobs;
  bool closed = false;
  std::string order;
  std::vector<std::thread> workers;
  for (int w = 0; w < 4; ++w)
    workers.emplace_back([&, w] {
      cudaStream_t s;
      cudaStreamCreate(&s);
      for (;;) {
        std::unique_lock<std::mutex> l(m);
        some.wait(l, [&] { return closed || !jobs.empty(); });
        if (jobs.empty()) break;
        const int job = jobs.front();
        jobs.pop();
        l.unlock();
        burn<<<1, 32, 0, s>>>(20000 + 1000 * job, count);
        cudaStreamSynchronize(s);
        l.lock();
        order += std::to_string(w) + ":" + std::to_string(job) + "@" + std::to_string(us()) + " ";
      }
      cudaStreamDestroy(s);
    });
  for (int j = 0; j < 12; ++j) {
    {
      std::lock_guard<std::mutex> l(m);
      jobs.push(j);
    }
    some.notify_one();
    if (j % 4 == 3) std::this_thread::sleep_for(std::chrono::microseconds(30));
  }
  {
    std::lock_guard<std::mutex> l(m);
    closed = true;
  }
  some.notify_all();
  for (auto& t : workers) t.join();
  printf("order: %s\n", order.c_str());
  int done = 0;
  cudaMemcpy(&done, count, 4, cudaMemcpyDeviceToHost);
  say("each job once", done == 13);

  // Kernels of four threads run beside each other.
  const long long before = us();
  std::vector<std::thread> four;
  for (int w = 0; w < 4; ++w)
    four.emplace_back([&] {
      cudaStream_t s;
      cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
      burn<<<1, 32, 0, s>>>(1000000, count);
      cudaStreamSynchronize(s);
    });
  for (auto& t : four) t.join();
  const long long took = us() - before;
  say("kernels of four threads run beside each other", took > 400 && took < 900);

  // A future, an atomic, a semaphore, a barrier, a limit of time.
  std::future<int> answer = std::async(std::launch::async, [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return 42;
  });
  const long long asked = us();
  say("a future comes when its thread has slept", answer.get() == 42 && us() - asked >= 5000 && us() - asked < 5500);

  sem_t sem;
  sem_init(&sem, 0, 0);
  std::thread poster([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    sem_post(&sem);
  });
  const long long waits = us();
  sem_wait(&sem);
  say("a semaphore", us() - waits >= 2000 && us() - waits < 2500);
  poster.join();

  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 3);
  std::atomic<int> serial{0};
  std::vector<std::thread> three;
  for (int w = 0; w < 3; ++w)
    three.emplace_back([&, w] {
      std::this_thread::sleep_for(std::chrono::milliseconds(w));
      serial += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    });
  for (auto& t : three) t.join();
  say("a barrier", serial == 1);

  {
    std::unique_lock<std::mutex> l(m);
    const long long since = us();
    const bool came = some.wait_for(l, std::chrono::milliseconds(7), [] { return false; });
    say("nobody comes", !came && us() - since >= 7000 && us() - since < 7200);
  }

  // A thread spins, without a call, until another one has seen the device's work done.
  std::atomic<bool> ready{false};
  std::thread other([&] {
    burn<<<1, 32>>>(50000, count);
    cudaDeviceSynchronize();
    ready = true;
  });
  while (!ready) std::this_thread::yield();
  say("who yields until another one is ready", true);
  other.join();

  // A kernel that stays, and is rung by the host.
  int *bell, *reply;
  cudaMallocHost(&bell, 4);
  cudaMallocHost(&reply, 4);
  *bell = *reply = 0;
  serve<<<1, 1>>>(bell, reply, 5);
  bool right = true;
  for (int i = 1; i <= 5; ++i) {
    *(volatile int*)bell = i;
    while (*(volatile int*)reply != 10 * i) us();
  }
  right = cudaDeviceSynchronize() == cudaSuccess;
  say("a kernel that stays, and is rung", right);
  printf(good ? "all PASS\n" : "FAIL\n");
}
