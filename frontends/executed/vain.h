// Whether anybody of a launch does more than look for something.
#pragma once

#include <cstdint>

#include "sim/exec/block.h"

namespace heddle::executed {

// An error: in so many turns all that have begun only looked for something, or waited.
inline constexpr uint64_t kVainTurns = 20000;

class Vain {
 public:
  // A warp of the block has had its turn at that cycle. `fruitful`: it has done more than look in vain, or
  // wait. Throws Error when nobody has for long.
  void note(bool fruitful, const exec::Block& block, uint64_t cycle);

 private:
  uint64_t turns_ = 0;  // in vain since
  uint64_t since_ = 0;  // this cycle
};

}  // namespace heddle::executed
