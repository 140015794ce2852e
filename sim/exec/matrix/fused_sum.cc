#include "sim/exec/matrix/fused_sum.h"

#include <algorithm>
#include <bit>

namespace heddle::exec::matrix {
namespace {

// An addend of zero counts as 2^-126 does, whatever its type (MMA-Sim).
constexpr int32_t kLeastExponent = -126;

constexpr uint32_t kTogether = 8;  // products

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

Sum fused_sum(Factors a, Factors b, uint32_t count, const Unpacked& c, int32_t c_fraction, int32_t kept) {
  const auto least = static_cast<float>(std::max(c.exponent, kLeastExponent));
  float largest_of[kTogether];
  std::fill_n(largest_of, kTogether, least);
  uint32_t i = 0;
  for (; i + kTogether <= count; i += kTogether) {
    for (uint32_t l = 0; l < kTogether; ++l) {
      const float e = a.exponents[i + l] + b.exponents[i + l];
      largest_of[l] = largest_of[l] < e ? e : largest_of[l];
    }
  }
  for (; i < count; ++i) {
    largest_of[0] = std::max(largest_of[0], a.exponents[i] + b.exponents[i]);
  }
  const auto largest = static_cast<int32_t>(*std::max_element(largest_of, largest_of + kTogether));

  // A conversion to whole numbers truncates. An addend is below 2^27 then, and eight fit into 32 bits.
  const double scale = power_of_two(kept - largest);
  int64_t sum = 0;
  for (i = 0; i + kTogether <= count; i += kTogether) {
    int32_t part = 0;
    for (uint32_t l = 0; l < kTogether; ++l) {
      part += static_cast<int32_t>(a.values[i + l] * b.values[i + l] * scale);
    }
    sum += part;
  }
  for (; i < count; ++i) {
    sum += static_cast<int32_t>(a.values[i] * b.values[i] * scale);
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
