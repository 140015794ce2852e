// Floating-point arithmetic with the GPU's NaN, subnormal and saturation rules (ptx.md 2.4, 2.5).
//
// NaN: results of f32 are 0x7fffffff, of f16 and bf16 0x7fff. f64 keeps the second operand's NaN, else the
// third's, else the first's (division: the first's), made quiet, or gives 0xfff8000000000000; neg and abs
// leave its sign; min and max of two NaN give the second. ftz flushes after rounding as if exponents had
// no end. Measured: tests/exec/oracle.
#pragma once

#include "sim/exec/arith/number.h"

namespace heddle::exec::arith {

enum class FloatOp : uint8_t {
  // clang-format off
  kAdd, kSub, kMul, kFma, kFms, kFnma,  // a * b + c, a * b - c, c - a * b
  kDiv, kRcp, kSqrt, kNeg, kAbs, kMin, kMax, kCopysign,
  kFinite, kInfinite, kNumber, kNotanumber, kNormal, kSubnormal,  // testp: a predicate
  // clang-format on
};

struct FloatHow {
  Round round = Round::kNearest;
  bool ftz = false;
  bool sat = false;
  bool relu = false;
  bool nan = false;      // min, max: a NaN operand makes the result NaN
  bool xorsign = false;  // min, max: of the magnitudes, with the product's sign
};

// `type`: kF16, kBf16, kF32 or kF64; `pair`: of two f16 or bf16 in 32 bits.
Fn float_fn(FloatOp op, Number type, bool pair, FloatHow how);

}  // namespace heddle::exec::arith
