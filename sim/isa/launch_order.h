// In which order the blocks of a grid are launched: x fastest within a cluster, and x fastest among clusters.
#pragma once

#include <cstdint>

#include "sim/isa/kernel.h"

namespace heddle::isa {

// blockIdx of the block at `position` (from 0). The grid is a multiple of the cluster in each dimension.
inline Dim3 block_at(uint64_t position, const Dim3& grid, const Dim3& cluster) {
  const uint64_t rank = position % cluster.count(), n = position / cluster.count();
  const uint64_t x = grid.x / cluster.x, y = grid.y / cluster.y;
  const auto at = [](uint64_t which, uint32_t size, uint64_t within) {
    return static_cast<uint32_t>(which * size + within);
  };
  return {at(n % x, cluster.x, rank % cluster.x), at(n / x % y, cluster.y, rank / cluster.x % cluster.y),
          at(n / x / y, cluster.z, rank / cluster.x / cluster.y)};
}

// Position in the grid, x fastest, whatever the clusters.
inline uint64_t linear_of(const Dim3& block, const Dim3& grid) {
  return block.x + uint64_t{grid.x} * (block.y + uint64_t{grid.y} * block.z);
}

// The position of a block: what block_at() is the inverse of.
inline uint64_t position_of(const Dim3& block, const Dim3& grid, const Dim3& cluster) {
  const Dim3 clusters = {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  return linear_of({block.x / cluster.x, block.y / cluster.y, block.z / cluster.z}, clusters) *
             cluster.count() +
         linear_of({block.x % cluster.x, block.y % cluster.y, block.z % cluster.z}, cluster);
}

}  // namespace heddle::isa
