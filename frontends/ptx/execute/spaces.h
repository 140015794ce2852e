// State spaces of PTX as sim/exec counts them.
#pragma once

#include "frontends/ptx/fields.h"
#include "sim/exec/slot.h"

namespace heddle::ptx {

inline exec::Space exec_space(Space space) {
  switch (space) {
    case Space::kGlobal:
      return exec::Space::kGlobal;
    case Space::kShared:
      return exec::Space::kShared;
    case Space::kSharedCluster:
      return exec::Space::kSharedCluster;
    case Space::kLocal:
      return exec::Space::kLocal;
    case Space::kConst:
      return exec::Space::kConst;
    case Space::kParam:
    case Space::kParamEntry:
    case Space::kParamFunc:
      return exec::Space::kParam;
    default:
      return exec::Space::kGeneric;
  }
}

}  // namespace heddle::ptx
