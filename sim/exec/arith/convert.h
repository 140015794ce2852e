// cvt and cvt.pack (ptx.md 2.9).
#pragma once

#include "sim/exec/arith/number.h"

namespace heddle::exec::arith {

struct Conversion {
  Number to = Number::kU32;
  Number from = Number::kU32;
  Round round = Round::kNearest;
  bool whole = false;           // float to float: rounds to a whole number
  bool ftz = false;             // flushes f32, before and after
  bool sat = false;             // to an integer: clamps; to floating point: to 0 to 1, NaN to 0
  bool relu = false;            // negative ones to 0
  bool satfinite = false;       // too large ones to the largest finite one
  uint32_t register_bits = 32;  // of d: signed integers are extended to these
};

// d0 = s0 converted. NaN: to integers as ptx.md says; to and from f64 with its sign and payload, to the
// others the canonical one, but bf16 to f32 keeps all bits. To tf32: the low 13 bits are 0. Measured:
// tests/exec/oracle.
Fn convert_fn(const Conversion& c);

// To a pair (f16, bf16, e4m3, e5m2): d0 = s0 as the high half, s1 as the low one, both f32.
Fn convert_two_fn(const Conversion& c);

// Pairs to pairs, half by half: f16x2 to e4m3x2 or e5m2x2 and back.
Fn convert_pair_fn(const Conversion& c);

// cvt.pack: s0 and s1 (s32) clamped to `to` (of `bits` bits: 2, 4, 8, 16), s0 above s1, above them what fits
// of s2.
Fn pack_fn(uint32_t bits, bool sign);

}  // namespace heddle::exec::arith
