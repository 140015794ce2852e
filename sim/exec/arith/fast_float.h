// Operations that kernels are made of, by the host's own arithmetic: f32 and f64 to nearest. The host has to
// round to nearest and keep subnormals, as programs are started.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/exec/arith/float.h"
#include "sim/exec/arith/real.h"

namespace heddle::exec::arith {

// nullptr: only float.cc has it.
WarpFn fast_float_fn(FloatOp op, Number type, FloatHow how);

// Results of f32 below it are flushed, though the nearest number to some is the least normal one: .ftz looks
// at what they would be if exponents had no end. (An H200: mul.rn.ftz.f32 of 0x00800000 and 0x3f7fffff is 0.)
inline constexpr double kBelowLeast = 0x1p-126 * (1 - 0x1p-25);

// f16 and bf16 (F) to double, exactly; NaN to NaN.
template <Format F>
inline double half_to_double(uint64_t x) {
  const uint64_t magnitude = x & (F.sign_bit() - 1);
  const uint64_t sign = (x & F.sign_bit()) << (64 - F.bits());
  if ((x & F.exponent_mask()) == F.exponent_mask()) {
    return std::bit_cast<double>(sign | uint64_t{0x7ff} << 52 |
                                 (magnitude & F.fraction_mask()) << (52 - F.fraction_bits));
  }
  // The same bits as a small double, made larger by the difference of the biases.
  const auto small = std::bit_cast<double>(sign | magnitude << (52 - F.fraction_bits));
  const auto scale = std::bit_cast<double>(static_cast<uint64_t>(1023 + (1023 - F.bias())) << 52);
  return small * scale;
}

// To nearest, ties to even; NaN to the canonical one.
template <Format F>
inline uint64_t double_to_half(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  const uint64_t sign = bits >> 63 << (F.bits() - 1);
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  constexpr uint64_t kInfinite = uint64_t{0x7ff} << 52;
  if (magnitude > kInfinite) {
    return F.nan;
  }
  constexpr int kLeast = 1023 + 1 - F.bias();  // of normal results
  const auto exponent = static_cast<int>(magnitude >> 52);
  int cut = 52 - F.fraction_bits;
  uint64_t value = magnitude - (static_cast<uint64_t>(kLeast - 1) << 52);
  if (exponent < kLeast) {  // a subnormal result: the fraction with its hidden bit, shifted further
    cut += kLeast - exponent;
    if (cut > 54) {
      return sign;
    }
    value = (magnitude & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  }
  const uint64_t rounded = (value + ((uint64_t{1} << (cut - 1)) - 1) + (value >> cut & 1)) >> cut;
  return sign | (exponent >= kLeast && rounded > F.exponent_mask() ? F.exponent_mask() : rounded);
}

}  // namespace heddle::exec::arith
