// Sums, products, quotients and the like of whole numbers (ptx.md 2.1).
#pragma once

#include "sim/exec/arith/number.h"

namespace heddle::exec::arith {

enum class IntegerOp : uint8_t {
  // clang-format off
  kAdd, kSub, kAddSat, kSubSat,                      // Sat: s32
  kAddCarry, kSubCarry, kMadLoCarry, kMadHiCarry,    // with what `Carry` says
  kMulLo, kMulHi, kMulWide, kMadLo, kMadHi, kMadHiSat, kMadWide,
  kMul24Lo, kMul24Hi, kMad24Lo, kMad24Hi, kMad24HiSat,
  kSad, kDiv, kRem, kAbs, kNeg, kMin, kMax, kMinRelu, kMaxRelu,
  kAddX2, kMinX2, kMaxX2, kMinReluX2, kMaxReluX2,    // pairs of u16 or s16 in 32 bits
  // clang-format on
};

// The flag CC.CF at Arguments::carry, as the machine has it: a subtraction is a + ~b + 1, so that it is 1
// where nothing was borrowed. Seen where an addition follows (ZLUDA's subc_cc_s32, tests/ptx/CORPORA.md).
enum class Carry : uint8_t { kNone, kOut, kIn, kInOut };

// `type`: of the operands; kU16 to kS64. A divisor of 0 gives all ones, as quotient and as remainder
// (assumed; PTX leaves it open).
WarpFn integer_fn(IntegerOp op, Number type, Carry carry = Carry::kNone);

// dp4a, dp2a: the signs of a's and b's bytes.
WarpFn dot_fn(bool bytes_by_halves, bool high, bool a_signed, bool b_signed);

}  // namespace heddle::exec::arith
