// Residency: how many blocks of a launch fit on an SM, and how the L1 array is split for it (cuda-model
// OC01-OC15).
#pragma once

#include "configs/schema/spec.h"
#include "sim/isa/kernel.h"
#include "sim/stats/result.h"

namespace heddle::device {

// What a block takes of an SM, and how many such blocks its places, warps and registers hold, each by itself.
struct BlockResources {
  uint32_t warps = 0;
  uint32_t registers = 0;     // allocated
  uint32_t shared_bytes = 0;  // allocated, with what the system reserves
  uint32_t limit_blocks = 0, limit_warps = 0, limit_registers = 0;
  uint32_t register_warps = 0;  // warps that the SM's registers hold
};
// A block of so many threads (0: none of a limit). The one rule, also of kernels of given duration
// (sim/host/kernels).
BlockResources block_resources(const spec::Limits& limits, uint32_t subcores, uint64_t threads,
                               uint32_t registers_per_thread, uint32_t shared_bytes);

// Residency of a launch on this GPU. Throws Error when not even one block fits, naming the resource and its
// limit.
stats::Occupancy occupancy(const spec::GpuConfig& gpu, const isa::LaunchShape& shape);

}  // namespace heddle::device
