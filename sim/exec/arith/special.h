// The approximations: rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh, div.approx and div.full (ptx.md 2.5, 2.6).
//
// rcp, sqrt, rsqrt, sin, cos, lg2 and ex2 of f32 are the special-function unit's own tables and integer
// datapath, as bcarlet/ptx-math found them and validated them over all 2^32 inputs on sm_5x to sm_75. That an
// H200 has the same is assumed. The others are assumed, too, and are not the unit's bits: tanh, ex2 and tanh
// of f16 and bf16 are rounded to nearest; rcp and rsqrt of f64 cut the correctly rounded result to its upper
// word (with ftz) or are that result (rsqrt without).
#pragma once

#include "sim/exec/arith/number.h"

namespace heddle::exec::arith {

enum class SpecialOp : uint8_t { kRcp, kSqrt, kRsqrt, kSin, kCos, kLg2, kEx2, kTanh, kDivApprox, kDivFull };

// `type`: kF32; kF64 of rcp (ftz) and rsqrt; kF16 and kBf16 of ex2 and tanh, also as a pair.
WarpFn special_fn(SpecialOp op, Number type, bool pair, bool ftz);

// The unit's functions of f32, as bits, subnormals not flushed.
uint32_t mufu_rcp(uint32_t x);
uint32_t mufu_sqrt(uint32_t x);
uint32_t mufu_rsqrt(uint32_t x);
uint32_t mufu_sin(uint32_t x);
uint32_t mufu_cos(uint32_t x);
uint32_t mufu_lg2(uint32_t x);
uint32_t mufu_ex2(uint32_t x);

}  // namespace heddle::exec::arith
