#include "sim/engine/worker_pool.h"

#include <utility>

namespace heddle {

WorkerPool::WorkerPool(int threads) {
  for (int i = 1; i < threads; ++i) {
    threads_.emplace_back([this] { work(0); });
  }
}

WorkerPool::~WorkerPool() {
  stop_ = true;
  ++generation_;
  generation_.notify_all();
  for (std::thread& t : threads_) {
    t.join();
  }
}

void WorkerPool::drain() {
  for (;;) {
    uint32_t i = next_.fetch_add(1, std::memory_order_relaxed);
    if (i >= count_) {
      return;
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

void WorkerPool::work(uint64_t seen) {
  for (;;) {
    // A quantum is microseconds long, so the next one usually starts while a worker spins; it sleeps only
    // after that.
    for (int spin = 0; spin < 4096 && generation_.load(std::memory_order_acquire) == seen; ++spin) {
      std::this_thread::yield();
    }
    generation_.wait(seen, std::memory_order_acquire);
    seen = generation_.load(std::memory_order_acquire);
    if (stop_) {
      return;
    }
    drain();
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
  count_ = n;
  next_.store(0, std::memory_order_relaxed);
  busy_.store(static_cast<uint32_t>(threads_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  drain();
  for (uint32_t b = busy_.load(std::memory_order_acquire); b != 0;
       b = busy_.load(std::memory_order_acquire)) {
    busy_.wait(b, std::memory_order_acquire);
  }
  if (error_) {
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

}  // namespace heddle
