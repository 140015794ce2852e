#include "sim/exec/matrix/unpacked.h"

#include <bit>

namespace heddle::exec::matrix {

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
  const auto top = static_cast<int32_t>(std::bit_width(magnitude)) - 1;
  const int32_t exponent = x.exponent - layout_of(e).fraction_bits + top;
  return static_cast<uint16_t>(sign | static_cast<uint32_t>(exponent + 15) << 10 |
                               ((magnitude << (10 - top)) & 0x3ff));
}

}  // namespace heddle::exec::matrix
