// The driver's thread that runs the program's functions (cudaLaunchHostFunc): one at a time, in the order in
// which their streams come to them (ST11).
#pragma once

#include <algorithm>
#include <deque>

#include "sim/host/core/core.h"
#include "sim/host/core/effects.h"

namespace heddle::host {

class HostFunctions {
 public:
  explicit HostFunctions(Core& core) : core_(core), track_(core.recorder.track("host functions")) {}

  void start(uint32_t slot) {
    waiting_.push_back(slot);
    if (!busy_) {
      next();
    }
  }
  // Called when the function's command has ended.
  void ended(uint32_t slot) {
    const Command& c = core_.commands[slot];
    uint32_t& step = core_.events.step;
    step = core_.steps.add(step, core_.way(), c.name, track_, c.start);
    step = core_.steps.add(step, StepKind::kHostFunction, c.name, track_, c.start + c.duration);
    core_.spent(StepKind::kDevice, c.name, track_);
    core_.recorder.add(track_, c.name, c.start, core_.now, origin_of(c));
    busy_ = false;
    last_end_ = core_.now;
    ran_ = true;
    last_stream_ = c.stream;
    if (!waiting_.empty()) {
      next();
    }
  }
  // The function that will never return, because it calls CUDA; kNone if there is none.
  uint32_t stuck() const { return stuck_; }

 private:
  void next() {
    const uint32_t slot = waiting_.front();
    waiting_.pop_front();
    busy_ = true;
    Command& c = core_.commands[slot];
    // Right behind another one of its stream, so that nothing of the device lies between: the driver's thread
    // goes on. Else it has slept since the last one, if never so briefly.
    const Params& p = core_.params;
    const bool awake =
        ran_ && last_stream_ == c.stream && core_.now - last_end_ <= std::max(p.same_stream, p.graph.node);
    c.start = core_.now + (awake ? Ps() : core_.wake(p.host_function_start, core_.now - last_end_));
    if (c.failed) {
      stuck_ = slot;
      return;
    }
    if (core_.effects && c.values != 0) {
      const Ps took = core_.effects->runs(c.values);
      core_.commands[slot].duration = std::max(core_.commands[slot].duration, took);
    }
    core_.events.push(
        c.start + c.duration + (awake ? core_.params.host_function_next : core_.params.host_function_end),
        Happening::kFinish, slot);
  }

  Core& core_;
  const uint32_t track_;
  std::deque<uint32_t> waiting_;
  bool busy_ = false;
  uint32_t stuck_ = kNone;
  Ps last_end_{};
  bool ran_ = false;
  uint32_t last_stream_ = kNone;
};

}  // namespace heddle::host
