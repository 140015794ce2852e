// Threads of a program on the simulated host.
#include "frontends/cuda/host_threads.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "configs/loader/config.h"
#include "frontends/cuda/status.h"

namespace heddle::cuda {
namespace {

class Host {
 public:
  explicit Host(bool held) : gpu_(config::load("h200")) {
    options_.spans = true;
    threads_ = std::make_unique<HostThreads>(gpu_, builder_, options_);
    threads_->held(held);
  }
  HostThreads* operator->() { return threads_.get(); }
  workload::Builder& builder() { return builder_; }
  std::unique_lock<std::recursive_mutex> lock() { return std::unique_lock(threads_->mutex()); }
  void compute(double us) {
    threads_->calls().compute_us(us);
    threads_->run();
  }
  double now_us() { return host::to_us(threads_->now()); }
  // A thread that does `body`, which holds the mutex; its number.
  template <class F>
  uint32_t start(std::vector<std::thread>& all, F body) {
    const uint32_t number = threads_->expect();
    all.emplace_back([this, number, body] {
      const auto l = lock();
      threads_->begin(number);
      body();
      threads_->end();
    });
    return number;
  }

 private:
  config::GpuConfig gpu_;
  workload::Builder builder_;
  host::PlatformOptions options_;
  std::unique_ptr<HostThreads> threads_;
};

void join(Host& h, std::vector<std::thread>& all) {
  h->mutex().unlock();
  for (std::thread& t : all) {
    t.join();
  }
  h->mutex().lock();
}

}  // namespace

TEST_CASE("a call returns when it returns on the simulated host") {
  Host h(true);
  const auto l = h.lock();
  CHECK(h.now_us() == 0);
  h.compute(3);
  CHECK(h.now_us() == 3);
  h->spend(host::from_us(0.5));
  CHECK(h.now_us() == 3.5);
  h.compute(1);
  CHECK(h.now_us() == 4.5);
}

TEST_CASE("threads go on by simulated time, and each has a track of its own") {
  Host h(true);
  const auto l = h.lock();
  h.compute(1);
  std::vector<std::thread> all;
  std::string order;
  std::vector<uint32_t> numbers;
  for (int i = 0; i < 3; ++i) {
    numbers.push_back(h.start(all, [&h, &order, i] {
      for (int k = 0; k < 3; ++k) {
        h.compute(10 + i);
        order += static_cast<char>('a' + i);
      }
    }));
  }
  for (const uint32_t n : numbers) {
    h->join(n);
  }
  // 11 21 31, 12 23 34, 13 25 37
  CHECK(order == "abcabcabc");
  CHECK(h.now_us() == 37);
  join(h, all);
  const host::Result r = h->finish();
  CHECK(std::count_if(r.tracks.begin(), r.tracks.end(),
                      [](const auto& t) { return t.name.find("thread ") == 0; }) == 4);
}

TEST_CASE("who waits goes on when it is woken, or when its time has come") {
  Host h(true);
  const auto l = h.lock();
  h.compute(1);
  std::vector<std::thread> all;
  int key = 0, other = 0;
  double woken = 0, late = 0;
  bool came = true;
  const uint32_t a = h.start(all, [&] {
    CHECK(h->wait(&key));
    woken = h.now_us();
  });
  const uint32_t b = h.start(all, [&] {
    came = h->wait(&other, host::from_us(50));
    late = h.now_us();
  });
  h.compute(20);
  h->wake(&key);
  h->join(a);
  h->join(b);
  CHECK(woken == 21);
  CHECK_FALSE(came);
  CHECK(late == 50);
  join(h, all);
}

TEST_CASE("threads that wait for each other, while the device has nothing to do, never go on") {
  Host h(true);
  const auto l = h.lock();
  h.compute(1);
  int key = 0;
  CHECK_THROWS_AS(h->wait(&key), CallFailed);
}

TEST_CASE("where waits are not known, a call of one thread lets go of another's") {
  Host h(false);
  double first = 0, second = 0;
  {
    const auto l = h.lock();
    h.compute(5);
  }
  std::thread t([&] {
    const auto l = h.lock();
    h.compute(7);
    first = h.now_us();
  });
  t.join();
  const auto l = h.lock();
  h.compute(1);
  second = h.now_us();
  CHECK(first == 12);
  CHECK(second == 13);
}

TEST_CASE("who goes on by itself for too long is not waited for") {
  Host h(true);
  const auto l = h.lock();
  h.compute(1);
  std::vector<std::thread> all;
  double at = 0;
  const uint32_t number = h.start(all, [&] {
    h.compute(2);
    at = h.now_us();
  });
  // This thread has the turn, and keeps it.
  const uint64_t turn = h->turn();
  h->mutex().unlock();
  while (h->turn() == turn) {
    const auto again = h.lock();
    h->give_up(turn);
  }
  all.front().join();
  h->mutex().lock();
  CHECK(at == 3);
  CHECK(h->given_up() == 1);
  h->join(number);
  h.compute(1);
  CHECK(h.now_us() >= 4);
}

}  // namespace heddle::cuda
