// Host threads that advance independent parts of the machine through one quantum.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle {

// parallel_for(n, f) calls f(i) once for every i in [0, n), on the calling thread and the workers. Each
// thread begins with a range of its own, the same in every call of the same n, so that a part of the machine
// stays in the caches of one core; who is done helps the others. Which thread gets which i does not influence
// results: parts share nothing within a quantum. The first exception is rethrown.
class WorkerPool {
 public:
  // With the calling thread. There are fewer where the host does not start as many.
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()) + 1; }
  void parallel_for(uint32_t n, const std::function<void(uint32_t)>& f);

 private:
  struct alignas(64) Share {
    std::atomic<uint32_t> next{0};
    uint32_t end = 0;
  };
  void start(int threads);
  void end();
  void work(uint32_t self);
  void drain(uint32_t self);
  // Spins for a while, then sleeps, until `value` is no longer `old`; returns what it is.
  template <class T>
  T wait_while(const std::atomic<T>& value, T old) const;

  std::vector<std::jthread> threads_;
  std::vector<Share> shares_;  // of the caller, then of each worker
  const int spins_;
  const std::function<void(uint32_t)>* job_ = nullptr;
  alignas(64) std::atomic<uint32_t> busy_{0};
  alignas(64) std::atomic<uint64_t> generation_{0};
  std::atomic<uint32_t> started_{0};
  std::atomic<bool> stop_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace heddle
