// What instructions calculate of the values of several lanes (ptx.md 2.7).
#pragma once

#include <cstdint>

#include "sim/exec/code.h"

namespace heddle::exec {

struct SyncValues {
  Register s[3];  // operands
  Register d[2];  // result; predicate
};

// For the lanes of `mask`, which execute it together.
void sync_op(SyncKind kind, SyncValues& v, uint32_t mask);

}  // namespace heddle::exec
