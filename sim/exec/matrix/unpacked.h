// Numbers as a tensor core takes them apart (ptx.md 4.4).
#pragma once

#include <cstdint>
#include <limits>

#include "sim/exec/matrix/element.h"

namespace heddle::exec::matrix {

// significand * 2^(exponent - fraction bits of the format). Subnormal numbers have the least exponent and are
// not normalised.
struct Unpacked {
  enum class Kind : uint8_t { kFinite, kInfinite, kNan };
  int32_t significand = 0;  // of infinity: its sign
  int32_t exponent = 0;
  Kind kind = Kind::kFinite;
};

// Of zero: it decides about no alignment.
inline constexpr int32_t kZeroExponent = -100000;

struct Layout {
  int32_t exponent_bits, fraction_bits;
  int32_t unused;  // low bits that are cut off
};

constexpr Layout layout_of(Element e) {
  switch (e) {
    case Element::kF16:
      return {5, 10, 0};
    case Element::kBf16:
      return {8, 7, 0};
    case Element::kTf32:
      return {8, 10, 13};
    case Element::kE4m3:
      return {4, 3, 0};
    case Element::kE5m2:
      return {5, 2, 0};
    default:
      return {8, 23, 0};  // kF32
  }
}

Unpacked unpack(Element e, uint64_t bits);

// The number as f16, which holds all of e4m3 and e5m2. NaN becomes 0x7fff.
uint16_t f16_of_8_bits(Element e, uint64_t bits);

}  // namespace heddle::exec::matrix
