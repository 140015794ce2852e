// Counted loops of one block, four turns at a time, as ptxas makes of them (ptx.md 6.1).
#pragma once

#include <vector>

#include "frontends/ptx/module.h"

namespace heddle::ptx::lower {

// A function with its loops in two forms: several turns at a time, and behind it, for what is left, one.
struct Unrolled {
  struct Loop {
    uint32_t several = 0, one = 0;  // first instructions
    uint32_t end = 0;               // of both, which leave it for what stands here
    uint32_t step = 0, test = 0;    // of one turn: what counts, and what asks for another turn
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

// What is executed of it: lanes that have fewer turns before them than a loop does at a time go to its other
// form.
struct Asked {
  Function function;
  std::vector<uint32_t> origin;  // by its instruction: which one of Unrolled's; kNone: a part of the question
};
Asked ask_for_turns(const Module& module, const Unrolled& u);

}  // namespace heddle::ptx::lower
