// Values that a warp knows of itself: special registers (ptx.md 1.6), filled in when the warp starts.
#pragma once

#include <cstdint>

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
  kTotalShared,    // with the reserve
  kDynamicShared,  // bytes
  kReserve,        // of shared memory
  kWorkspaceLow,   // Launch::workspace
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
  kZero,
};

class Block;
// Of thread `thread` of the block, which is in its warp `warp`.
uint64_t special_value(Special special, const Block& block, uint32_t thread, uint32_t warp);

}  // namespace heddle::exec
