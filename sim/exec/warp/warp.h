// A warp that executes. Its lanes are in groups with one pc each, which part and meet again as its
// Convergence says and take turns, so that one may wait for what another does. ../README.md tells the rules.
#pragma once

#include <cstdint>
#include <string>

#include "sim/exec/warp/core.h"

namespace heddle::exec {

class Warp {
 public:
  enum class Status : uint8_t {
    kRunning,
    kSpinning,  // it runs, but only loops that look for something
    kWaiting,   // for other warps
    kHeld,      // by the caller, who has asked for a part of its turn
    kDone,
  };

  // Warp `index` of the block; `lanes`: those that have a thread.
  Warp(Block& block, uint32_t index, uint32_t lanes);

  // In all lanes, if the code reads it.
  void set_special(Special which, uint64_t value);
  // Executes until it waits or ends, or about so many instructions. Throws Error, with the place, for what
  // the program may not do.
  // `hold`: it stops (kHeld) after about so many; further calls go on with the turn, of as many
  // `instructions`, in the same way as if it had not stopped.
  Status run(uint64_t instructions, uint64_t hold = UINT64_MAX);

  uint32_t lanes() const { return core_.alive; }
  uint64_t executed() const { return core_.executed; }
  uint64_t thread_executed() const { return core_.thread_executed; }
  // Grows with what others may wait for: stores, arrivals, waits that are over.
  uint64_t progress() const { return core_.progress; }
  // Grows with all that may change what others look at.
  uint64_t writes() const { return core_.writes; }
  // Where its groups are and what they wait for: "lanes 0x1 at FILE:12 (at barrier 0)"; for messages.
  std::string waits() const;

  // For handlers (handlers/waiting.h) and tests.
  WarpCore& core() { return core_; }

 private:
  // Why run_group ends.
  enum class Leave : uint8_t { kSwitch, kSlice, kYields, kSpins, kHold };

  Leave run_group(Group& g, bool goes_on);

  WarpCore core_;
  bool held_ = false;            // in a turn
  Group* held_group_ = nullptr;  // in a slice of that one
  uint64_t until_ = 0;           // executed at the end of the turn
  uint64_t hold_at_ = 0;         // executed at which it is held
  uint32_t spun_ = 0;            // lanes that have looked in vain in this turn
};

}  // namespace heddle::exec
