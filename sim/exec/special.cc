#include "sim/exec/special.h"

#include <bit>

#include "sim/base/align.h"
#include "sim/exec/block.h"
#include "sim/exec/layout.h"

namespace heddle::exec {

std::optional<uint64_t> special_of_place(Special special, const ThreadPlace& p) {
  switch (special) {
    case Special::kTidX:
      return p.thread % p.block.x;
    case Special::kTidY:
      return p.thread / p.block.x % p.block.y;
    case Special::kTidZ:
      return p.thread / p.block.x / p.block.y;
    case Special::kNtidX:
      return p.block.x;
    case Special::kNtidY:
      return p.block.y;
    case Special::kNtidZ:
      return p.block.z;
    case Special::kCtaidX:
      return p.index.x;
    case Special::kCtaidY:
      return p.index.y;
    case Special::kCtaidZ:
      return p.index.z;
    case Special::kNctaidX:
      return p.grid.x;
    case Special::kNctaidY:
      return p.grid.y;
    case Special::kNctaidZ:
      return p.grid.z;
    case Special::kLaneid:
      return p.thread % kLanes;
    case Special::kClusterNctaidX:
      return p.cluster.x;
    case Special::kClusterNctaidY:
      return p.cluster.y;
    case Special::kClusterNctaidZ:
      return p.cluster.z;
    case Special::kClusterCtarank:
      return p.rank;
    case Special::kClusterNctarank:
      return p.cluster.count();
    case Special::kZero:
      return 0;
    default:
      return std::nullopt;
  }
}

namespace {

// Of thread `thread` of the block, which is in its warp `warp`.
uint64_t special_value(Special special, const Block& block, uint32_t thread, uint32_t warp) {
  const Launch& launch = block.launch();
  const uint32_t lane = thread % kLanes;
  const isa::Dim3 cluster = launch.cluster;
  if (const auto value = special_of_place(
          special, {launch.grid, launch.block, cluster, block.index(), block.rank(), thread})) {
    return *value;
  }
  switch (special) {
    case Special::kWarpid:
      return warp;
    case Special::kNwarpid:
      return launch.warps_of_sm;
    case Special::kSmid:
      return block.linear() % launch.multiprocessors;
    case Special::kNsmid:
      return launch.multiprocessors;
    case Special::kGridid:
      return launch.grid_id;
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
      return round_up(launch.shared_bytes(), kSharedUnit);
    case Special::kAggregateShared:
      return kSharedReserve + round_up(launch.shared_bytes(), kSharedUnit);
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
    case Special::kClusterPartX:
      return std::bit_cast<uint32_t>(1 / static_cast<float>(cluster.x));
    case Special::kClusterPartY:
      return std::bit_cast<uint32_t>(1 / static_cast<float>(cluster.y));
    case Special::kClusterPartZ:
      return std::bit_cast<uint32_t>(1 / static_cast<float>(cluster.z));
    case Special::kIsExplicitCluster:
      return launch.with_cluster || launch.code->required_cluster[0] != 0 ? 1 : 0;
    case Special::kSharedBase:
      return block.rank() * kWindowBytes;
    case Special::kStackTop:
      return launch.local_bytes();
    default:  // special_of_place()
      return 0;
  }
}

}  // namespace

void fill_special(Special special, const Block& block, uint32_t warp, Register& out) {
  const uint32_t first = warp * kLanes;
  const isa::Dim3 size = block.launch().block;
  switch (special) {
    case Special::kTidX:
    case Special::kTidY:
    case Special::kTidZ: {
      uint32_t x = first % size.x, y = first / size.x % size.y, z = first / size.x / size.y;
      for (uint64_t& lane : out) {
        lane = special == Special::kTidX ? x : special == Special::kTidY ? y : z;
        if (++x == size.x) {
          x = 0;
          if (++y == size.y) {
            y = 0;
            ++z;
          }
        }
      }
      break;
    }
    case Special::kLaneid:
    case Special::kLanemaskEq:
    case Special::kLanemaskLe:
    case Special::kLanemaskLt:
    case Special::kLanemaskGe:
    case Special::kLanemaskGt:
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        out[lane] = special_value(special, block, first + lane, warp);
      }
      break;
    default:  // all lanes have the same
      out.fill(special_value(special, block, first, warp));
      break;
  }
}

}  // namespace heddle::exec
