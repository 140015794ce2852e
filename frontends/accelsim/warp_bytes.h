// The memory that a warp's stream takes.
#pragma once

#include <cstdint>

#include "sim/isa/recording.h"

namespace heddle::accelsim {

inline uint64_t bytes_of(const isa::WarpTrace& w) {
  return w.runs.size() * sizeof(isa::Run) + w.refs.size() * sizeof(isa::MemRef) +
         w.deltas.size() * sizeof(int32_t) + w.values.size() * sizeof(uint64_t);
}

}  // namespace heddle::accelsim
