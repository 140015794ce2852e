// The few operations that small kernels need, until frontends/ptx/execute has them all.
#pragma once

#include "frontends/ptx/op.h"
#include "sim/exec/warp_fn.h"

namespace heddle::ptx {

// nullptr: not one of them.
exec::WarpFn basic_arith(const Op& op);

}  // namespace heddle::ptx
