// What a block of a kernel takes of an SM, and whether a launch is legal at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/host/core/params.h"
#include "sim/host/core/refusal.h"
#include "sim/host/program/program.h"

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

// cudaOccupancyMaxActiveClusters: clusters of so many blocks of the kernel that an idle device holds, each
// within a GPC (PM17).
uint64_t max_active_clusters(const KernelDesc& k, uint64_t cluster, const Params& p);
// cudaOccupancyMaxPotentialClusterSize: the largest cluster that a launch may have; 0 if no block fits.
uint32_t max_potential_cluster(const KernelDesc& k, const Params& p);
// The split of the L1 array that the kernel asks for, rounded up to one there is (OC15); kNone: none asked
// for.
uint32_t carveout(const KernelDesc& k, const Params& p);

// What the launch call returns if it is not cudaSuccess.
// `attribute`: the cluster that the launch gives.
std::optional<Refusal> refuse_launch(const KernelDesc& k, const Params& p,
                                     const std::optional<Extent>& attribute = std::nullopt);

// The time of one block of a kernel whose whole duration is known: `duration`, or if that is 0
// KernelDesc::duration.
Ps block_time(const KernelDesc& k, Ps duration, const Params& p);

}  // namespace heddle::host
