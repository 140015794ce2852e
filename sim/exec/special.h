// Values that a warp knows of itself: special registers (ptx.md 1.6), filled in when the warp starts.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/exec/warp_fn.h"
#include "sim/isa/kernel.h"

namespace heddle::exec {

enum class Special : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kTotalShared,      // a block's, in whole units of allocation
  kAggregateShared,  // with the reserve
  kDynamicShared,    // bytes
  kReserve,          // of shared memory
  kWorkspaceLow,     // Launch::workspace
  kWorkspaceHigh,
  kClusteridX,  // of the cluster in the grid of clusters
  kClusteridY,
  kClusteridZ,
  kNclusteridX,
  kNclusteridY,
  kNclusteridZ,
  kClusterCtaidX,  // of the block in its cluster
  kClusterCtaidY,
  kClusterCtaidZ,
  kClusterNctaidX,
  kClusterNctaidY,
  kClusterNctaidZ,
  kClusterPartX,  // 1 / %cluster_nctaid.x, bits of an f32
  kClusterPartY,
  kClusterPartZ,
  kClusterCtarank,
  kClusterNctarank,
  kIsExplicitCluster,
  kSharedBase,  // of the block's shared memory among those of its cluster
  kStackTop,    // of machine code: the end of a thread's local memory
  kZero,
};

// PTX's %envreg, by number: cooperative groups find the grid's barrier there, and the reserve's end (by where
// ptxas looks for both). The others are the driver's: 0.
constexpr Special environment(uint32_t number) {
  return number == 1    ? Special::kWorkspaceHigh
         : number == 2  ? Special::kWorkspaceLow
         : number == 10 ? Special::kReserve
                        : Special::kZero;
}

// Where a thread is in its launch.
struct ThreadPlace {
  isa::Dim3 grid, block, cluster;
  isa::Dim3 index;      // of its block in the grid
  uint32_t rank = 0;    // of its block in the cluster
  uint32_t thread = 0;  // in the block
};
// What follows from that alone; of the others none.
std::optional<uint64_t> special_of_place(Special special, const ThreadPlace& place);

class Block;
// Of the lanes of warp `warp` of the block.
void fill_special(Special special, const Block& block, uint32_t warp, Register& out);

}  // namespace heddle::exec
