#include "sim/exec/matrix/unpacked.h"

#include <bit>

namespace heddle::exec::matrix {

Unpacked unpack(Element e, uint64_t bits) {
  const Layout f = layout_of(e);
  bits >>= f.unused;
  const auto magnitude =
      static_cast<uint32_t>(bits & ((uint64_t{1} << (f.exponent_bits + f.fraction_bits)) - 1));
  const bool negative = (bits >> (f.exponent_bits + f.fraction_bits) & 1) != 0;
  const auto fraction = static_cast<int32_t>(magnitude & ((1U << f.fraction_bits) - 1));
  const auto field = static_cast<int32_t>(magnitude >> f.fraction_bits);
  const int32_t top = (1 << f.exponent_bits) - 1;
  const int32_t bias = top >> 1;
  const int32_t sign = negative ? -1 : 1;
  if (e == Element::kE4m3) {  // no infinity, one NaN
    if (magnitude == 0x7f) {
      return {0, 0, Unpacked::Kind::kNan};
    }
  } else if (field == top) {
    return fraction != 0 ? Unpacked{0, 0, Unpacked::Kind::kNan}
                         : Unpacked{sign, 0, Unpacked::Kind::kInfinite};
  }
  if (magnitude == 0) {
    return {0, kZeroExponent};
  }
  if (field == 0) {
    return {sign * fraction, 1 - bias};
  }
  return {sign * (fraction | 1 << f.fraction_bits), field - bias};
}

uint16_t f16_of_8_bits(Element e, uint64_t bits) {
  const Unpacked x = unpack(e, bits);
  const auto sign = static_cast<uint16_t>(bits << 8 & 0x8000);
  if (x.kind == Unpacked::Kind::kNan) {
    return 0x7fff;
  }
  if (e == Element::kE5m2) {
    return static_cast<uint16_t>(bits << 8);
  }
  if (x.significand == 0) {
    return sign;
  }
  // All of e4m3 are normal numbers of f16.
  const auto magnitude = static_cast<uint32_t>(x.significand < 0 ? -x.significand : x.significand);
  const int32_t top = std::bit_width(magnitude) - 1;
  const int32_t exponent = x.exponent - layout_of(e).fraction_bits + top;
  return static_cast<uint16_t>(sign | static_cast<uint32_t>(exponent + 15) << 10 |
                               ((magnitude << (10 - top)) & 0x3ff));
}

}  // namespace heddle::exec::matrix
