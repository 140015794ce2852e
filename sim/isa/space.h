// Which memory an address belongs to.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/isa/kernel.h"

namespace heddle::isa {

// A cluster's blocks follow each other in the generic window of shared memory, this many bytes each.
inline constexpr uint64_t kSharedWindow = uint64_t{1} << 24;

// The space of an access of `in` at `address`; for generic instructions found from the address. In a cluster,
// all of the shared window is distributed shared memory: its own block's too.
inline MemSpace space_of(const LaunchShape& shape, const Instr& in, uint64_t address) {
  if (in.space != MemSpace::kGeneric) {
    return in.space;
  }
  if (shape.shared_base && address >= shape.shared_base && address < shape.shared_base + kSharedWindow * 16) {
    bool other_block = shape.cluster.count() > 1 || address >= shape.shared_base + kSharedWindow;
    return other_block ? MemSpace::kDistributedShared : MemSpace::kShared;
  }
  if (shape.local_base && address >= shape.local_base && address < shape.local_base + kSharedWindow) {
    return MemSpace::kLocal;
  }
  return MemSpace::kGlobal;
}

}  // namespace heddle::isa
