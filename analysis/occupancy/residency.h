// Questions about residency that need no simulation: limits, what less of a resource would give, curves, the
// best block size, clusters. sim/device/occupancy has the rule itself.
//
// Equal to the CUDA runtime on an H200 in every row of tools/microbench/results/h200_occupancy.csv.xz
// (cudaOccupancyMaxActiveBlocksPerMultiprocessor, MaxActiveClusters, MaxPotentialBlockSize), and to Nsight
// Compute's launch__occupancy_limit_* for hw/h200/suite.csv.
// The rule of clusters, and the card's GPCs with which it gives these rows, were worked out from the rows
// themselves; the GPCs of configs/gpus/h200 are another card's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/isa/kernel.h"
#include "sim/stats/result.h"

namespace heddle::analysis {

// What a block of a kernel needs.
struct BlockNeeds {
  uint32_t threads = 256;
  uint32_t registers = 32;  // per thread, as the compiler reports them
  uint32_t static_shared = 0;
  uint32_t dynamic_shared = 0;  // bytes
  uint32_t cluster = 1;         // blocks
  // Of the SM's shared memory, per cent, as cudaFuncAttributePreferredSharedMemoryCarveout; -1: the driver's
  // choice. The CUDA occupancy functions answer for 100 where a kernel says nothing.
  int32_t carveout_percent = -1;
};

isa::LaunchShape launch_shape(const BlockNeeds& needs);

// How many blocks fit; 0 where sim/device refuses the launch.
uint32_t resident_blocks(const config::GpuConfig& gpu, const BlockNeeds& needs);

enum class Resource { kBlock, kRegisters, kShared };

// The value of `r` in `needs`: threads, registers per thread, bytes of shared memory; and with another value.
// Shared memory changes in its dynamic part first.
uint32_t value_of(const BlockNeeds& needs, Resource r);
BlockNeeds with(BlockNeeds needs, Resource r, uint32_t value);

// The unit in which `r` is allocated: a warp's threads, registers per thread, bytes.
uint32_t allocation_step(const config::GpuConfig& gpu, Resource r);

struct Residency {
  uint32_t value = 0;   // of the resource
  uint32_t blocks = 0;  // per SM; 0: the launch is refused
  uint32_t warps = 0;
  double percent = 0;   // of the SM's warps
  std::string limiter;  // "registers", "shared+warps"; empty when refused

  bool operator==(const Residency&) const = default;
};

Residency residency(const config::GpuConfig& gpu, const BlockNeeds& needs, Resource r = Resource::kBlock);

struct LessOfResource {
  Resource resource;
  bool possible = false;  // there is less than now
  Residency step;         // one allocation unit less
  bool gains = false;     // some smaller amount makes more warps resident
  Residency gain;         // with the largest such amount
};

// For each of registers, shared memory and block size. Throws heddle::Error when the launch itself does not
// fit.
std::vector<LessOfResource> less_of_each(const config::GpuConfig& gpu, const BlockNeeds& needs);

// Residency over all values of one resource, one allocation unit apart, up to the launch limit. Refused
// launches are points with 0 blocks.
std::vector<Residency> curve(const config::GpuConfig& gpu, const BlockNeeds& needs, Resource r);
// Of neighbouring points with equal blocks, warps and limiters only the last.
std::vector<Residency> plateaus(const std::vector<Residency>& curve);

// The block size, a multiple of a warp, with the most resident warps; of several the largest, as
// cudaOccupancyMaxPotentialBlockSize chooses. Throws heddle::Error when no size fits.
Residency best_block(const config::GpuConfig& gpu, const BlockNeeds& needs);

// Clusters of `cluster` blocks that a device holds at once, with `blocks` resident per SM and GPCs of these
// numbers of SMs. A GPC with fewer SMs than the cluster has blocks takes none, and the count has at most 8
// blocks to an SM (both as cudaOccupancyMaxActiveClusters answers; h200_occupancy.csv.xz, rows `clusters`).
uint64_t active_clusters(const std::vector<uint32_t>& gpc_sms, uint32_t blocks, uint32_t cluster);
std::vector<uint32_t> gpc_sms(const config::GpuConfig& gpu);

}  // namespace heddle::analysis
