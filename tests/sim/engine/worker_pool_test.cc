// parallel_for calls its function once for every index, whatever the number of threads.
#include "sim/engine/worker_pool.h"

#include <sys/resource.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

#include "tests/support/sanitizers.h"

namespace heddle {
namespace {

TEST_CASE("every index is visited once") {
  for (int threads : {1, 2, 3, 8}) {
    WorkerPool pool(threads);
    for (uint32_t n : {0u, 1u, 2u, 3u, 7u, 64u, 1000u}) {
      std::vector<std::atomic<int>> visits(n);
      pool.parallel_for(n, [&](uint32_t i) { ++visits[i]; });
      CAPTURE(threads, n);
      for (const auto& v : visits) {
        REQUIRE(v == 1);
      }
    }
  }
}

TEST_CASE("as many indices as threads: each thread has one, at the same time") {
  for (const int threads : {2, 3, 5}) {
    WorkerPool pool(threads);
    REQUIRE(pool.threads() == threads);
    std::mutex mutex;
    std::condition_variable all_there;
    int there = 0, met = 0;
    pool.parallel_for(static_cast<uint32_t>(threads), [&](uint32_t) {
      std::unique_lock lock(mutex);
      ++there;
      all_there.notify_all();
      met += all_there.wait_for(lock, std::chrono::seconds(20), [&] { return there == threads; }) ? 1 : 0;
    });
    CHECK(met == threads);
  }
}

TEST_CASE("thousands of short rounds, one after the other") {
  WorkerPool pool(4);
  std::atomic<uint64_t> sum = 0;
  for (uint64_t round = 0; round < 3000; ++round) {
    pool.parallel_for(4, [&](uint32_t i) { sum += i + 1; });
    REQUIRE(sum == 10 * (round + 1));  // the round is over when parallel_for returns
  }
}

TEST_CASE("an exception reaches the caller, and the pool goes on working") {
  for (int threads : {1, 4}) {
    WorkerPool pool(threads);
    auto fail = [](uint32_t i) {
      if (i == 5) {
        throw std::runtime_error("five");
      }
    };
    for (int again = 0; again < 3; ++again) {
      CHECK_THROWS_WITH(pool.parallel_for(10, fail), "five");
      std::atomic<int> visits = 0;
      pool.parallel_for(10, [&](uint32_t) { ++visits; });
      CHECK(visits == 10);
    }
  }
}

TEST_CASE("when several calls throw, one exception is rethrown and the others are dropped") {
  WorkerPool pool(4);
  std::atomic<int> visits = 0;
  CHECK_THROWS_AS(pool.parallel_for(100,
                                    [&](uint32_t) {
                                      ++visits;
                                      throw std::runtime_error("each");
                                    }),
                  std::runtime_error);
  CHECK(visits == 100);  // no index is left out because another failed
  CHECK_NOTHROW(pool.parallel_for(4, [](uint32_t) {}));
}

TEST_CASE("a pool that was never used ends quietly") {
  for (int i = 0; i < 50; ++i) {
    WorkerPool pool(4);
  }
  SUCCEED();
}

// The address sanitizer takes memory of its own for each thread, and ends the process when there is none.
#ifndef HEDDLE_ASAN
TEST_CASE("where the host starts no more threads there are fewer, and some room is left") {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  constexpr uint64_t kRoom = 400 << 20;  // for some tens of stacks
  const rlimit little{pages * 4096 + kRoom, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
  int threads = 0;
  std::atomic<int> visits = 0;
  bool room = false;
  {
    WorkerPool pool(1000);
    threads = pool.threads();
    pool.parallel_for(100, [&](uint32_t) { ++visits; });
    const std::unique_ptr<char[]> block(new (std::nothrow) char[kRoom / 10]);
    room = block != nullptr;
  }
  setrlimit(RLIMIT_AS, &before);
  CHECK(threads >= 1);
  CHECK(threads < 1000);
  CHECK(visits == 100);
  CHECK(room);
}
#endif

}  // namespace
}  // namespace heddle
