#include "sim/exec/special.h"

#include <bit>

#include "sim/exec/block.h"
#include "sim/exec/layout.h"

namespace heddle::exec {

uint64_t special_value(Special special, const Block& block, uint32_t thread, uint32_t warp) {
  const Launch& launch = block.launch();
  const uint32_t lane = thread % kLanes;
  const isa::Dim3 size = launch.block, cluster = launch.cluster;
  switch (special) {
    case Special::kTidX:
      return thread % size.x;
    case Special::kTidY:
      return thread / size.x % size.y;
    case Special::kTidZ:
      return thread / size.x / size.y;
    case Special::kNtidX:
      return size.x;
    case Special::kNtidY:
      return size.y;
    case Special::kNtidZ:
      return size.z;
    case Special::kCtaidX:
      return block.index().x;
    case Special::kCtaidY:
      return block.index().y;
    case Special::kCtaidZ:
      return block.index().z;
    case Special::kNctaidX:
      return launch.grid.x;
    case Special::kNctaidY:
      return launch.grid.y;
    case Special::kNctaidZ:
      return launch.grid.z;
    case Special::kLaneid:
      return lane;
    case Special::kWarpid:
      return warp;
    case Special::kNwarpid:
      return launch.warps();
    case Special::kSmid:
      return block.linear() % kMultiprocessors;
    case Special::kNsmid:
      return kMultiprocessors;
    case Special::kGridid:
      return 1;
    case Special::kLanemaskEq:
      return uint32_t{1} << lane;
    case Special::kLanemaskLe:
      return static_cast<uint32_t>((uint64_t{2} << lane) - 1);
    case Special::kLanemaskLt:
      return (uint32_t{1} << lane) - 1;
    case Special::kLanemaskGe:
      return ~((uint32_t{1} << lane) - 1);
    case Special::kLanemaskGt:
      return static_cast<uint32_t>(~((uint64_t{2} << lane) - 1));
    case Special::kTotalShared:
      return kSharedReserve + launch.shared_bytes();
    case Special::kDynamicShared:
      return launch.dynamic_shared;
    case Special::kWorkspaceLow:
      return launch.workspace & 0xffffffff;
    case Special::kWorkspaceHigh:
      return launch.workspace >> 32;
    case Special::kReserve:
      return kSharedReserve;
    case Special::kClusteridX:
      return block.index().x / cluster.x;
    case Special::kClusteridY:
      return block.index().y / cluster.y;
    case Special::kClusteridZ:
      return block.index().z / cluster.z;
    case Special::kNclusteridX:
      return launch.grid.x / cluster.x;
    case Special::kNclusteridY:
      return launch.grid.y / cluster.y;
    case Special::kNclusteridZ:
      return launch.grid.z / cluster.z;
    case Special::kClusterCtaidX:
      return block.index().x % cluster.x;
    case Special::kClusterCtaidY:
      return block.index().y % cluster.y;
    case Special::kClusterCtaidZ:
      return block.index().z % cluster.z;
    case Special::kClusterNctaidX:
      return cluster.x;
    case Special::kClusterNctaidY:
      return cluster.y;
    case Special::kClusterNctaidZ:
      return cluster.z;
    case Special::kClusterPartX:
      return std::bit_cast<uint32_t>(1 / static_cast<float>(cluster.x));
    case Special::kClusterPartY:
      return std::bit_cast<uint32_t>(1 / static_cast<float>(cluster.y));
    case Special::kClusterPartZ:
      return std::bit_cast<uint32_t>(1 / static_cast<float>(cluster.z));
    case Special::kClusterCtarank:
      return block.rank();
    case Special::kClusterNctarank:
      return cluster.count();
    case Special::kIsExplicitCluster:
      return launch.with_cluster || launch.code->required_cluster[0] != 0 ? 1 : 0;
    case Special::kSharedBase:
      return block.rank() * kWindowBytes;
    case Special::kZero:
      return 0;
  }
  return 0;
}

}  // namespace heddle::exec
