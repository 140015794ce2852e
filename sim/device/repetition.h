// Whether programs that compute only repeat themselves: a live lock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "sim/engine/time.h"
#include "sim/sm/sm.h"

namespace heddle::device {

// Looks at the warps again and again while nothing changes. A program does the same whenever it is in the
// same state and finds the same; so when every warp that does not wait has been in its state before, and has
// issued something since, none will ever do anything new. A look at a warp costs as much as its state has
// bytes: while the first warp does not repeat itself, it is the only one looked at.
class Repetition {
 public:
  void reset(Cycle now) {
    seen_.clear();
    changes_ = 0;
    looked_at_ = 1;
    quiet_since_ = next_look_ = now;
  }
  // `changes` counts what has changed so far. True when the warps of `sms` only repeat themselves.
  bool look(const std::vector<std::unique_ptr<sm::Sm>>& sms, uint64_t changes, Cycle now, uint64_t patience);

  template <class A>
  void serialize(A& ar) {
    ar(seen_, changes_, looked_at_, quiet_since_, next_look_);
  }

 private:
  struct Warp {
    std::set<uint64_t> states;
    uint64_t executed = 0;  // at the look before
    bool repeats = false;

    template <class A>
    void serialize(A& ar) {
      ar(states, executed, repeats);
    }
  };
  std::map<uint64_t, Warp> seen_;  // by SM and warp
  uint64_t changes_ = 0;
  uint64_t looked_at_ = 1;  // warps, at most
  Cycle quiet_since_ = 0, next_look_ = 0;
};

}  // namespace heddle::device
