#include "analysis/run/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <thread>

#include "frontends/input/out_of_memory.h"
#include "sim/base/cancelled.h"
#include "sim/device/gpu.h"
#include "sim/engine/threads.h"

namespace heddle::analysis {
namespace {

class Batch {
 public:
  Batch(size_t count, const std::vector<size_t>& schedule, const BatchOptions& options,
        const BatchCalls& calls)
      : schedule_(schedule), options_(options), calls_(calls), slots_(count) {}

  void run() {
    const size_t threads = std::clamp<size_t>(options_.jobs, 1, std::max<size_t>(slots_.size(), 1));
    {
      const std::vector<std::jthread> others =
          start_threads(static_cast<int>(threads) - 1, [this] { work(); });
      if (others.size() + 1 < threads && options_.warn) {
        options_.warn(fmt::format("{} launches at a time, not {}: the host starts no more threads",
                                  others.size() + 1, threads));
      }
      work();
    }
    hand_on(/*skip_gaps=*/true);
    if (fatal_) {
      std::rethrow_exception(fatal_);
    }
  }

 private:
  enum class State { kPending, kReady, kHandedOn };
  struct Slot {
    State state = State::kPending;
    Outcome outcome;
  };

  void work() {
    while (!cancelled()) {
      const size_t turn = next_++;
      if (turn >= slots_.size()) {
        return;
      }
      size_t i = schedule_.empty() ? turn : schedule_[turn];
      if (follows(i)) {
        continue;
      }
      do {
        simulate(i++);
      } while (i < slots_.size() && follows(i) && !cancelled());
    }
  }
  bool follows(size_t i) const { return i > 0 && options_.follows && options_.follows(i); }

  void simulate(size_t i) {
    Outcome outcome;
    try {
      outcome.record = calls_.simulate(i);
    } catch (const Cancelled&) {
      return;
    } catch (...) {
      outcome.error = std::current_exception();
    }
    const bool stop = outcome.error && !options_.keep_going;
    {
      std::lock_guard lock(mutex_);
      slots_[i] = {State::kReady, std::move(outcome)};
    }
    if (stop) {
      cancel();
    }
    hand_on(/*skip_gaps=*/false);
  }

  void hand_on(bool skip_gaps) {
    std::lock_guard lock(mutex_);
    for (; first_ < slots_.size() && !fatal_; ++first_) {
      Slot& s = slots_[first_];
      if (s.state == State::kPending && !skip_gaps) {
        return;
      }
      if (s.state != State::kReady) {
        continue;
      }
      s.state = State::kHandedOn;
      try {
        calls_.done(first_, std::move(s.outcome));
      } catch (...) {
        fatal_ = std::current_exception();
        cancel();
      }
    }
  }

  bool cancelled() const { return options_.cancel ? options_.cancel->load() : stopped_.load(); }
  void cancel() { (options_.cancel ? *options_.cancel : stopped_) = true; }

  const std::vector<size_t>& schedule_;
  const BatchOptions& options_;
  const BatchCalls& calls_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;  // guards what follows
  std::vector<Slot> slots_;
  size_t first_ = 0;  // all before it were handed on
  std::exception_ptr fatal_;
};

}  // namespace

void run_batch(size_t count, const std::vector<size_t>& schedule, const BatchOptions& options,
               const BatchCalls& calls) {
  Batch(count, schedule, options, calls).run();
}

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const input::OutOfMemory& e) {
    return e.what();
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown exception";
  }
}

}  // namespace heddle::analysis
