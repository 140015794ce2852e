#include "sim/engine/worker_pool.h"

#include <utility>

#include "sim/engine/heap.h"
#include "sim/engine/threads.h"

namespace heddle {
namespace {

// Between two steps of a quantum lie microseconds, so the next one usually starts while a worker spins. Where
// threads share cores that would only keep others from working.
constexpr int kSpins = 8192;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

WorkerPool::WorkerPool(int threads)
    : spins_(static_cast<unsigned>(threads) <= std::thread::hardware_concurrency() ? kSpins : 0) {
  start(threads - 1);
  if (const int got = static_cast<int>(threads_.size()); got < threads - 1) {
    // All that there was of something, such as address space for stacks; the simulation needs some, too.
    end();
    start(got / 2);
  }
  shares_ = std::vector<Share>(threads_.size() + 1);
}

void WorkerPool::start(int threads) {
  started_ = 0;
  threads_ = start_threads(threads, [this] { work(1 + started_.fetch_add(1)); });
}

WorkerPool::~WorkerPool() { end(); }

void WorkerPool::end() {
  stop_ = true;
  ++generation_;
  generation_.notify_all();
  threads_.clear();  // joins them
  stop_ = false;
  generation_ = 0;
}

template <class T>
T WorkerPool::wait_while(const std::atomic<T>& value, T old) const {
  for (int i = 0; i < spins_; ++i) {
    if (const T now = value.load(std::memory_order_acquire); now != old) {
      return now;
    }
    pause();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

void WorkerPool::drain(uint32_t self) {
  const auto parts = static_cast<uint32_t>(shares_.size());
  for (uint32_t p = 0; p < parts; ++p) {
    Share& s = shares_[(self + p) % parts];
    while (s.next.load(std::memory_order_relaxed) < s.end) {
      const uint32_t i = s.next.fetch_add(1, std::memory_order_relaxed);
      if (i >= s.end) {
        break;
      }
      try {
        (*job_)(i);
      } catch (...) {
        std::lock_guard lock(error_mutex_);
        if (!error_) {
          error_ = std::current_exception();
        }
      }
    }
  }
}

void WorkerPool::work(uint32_t self) {
  reserve_heap(kThreadHeap);
  for (uint64_t seen = 0;;) {
    seen = wait_while(generation_, seen);
    if (stop_) {
      return;
    }
    drain(self);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      busy_.notify_one();
    }
  }
}

void WorkerPool::parallel_for(uint32_t n, const std::function<void(uint32_t)>& f) {
  if (threads_.empty() || n < 2) {
    for (uint32_t i = 0; i < n; ++i) {
      f(i);
    }
    return;
  }
  job_ = &f;
  const uint64_t parts = shares_.size();
  for (uint64_t p = 0; p < parts; ++p) {
    shares_[p].end = static_cast<uint32_t>(n * (p + 1) / parts);
    shares_[p].next.store(static_cast<uint32_t>(n * p / parts), std::memory_order_relaxed);
  }
  busy_.store(static_cast<uint32_t>(threads_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  drain(0);
  for (uint32_t b = busy_.load(std::memory_order_acquire); b != 0;) {
    b = wait_while(busy_, b);
  }
  if (error_) {
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

}  // namespace heddle
