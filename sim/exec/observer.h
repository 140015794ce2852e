// Who looks on while warps execute: tracing, timing.
#pragma once

#include <cstdint>

#include "sim/exec/warp_fn.h"

namespace heddle::exec {

class Block;

// Called by the thread that runs the block, in the order in which its warps execute.
class Observer {
 public:
  virtual ~Observer() = default;
  // An instruction that counts (Inst::counted), before it does anything. `active`: the lanes that come to it;
  // `mask`: those whose guard holds.
  virtual void executed(const Block& block, uint32_t warp, uint32_t pc, uint32_t active, uint32_t mask) = 0;
  // Addresses of a memory instruction, by lane; of a copy also where to, in shared memory.
  virtual void accessed(const Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                        const Register& address, const Register* to) = 0;
};

}  // namespace heddle::exec
