// The driver's thread that runs the program's functions (cudaLaunchHostFunc): one at a time, in the order in
// which their streams come to them (ST11).
#pragma once

#include <deque>

#include "sim/host/core/core.h"

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
    core_.recorder.add(track_, c.name, c.start, core_.now);
    busy_ = false;
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
    c.start = core_.now + core_.params.host_function_start;
    if (c.failed) {
      stuck_ = slot;
      return;
    }
    core_.events.push(c.start + c.duration + core_.params.host_function_end, Happening::kFinish, slot);
  }

  Core& core_;
  const uint32_t track_;
  std::deque<uint32_t> waiting_;
  bool busy_ = false;
  uint32_t stuck_ = kNone;
};

}  // namespace heddle::host
