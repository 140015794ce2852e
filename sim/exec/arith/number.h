// The kinds of values that arithmetic is done with, and how a function is told what no template says.
#pragma once

#include <cstdint>

#include "sim/exec/warp_fn.h"

namespace heddle::exec::arith {

enum class Number : uint8_t {
  // clang-format off
  kNone, kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64, kF16, kBf16, kF32, kF64, kTf32, kE4m3, kE5m2
  // clang-format on
};

// kAway: to nearest, ties away from zero.
enum class Round : uint8_t { kNearest, kZero, kDown, kUp, kAway };

// A function, and, for forms that are too many or too rare for a function each, a word that says which form
// it is. With `controlled` the caller puts a register that holds `control` in each lane at Arguments::s[4].
struct Fn {
  WarpFn fn = nullptr;  // nullptr: there is no such form
  uint64_t control = 0;
  bool controlled = false;
};

inline constexpr unsigned kControlPlace = 4;

}  // namespace heddle::exec::arith
