// What a block of a kernel takes of an SM, and whether a launch is legal at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/host/params.h"
#include "sim/host/program.h"

namespace heddle::host {

// What a block takes of an SM (cuda-model OC01-OC06, OC13).
struct BlockNeeds {
  uint32_t warps = 0;
  uint32_t registers = 0;  // allocated, of the SM
  uint32_t shared = 0;     // with what the system reserves
};

BlockNeeds needs_of(const KernelDesc& k, const Params& p);

// Blocks that fit on one SM that has nothing else; 0 if not even one.
uint32_t blocks_per_sm(const KernelDesc& k, const Params& p);

struct Refusal {
  std::string error;  // CUDA's name
  std::string why;
};
// What the launch call returns if it is not cudaSuccess.
std::optional<Refusal> refuse_launch(const KernelDesc& k, const Params& p);

// The time of one block of a kernel whose whole duration is known (KernelDesc::duration).
Ps block_time(const KernelDesc& k, const Params& p);

}  // namespace heddle::host
