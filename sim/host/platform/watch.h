// Looks at a run from outside, between two events: whether it was cancelled, goes beyond its limits, how far
// it is.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/base/cancelled.h"
#include "sim/host/calls/threads.h"
#include "sim/host/platform/run.h"

namespace heddle::host {

class Watch {
 public:
  explicit Watch(std::function<void(Ps, uint64_t)> progress) : progress_(std::move(progress)) {}

  // Before the next event. Throws Cancelled, LimitReached.
  void look(const Core& core, const Threads& threads, uint64_t calls) {
    if (core.cancelled()) {
      throw Cancelled("cancelled");
    }
    const Limits& l = core.limits;
    if (core.commands.live() > l.commands) {
      throw LimitReached(threads.where() + beyond(l.commands, "commands under way at once", "commands"));
    }
    if (core.events.next_time() > kLatest) {
      throw LimitReached(threads.where() + "the program takes more than 53 days");
    }
    if (l.steps > 0 && ++steps_ + calls > l.steps) {
      throw LimitReached(threads.where() + beyond(l.steps, "steps", "steps"));
    }
    constexpr uint32_t kEvery = 4096;  // events: a look at the clock is dear
    if (progress_ && ++since_ % kEvery == 0) {
      progress_(core.now, calls);
    }
  }

 private:
  std::function<void(Ps, uint64_t)> progress_;
  uint64_t steps_ = 0;
  uint32_t since_ = 0;
};

}  // namespace heddle::host
