// Numbers as a tensor core takes them apart (ptx.md 4.4).
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

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
    case Element::kE2m3:
      return {2, 3, 0};
    case Element::kE3m2:
      return {3, 2, 0};
    case Element::kE2m1:
      return {2, 1, 0};
    default:
      return {8, 23, 0};  // kF32
  }
}

// Formats without infinity and NaN.
constexpr bool is_finite(Element e) {
  return e == Element::kE2m3 || e == Element::kE3m2 || e == Element::kE2m1;
}

// For exponents of normal numbers.
inline double power_of_two(int32_t exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52);
}

// Of one format, where many are to be taken apart.
template <Element kElement>
[[gnu::always_inline]] inline Unpacked unpack_as(uint64_t bits) {
  constexpr Layout kLayout = layout_of(kElement);
  constexpr int32_t kTop = (1 << kLayout.exponent_bits) - 1;
  constexpr int32_t kBias = kTop >> 1;
  constexpr int32_t kSize = kLayout.exponent_bits + kLayout.fraction_bits;
  bits >>= kLayout.unused;
  const auto magnitude = static_cast<uint32_t>(bits & ((uint64_t{1} << kSize) - 1));
  const auto fraction = static_cast<int32_t>(magnitude & ((1U << kLayout.fraction_bits) - 1));
  const auto field = static_cast<int32_t>(magnitude >> kLayout.fraction_bits);
  const int32_t sign = (bits >> kSize & 1) != 0 ? -1 : 1;
  if (kElement == Element::kE4m3) {  // no infinity, one NaN
    if (magnitude == 0x7f) {
      return {0, 0, Unpacked::Kind::kNan};
    }
  } else if (field == kTop && !is_finite(kElement)) {
    return fraction != 0 ? Unpacked{0, 0, Unpacked::Kind::kNan}
                         : Unpacked{sign, 0, Unpacked::Kind::kInfinite};
  }
  if (magnitude == 0) {
    return {0, kZeroExponent};
  }
  return field == 0 ? Unpacked{sign * fraction, 1 - kBias}
                    : Unpacked{sign * (fraction | 1 << kLayout.fraction_bits), field - kBias};
}

// f(std::integral_constant<Element, e>), of those that can be taken apart.
template <class F>
auto with_float(Element e, F f) {
  switch (e) {
    case Element::kF16:
      return f(std::integral_constant<Element, Element::kF16>());
    case Element::kBf16:
      return f(std::integral_constant<Element, Element::kBf16>());
    case Element::kTf32:
      return f(std::integral_constant<Element, Element::kTf32>());
    case Element::kE4m3:
      return f(std::integral_constant<Element, Element::kE4m3>());
    case Element::kE5m2:
      return f(std::integral_constant<Element, Element::kE5m2>());
    case Element::kE2m3:
      return f(std::integral_constant<Element, Element::kE2m3>());
    case Element::kE3m2:
      return f(std::integral_constant<Element, Element::kE3m2>());
    case Element::kE2m1:
      return f(std::integral_constant<Element, Element::kE2m1>());
    default:
      return f(std::integral_constant<Element, Element::kF32>());
  }
}

inline Unpacked unpack(Element e, uint64_t bits) {
  return with_float(e, [&](auto element) { return unpack_as<element.value>(bits); });
}

// The number as f16, which holds all of e4m3 and e5m2. NaN becomes 0x7fff.
uint16_t f16_of_8_bits(Element e, uint64_t bits);

}  // namespace heddle::exec::matrix
