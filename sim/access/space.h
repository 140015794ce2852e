// Which memory an address belongs to.
#pragma once

#include <algorithm>
#include <bit>
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

// Where an address of distributed shared memory lies in the window of the cluster's blocks: it is generic, or
// an offset in the window already.
inline uint64_t cluster_offset(const LaunchShape& shape, uint64_t address) {
  return address < shape.shared_base ? address : address - shape.shared_base;
}

// Of the lanes of `mask`, which access distributed shared memory: those whose address is in the window of
// their own block, number `block` of the grid.
inline uint32_t own_lanes(const LaunchShape& shape, uint64_t block, const uint64_t addr[32], uint32_t mask) {
  uint64_t rank = block % std::max<uint64_t>(1, shape.cluster.count());
  uint32_t own = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(m));
    own |= uint32_t{cluster_offset(shape, addr[lane]) / kSharedWindow == rank} << lane;
  }
  return own;
}

}  // namespace heddle::isa
