#include "sim/exec/matrix/fused_sum.h"

#include <algorithm>
#include <bit>

namespace heddle::exec::matrix {
namespace {

// An addend of zero counts as 2^-126 does, whatever its type (MMA-Sim).
constexpr int32_t kLeastExponent = -126;

struct Magnitude {
  uint64_t value;
  uint32_t sign;
  int32_t exponent;  // of the leading bit, at least `least`
};

Magnitude magnitude(Sum s, int32_t least) {
  const bool negative = s.value < 0;
  const uint64_t value =
      negative ? uint64_t{0} - static_cast<uint64_t>(s.value) : static_cast<uint64_t>(s.value);
  return {value, negative ? 1U : 0U,
          std::max(static_cast<int32_t>(std::bit_width(value)) - 1 + s.exponent, least)};
}

}  // namespace

Sum fused_sum(Factors a, Factors b, uint32_t count, int32_t product_fraction, const Unpacked& c,
              int32_t c_fraction, int32_t kept) {
  int32_t largest = std::max(c.exponent, kLeastExponent);
  for (uint32_t i = 0; i < count; ++i) {
    largest = std::max(largest, a.exponents[i] + b.exponents[i]);
  }
  const int32_t up = kept - product_fraction;
  int64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t product = a.significands[i] * b.significands[i];
    const int32_t shift = std::min(largest - a.exponents[i] - b.exponents[i], 31);
    const int32_t sign = product >> 31;
    const auto size = static_cast<int32_t>(static_cast<uint32_t>((product ^ sign) - sign) << up >> shift);
    sum += (size ^ sign) - sign;
  }
  const int32_t place = kept - c_fraction - (largest - c.exponent);
  const auto size = static_cast<int64_t>(c.significand < 0 ? -int64_t{c.significand} : c.significand);
  const int64_t aligned = place >= 0 ? size << place : size >> std::min(-place, 63);
  sum += c.significand < 0 ? -aligned : aligned;
  return {sum, largest - kept};
}

uint32_t truncated_f32(Sum s, int32_t fraction) {
  const Magnitude m = magnitude(s, -126);
  if (m.value == 0) {
    return 0;
  }
  if (m.exponent > 127) {
    return m.sign << 31 | 0x7f800000;
  }
  const int32_t down = m.exponent - fraction - s.exponent;
  const uint64_t kept = down >= 0 ? (down < 64 ? m.value >> down : 0) : m.value << -down;
  if (kept == 0) {
    return 0;
  }
  // The leading bit of a normal number adds one to the exponent.
  return (m.sign << 31) + (static_cast<uint32_t>(m.exponent + 126) << 23) +
         (static_cast<uint32_t>(kept) << (23 - fraction));
}

uint16_t nearest_f16(Sum s) {
  const Magnitude m = magnitude(s, -14);
  if (m.value == 0) {
    return 0;
  }
  if (m.exponent > 15) {
    return static_cast<uint16_t>(m.sign << 15 | 0x7c00);
  }
  const int32_t down = m.exponent - 10 - s.exponent;
  uint64_t kept = 0;
  if (down <= 0) {
    kept = m.value << -down;
  } else if (down < 63) {
    const uint64_t half = uint64_t{1} << (down - 1);
    kept = (m.value + half - 1 + (m.value >> down & 1)) >> down;
  }
  if (kept == 0) {
    return 0;
  }
  // A carry goes into the exponent, up to infinity.
  return static_cast<uint16_t>((m.sign << 15) + (static_cast<uint32_t>(m.exponent + 14) << 10) + kept);
}

}  // namespace heddle::exec::matrix
