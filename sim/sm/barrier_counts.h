// How many warps take part in a barrier whose thread count is in a register: a trace does not have its value,
// but it has all arrivals.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/kernel.h"
#include "sim/sm/timed_instr.h"

namespace heddle::sm {

inline constexpr uint32_t kNamedBarriers = 16;

// For one barrier of a block.
struct BarrierCount {
  uint32_t every = 0;              // warps of each phase; 0: it differs
  std::vector<uint32_t> arrivals;  // then: how often each warp comes

  uint32_t at(uint32_t phase) const;
};

// Of a block, by barrier; empty when no count is in a register. There are as many phases as the warp that
// comes most often has arrivals, with the same number of warps in each. Where the arrivals cannot be divided
// so, a warp takes part in each phase until it has come for the last time.
std::vector<BarrierCount> recorded_barrier_counts(const isa::BlockTrace& block, const TimedKernel& kernel);

// The barrier that a warp comes to; `by_order` counts those that are matched by order.
inline uint32_t barrier_number(const TimedInstr& t, uint32_t& by_order) {
  if (t.flags & kBarrierByOrder) {
    return 1 + by_order++ % (kNamedBarriers - 1);  // barrier 0 is __syncthreads'
  }
  return t.instr->barrier_id < kNamedBarriers ? t.instr->barrier_id : 0;
}

}  // namespace heddle::sm
