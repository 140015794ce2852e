// Times of the L2, which has a clock of its own, in ticks of the core's.
#pragma once

#include "configs/schema/spec.h"
#include "sim/engine/time.h"

namespace heddle::memory {

inline Ticks l2_ticks(const spec::GpuConfig& g, double l2_cycles) {
  return domain_ticks(l2_cycles, g.clocks().l2_mhz(), g.clocks().core_mhz());
}

// Of its tags, which everything that is answered passes.
inline Ticks look_up_latency(const spec::GpuConfig& g) { return l2_ticks(g, g.l2().hit_latency()); }

}  // namespace heddle::memory
