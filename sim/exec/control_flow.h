// Where lanes that part at a branch meet again: at its immediate post-dominator, found once for a function.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/dominators.h"
#include "sim/exec/code.h"

namespace heddle::exec {

// Basic blocks of a function, the instructions [first, end), with one more at the end to which all that
// leaves goes: its exit().
class Blocks {
 public:
  Blocks(const Code& code, uint32_t first, uint32_t end);

  uint32_t exit() const { return static_cast<uint32_t>(starts_.size()); }
  uint32_t blocks() const { return exit() + 1; }
  uint32_t start(uint32_t block) const { return block == exit() ? kNoPc : starts_[block]; }
  uint32_t last(uint32_t block) const { return block + 1 < exit() ? starts_[block + 1] - 1 : end_ - 1; }
  uint32_t of(uint32_t pc) const;
  const Graph& successors() const { return successors_; }
  // The immediate post-dominator of each block; kNoNode where no path leads to the exit.
  std::vector<uint32_t> post_dominators() const { return dominators(reversed(successors_), exit()); }

 private:
  uint32_t end_;
  std::vector<uint32_t> starts_;
  Graph successors_;
};

// Sets Inst::reconverge of the branches in [first, end), which is one function: a jump leads to one of these
// or to `end`. kNoPc where they need not meet before the function returns.
void find_reconvergence(Code& code, uint32_t first, uint32_t end);

}  // namespace heddle::exec
