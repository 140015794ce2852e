// Logic, shifts, fields and bytes of words (ptx.md 2.1, 2.2).
#pragma once

#include "sim/exec/arith/number.h"

namespace heddle::exec::arith {

enum class BitOp : uint8_t {
  // clang-format off
  kAnd, kOr, kXor, kNot, kCnot, kShl, kShr,          // 16, 32, 64 bits; shr of a signed type fills with the sign
  kPopc, kClz, kBfind, kBfindShift, kBrev, kBfe, kBfi,  // 32, 64 bits
  kFns, kSzextClamp, kSzextWrap, kBmskClamp, kBmskWrap,  // 32 bits
  kShfLeftClamp, kShfLeftWrap, kShfRightClamp, kShfRightWrap,
  kLop3, kLop3Or, kLop3And,  // s3: the table; Or, And: s4 the predicate, d1 = (d0 != 0) op s4; d0 may be null
  kPrmt, kPrmtF4e, kPrmtB4e, kPrmtRc8, kPrmtEcl, kPrmtEcr, kPrmtRc16,
  kAndPred, kOrPred, kXorPred, kNotPred,
  kCopy,      // d0 = s0, any width
  kSelect,    // d0 = s2 ? s0 : s1
  kSlctS32,   // d0 = s2 >= 0 ? s0 : s1
  kSlctF32,   // NaN: s1
  kSlctFlushed,  // subnormal s2: s0
  // clang-format on
};

WarpFn bit_fn(BitOp op, Number type);

}  // namespace heddle::exec::arith
