// The approximations: rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh, div.approx and div.full (ptx.md 2.5, 2.6).
// They are the special-function unit's (mufu.h) and the instruction sequences around it.
#pragma once

#include "sim/exec/arith/number.h"

namespace heddle::exec::arith {

enum class SpecialOp : uint8_t { kRcp, kSqrt, kRsqrt, kSin, kCos, kLg2, kEx2, kTanh, kDivApprox, kDivFull };

// `type`: kF32; kF64 of rcp (ftz) and rsqrt; kF16 and kBf16 of ex2 and tanh, also as a pair.
WarpFn special_fn(SpecialOp op, Number type, bool pair, bool ftz);

}  // namespace heddle::exec::arith
