// The operands of an asynchronous copy, from the uniform registers that a recording has.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sim/isa/kernel.h"
#include "sim/isa/program.h"
#include "sim/isa/tensor_map.h"

namespace heddle::isa {

inline constexpr uint64_t kBulkUnit = 16;  // bytes; sizes of bulk copies count in it

// An address in the shared memory of a cluster: the block's rank from bit 24 on (sim/access/space.h).
inline constexpr uint64_t kSharedOffset = (uint64_t{1} << 24) - 1;

struct RecordedCopy {
  bool known = false;  // else its registers or its tensor map were not recorded, and it moves nothing
  BulkOp op;
  TensorTile tile;          // of tensor copies
  uint64_t descriptor = 0;  // address of their tensor map
  bool assumed = false;     // RecordedMap::assumed
  bool parameter = false;   // which is one of the launch's parameters
};

// `values`: as in isa/async_op.h. Returns what is wrong with them, with what would be legal: what no GPU
// would execute; empty when nothing is. No copy moves more than `most` bytes.
std::string read_copy(const KernelImage& image, const Instr& in, std::span<const uint64_t> values,
                      uint64_t most, RecordedCopy& out);

}  // namespace heddle::isa
