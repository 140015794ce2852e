// What led to what: each step is a piece of time and the step that it followed. From the last thing that
// ended they go back to the start without a hole (analysis/timeline/critical_path.h).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/host/core/result.h"

namespace heddle::host {

class Steps {
 public:
  // `most`: beyond so many none are kept.
  Steps(bool on, uint64_t most) : on_(on && most > 0), most_(most) {}

  // From the end of `before` on until `end`. No time: no step.
  uint32_t add(uint32_t before, StepKind kind, uint32_t name, uint32_t track, Ps end) {
    if (!on_ || end <= all_[before].end) {
      return before;
    }
    if (all_.size() > most_) {
      on_ = false;
      left_out_ = true;
      all_.resize(1);
      return 0;
    }
    all_.push_back({before, name, track, kind, end});
    return static_cast<uint32_t>(all_.size() - 1);
  }
  StepKind kind(uint32_t step) const { return on_ ? all_[step].kind : StepKind::kHostWork; }
  // Moves them into `result`; the program's end follows `last`.
  void finish(uint32_t last, Result& result) {
    if (on_) {
      result.last_step = add(last, StepKind::kOther, kNoName, kNoTrack, result.end);
      result.steps = std::move(all_);
    }
    result.steps_left_out = left_out_;
  }

 private:
  bool on_;
  bool left_out_ = false;
  uint64_t most_;
  std::vector<Step> all_{{0, kNoName, kNoTrack, StepKind::kHostWork, Ps()}};  // the first: the start
};

}  // namespace heddle::host
