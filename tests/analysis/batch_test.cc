#include "analysis/run/batch.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <mutex>
#include <thread>

#include "sim/base/cancelled.h"
#include "sim/device/gpu.h"

namespace heddle::analysis {
namespace {

analysis::LaunchRecord numbered(size_t i) {
  analysis::LaunchRecord r;
  r.cycles = i;
  return r;
}

// What `done` was called with: the launch's number, negative for an error.
struct Log {
  std::vector<int> entries;
  std::function<void(size_t, Outcome)> callback() {
    return [this](size_t i, Outcome o) {
      CHECK(o.record.has_value() != (o.error != nullptr));
      if (o.record) {
        CHECK(o.record->cycles == i);
      }
      entries.push_back(o.record ? static_cast<int>(i) : -static_cast<int>(i));
    };
  }
};

TEST_CASE("results come in order for any number of jobs and any schedule") {
  constexpr size_t kCount = 40;
  std::vector<size_t> backwards;
  std::vector<int> expected;
  for (size_t i = 0; i < kCount; ++i) {
    backwards.push_back(kCount - 1 - i);
    expected.push_back(static_cast<int>(i));
  }
  for (int jobs : {1, 2, 4, 64}) {
    for (const std::vector<size_t>& schedule : {std::vector<size_t>(), backwards}) {
      Log log;
      auto simulate = [](size_t i) {
        std::this_thread::sleep_for(std::chrono::microseconds((i * 37) % 11 * 50));
        return numbered(i);
      };
      run_batch(kCount, schedule, {.jobs = jobs}, {simulate, log.callback()});
      CHECK(log.entries == expected);
    }
  }
}

TEST_CASE("an error stops the launches behind it") {
  Log log;
  auto simulate = [](size_t i) {
    if (i == 3) {
      throw Error("bad");
    }
    return numbered(i);
  };
  run_batch(8, {}, {.jobs = 1}, {simulate, log.callback()});
  CHECK(log.entries == std::vector<int>{0, 1, 2, -3});
}

TEST_CASE("an error does not stop them with keep_going") {
  Log log;
  auto simulate = [](size_t i) {
    if (i == 3) {
      throw Error("bad");
    }
    return numbered(i);
  };
  run_batch(6, {}, {.jobs = 3, .keep_going = true}, {simulate, log.callback()});
  CHECK(log.entries == std::vector<int>{0, 1, 2, -3, 4, 5});
}

TEST_CASE("after a stop, what is finished is handed on and the rest is not") {
  std::atomic<bool> cancel{false};
  Log log;
  std::atomic<int> finished{0};
  auto simulate = [&](size_t i) {
    if (i == 1) {  // runs until it is stopped, which launch 4 does
      while (!cancel) {
        std::this_thread::yield();
      }
      throw Cancelled("stopped");
    }
    if (++finished == 4) {
      cancel = true;
    }
    return numbered(i);
  };
  run_batch(50, {}, {.jobs = 2, .cancel = &cancel}, {simulate, log.callback()});
  CHECK(log.entries == std::vector<int>{0, 2, 3, 4});
}

TEST_CASE("what done throws comes out and stops the batch") {
  int simulated = 0, taken = 0;
  BatchCalls calls;
  calls.simulate = [&](size_t i) {
    ++simulated;
    return numbered(i);
  };
  calls.done = [&](size_t, const Outcome&) {
    if (++taken == 2) {
      throw Error("disk full");
    }
  };
  CHECK_THROWS_WITH(run_batch(10, {}, {.jobs = 1}, calls), "disk full");
  CHECK(simulated == 2);
  CHECK(taken == 2);
}

TEST_CASE("nothing to do") {
  Log log;
  run_batch(0, {}, {.jobs = 4}, {numbered, log.callback()});
  CHECK(log.entries.empty());
}

}  // namespace
}  // namespace heddle::analysis
