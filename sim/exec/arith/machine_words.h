// More of what machine instructions calculate (words.h), as functions of their own.
#pragma once

#include <cstdint>

#include "sim/exec/arith/number.h"

namespace heddle::exec::arith {

// VABSDIFF: d0 = |s0 - s1| + s2.
WarpFn difference_fn(bool is_signed);
// VABSDIFF4: d0 = |s0 - s1| of each byte.
WarpFn byte_differences_fn(bool is_signed);
// VABSDIFF4.ACC: d0 = the sum of these, + s2.
WarpFn byte_difference_sum_fn(bool is_signed);

// DSETP.MIN and .MAX: d0 = s0 (f64) is what is wanted of s0 and s1, -0 below 0, and s2 holds; of a NaN and a
// number the number is, of two NaN the second one, and d1 = both are NaN and s2 holds.
WarpFn double_extreme_fn(bool least);

// d0 = s0 (f64) with its sign taken away and then turned, a NaN as it is. Arguments::control: kAbsolute,
// kNegative.
WarpFn double_sign_fn();
constexpr uint64_t kAbsolute = 1, kNegative = 2;

}  // namespace heddle::exec::arith
