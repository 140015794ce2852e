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
  kZero,
  kOne,
};

}  // namespace heddle::exec
