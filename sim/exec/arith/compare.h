// setp and set (ptx.md 2.3).
#pragma once

#include "sim/exec/arith/number.h"

namespace heddle::exec::arith {

// Which outcomes make a comparison true.
enum Relation : uint8_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

enum class Boolean : uint8_t { kNone, kAnd, kOr, kXor };

struct Comparison {
  Number type = Number::kU32;  // kU16 to kS64, kF16, kBf16, kF32, kF64
  bool pair = false;           // of two f16 or bf16
  uint8_t relations = 0;       // of Relation
  Boolean boolean = Boolean::kNone;
  bool ftz = false;  // f16, f32
};

// d0 = (s0 cmp s1) bool s2, d1 = not (s0 cmp s1) bool s2; of pairs d0 is the low half, d1 the high half.
// Both may be null.
Fn setp_fn(const Comparison& c);
// The same, faster, where d1 is not wanted.
Fn setp_one_fn(const Comparison& c);

// d0 = `yes` where (s0 cmp s1) bool s2, else 0; of pairs `yes` has 16 bits and is put into each half.
Fn set_fn(const Comparison& c, uint32_t yes);

}  // namespace heddle::exec::arith
