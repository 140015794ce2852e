// Floating-point instructions of the machine that are no instructions of PTX.
#pragma once

#include <cstdint>

#include "sim/exec/arith/float.h"

namespace heddle::exec::arith {

// MUFU: the special-function unit itself (mufu.h). Subnormal numbers are zeros but for tanh; sines are of
// turns.
enum class MachineFunction : uint8_t { kCos, kSin, kEx2, kLg2, kRcp, kRsq, kRcp64h, kRsq64h, kSqrt, kTanh };
WarpFn special_word_fn(MachineFunction f);

// FCHK: d0 = whether s0 / s1 needs more than a reciprocal and three products: those whose steps would leave
// the normal numbers.
WarpFn division_check_fn();

// FMUL.D2 and the like: d0 = s0 * s1 * scale, rounded once, to nearest. Arguments::control: scaled_product().
WarpFn scaled_product_fn();
uint64_t scaled_product(double scale, FloatHow how);

// HADD2.F32: d0 = the low halves of s0 and s1 added, as f32. Arguments::control: 1 of bf16.
WarpFn half_sum_fn();

}  // namespace heddle::exec::arith
