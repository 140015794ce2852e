// Blocks as chunks keep them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontends/trace/predictor.h"
#include "frontends/trace/shapes.h"
#include "sim/isa/recording.h"

namespace heddle::trace {

// A warp as a chunk keeps it: references by base and number of their shape.
struct PackedWarp {
  std::span<const isa::Run> runs;
  uint64_t path = 0;  // equal for warps of the chunk with equal runs, mostly
  std::span<const Reference> refs;
};

struct PackedBlock {
  uint64_t linear = 0;  // position in launch order
  uint64_t chunk = 0;   // counts chunks as they are read, from 1: shapes and paths are numbered anew in each
  const ShapeTable* shapes = nullptr;
  std::vector<PackedWarp> warps;
};

// Appends the reference to w.refs, and its lists.
void unpack(const Reference& ref, const ShapeTable& shapes, isa::WarpTrace& w);

}  // namespace heddle::trace
