// What an SM notes for those who look on.
#pragma once

#include <cstdint>
#include <string>

#include "sim/engine/time.h"
#include "sim/isa/kernel.h"

namespace heddle::sm {

// How long a block or one of its warps was on an SM.
struct Residency {
  uint64_t block = 0;  // isa::BlockProgram::linear
  isa::Dim3 index;     // of the block
  uint32_t lane = 0;   // block slot, or warp slot of the SM
  int32_t warp = -1;   // within the block; -1: the whole block
  Cycle start = 0, end = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(block, index, lane, warp, start, end);
  }
};

// What is noted for stats::Profile.
struct Noting {
  bool instructions = false, blocks = false, warps = false;
};

// What a program that computes did wrong first.
struct Fault {
  Cycle time = 0;
  std::string text;
};

// Told of every instruction that issues, for tests and tools. With several host threads the calls for
// different SMs overlap.
class IssueObserver {
 public:
  virtual ~IssueObserver() = default;
  virtual void issued(uint32_t sm, uint32_t subcore, uint32_t warp, uint32_t pc, Cycle cycle) = 0;
};

}  // namespace heddle::sm
