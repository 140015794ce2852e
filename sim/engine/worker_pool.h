// Host threads that advance independent parts of the machine through one quantum.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle {

// parallel_for(n, f) calls f(i) once for every i in [0, n), on the calling thread and the workers. Which
// thread gets which i does not influence results: parts share nothing within a quantum. The first exception
// is rethrown.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void parallel_for(uint32_t n, const std::function<void(uint32_t)>& f);

 private:
  void work(uint64_t seen);
  void drain();

  std::vector<std::thread> threads_;
  const std::function<void(uint32_t)>* job_ = nullptr;
  uint32_t count_ = 0;
  std::atomic<uint32_t> next_{0};
  std::atomic<uint32_t> busy_{0};
  std::atomic<uint64_t> generation_{0};
  std::atomic<bool> stop_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace heddle
