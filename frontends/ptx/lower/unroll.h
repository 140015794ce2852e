// Counted loops of one block, four turns at a time, as ptxas makes of them (ptx.md 6.1).
#pragma once

#include <vector>

#include "frontends/ptx/module.h"

namespace heddle::ptx::lower {

// A function with its loops in two forms: several turns at a time, and behind it, for what is left, one.
struct Unrolled {
  struct Loop {
    uint32_t several = 0, one = 0;  // first instructions
    uint32_t turns = 1;
  };
  Function function;
  std::vector<Loop> loops;
  // By its instruction: which one of the original it is, and of which turn.
  std::vector<uint32_t> origin;
  std::vector<uint8_t> turn;
  // By the original's: where it is, for what runs one turn at a time.
  std::vector<uint32_t> place;
};

// Not loops with instructions that are `cuts`.
Unrolled unroll(const Module& module, const std::vector<bool>& cuts, const Function& f);

}  // namespace heddle::ptx::lower
