#include "sim/exec/arith/real.h"

#include <algorithm>

namespace heddle::exec::arith {
namespace {

// The place of a significand's top bit where operations put it: room for a carry above.
constexpr int kTop = 125;

int top_bit(Uint128 x) {
  const auto high = static_cast<uint64_t>(x >> 64);
  return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<uint64_t>(x));
}

// The same number with its top bit at kTop.
void normalise(Real& x) {
  const int shift = kTop - top_bit(x.significand);
  if (shift >= 0) {
    x.significand <<= shift;
  } else {
    x.inexact |= (x.significand & ((Uint128{1} << -shift) - 1)) != 0;
    x.significand >>= -shift;
  }
  x.exponent -= shift;
}

// Whether the magnitude grows by one unit, by the half bit and what is below it.
bool rounds_up(Round round, bool negative, bool odd, bool half, bool rest) {
  switch (round) {
    case Round::kNearest:
      return half && (rest || odd);
    case Round::kAway:
      return half;
    case Round::kDown:
      return negative && (half || rest);
    case Round::kUp:
      return !negative && (half || rest);
    default:
      return false;
  }
}

// Drops the significand's low `count` bits (any number of them) by `round`.
Uint128 drop(const Real& x, int count, Round round) {
  if (count <= 0) {
    return x.significand << -count;
  }
  const Uint128 kept = count > 127 ? 0 : x.significand >> count;
  const bool half = count <= 128 && (x.significand >> (count - 1) & 1) != 0;
  const Uint128 below = count > 128 ? x.significand : x.significand & ((Uint128{1} << (count - 1)) - 1);
  return kept + (rounds_up(round, x.negative, (kept & 1) != 0, half, below != 0 || x.inexact) ? 1 : 0);
}

bool to_zero(Round round, bool negative) {
  return round == Round::kZero || (round == Round::kDown && !negative) || (round == Round::kUp && negative);
}

Real special(Real::Kind kind, bool negative = false) {
  Real out;
  out.kind = kind;
  out.negative = negative;
  return out;
}

// |a| - |b| or |a| + |b| for finite ones; the sign is a's.
Real add_magnitudes(Real a, Real b, bool subtract) {
  normalise(a);
  normalise(b);
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
    std::swap(a, b);
  }
  const int shift = a.exponent - b.exponent;
  bool lost = b.inexact;
  if (shift > kTop) {
    lost = true;
    b.significand = 0;
  } else {
    lost |= (b.significand & ((Uint128{1} << shift) - 1)) != 0;
    b.significand >>= shift;
  }
  // What is lost of a subtrahend makes the difference smaller: one unit less, and a rest.
  a.significand = subtract ? a.significand - b.significand - (lost ? 1 : 0) : a.significand + b.significand;
  a.inexact |= lost;
  return a;
}

}  // namespace

Real unpack(const Format& f, uint64_t bits) {
  const bool negative = (bits & f.sign_bit()) != 0;
  const uint64_t fraction = bits & f.fraction_mask();
  const auto exponent = static_cast<int>((bits & f.exponent_mask()) >> f.fraction_bits);
  if (is_nan(f, bits)) {
    return special(Real::Kind::kNan, negative);
  }
  if (f.infinity == Infinity::kIeee && exponent == (1 << f.exponent_bits) - 1) {
    return special(Real::Kind::kInfinite, negative);
  }
  if (exponent == 0 && fraction == 0) {
    return special(Real::Kind::kZero, negative);
  }
  Real out = special(Real::Kind::kFinite, negative);
  out.significand = exponent == 0 ? fraction : fraction | uint64_t{1} << f.fraction_bits;
  out.exponent = std::max(exponent, 1) - f.bias() - f.fraction_bits;
  return out;
}

uint64_t pack(const Format& f, const Real& x, Round round, bool saturate) {
  const uint64_t sign = x.negative ? f.sign_bit() : 0;
  const uint64_t infinite = f.infinity == Infinity::kIeee ? f.exponent_mask() : f.nan;
  switch (x.kind) {
    case Real::Kind::kNan:
      return f.nan;
    case Real::Kind::kZero:
      return sign;
    case Real::Kind::kInfinite:
      return sign | (saturate ? f.largest() : infinite);
    default:
      break;
  }
  const int top = top_bit(x.significand) + x.exponent;
  const int least = 1 - f.bias();  // exponent of the least normal number
  const int unit = std::max(top, least) - f.fraction_bits;
  const auto rounded = static_cast<uint64_t>(drop(x, unit - x.exponent, round));
  // A carry out of the fraction goes on into the exponent.
  const int biased = std::max(top, least) + f.bias();
  const uint64_t largest = f.largest();
  const uint64_t hidden = uint64_t{1} << f.fraction_bits;
  uint64_t out = largest + 1;
  if (biased <= (1 << f.exponent_bits)) {
    out = rounded < hidden && biased == 1
              ? rounded
              : (static_cast<uint64_t>(biased) << f.fraction_bits) + rounded - hidden;
  }
  if (out > largest) {
    return sign | (saturate || to_zero(round, x.negative) ? largest : infinite);
  }
  return sign | out;
}

uint64_t pack_flushed(const Format& format, const Real& x, Round round, bool saturate) {
  uint64_t r = pack(format, x, round, saturate);
  if ((r & ~format.sign_bit()) == uint64_t{1} << format.fraction_bits) {
    // Only its rounding as a subnormal number may have made it that.
    Real up = x;
    up.exponent += 2;
    if ((pack(format, up, round) & ~format.sign_bit()) < uint64_t{3} << format.fraction_bits) {
      r &= format.sign_bit();
    }
  }
  return flushed(format, r);
}

Real add(const Real& a, const Real& b, Round round) {
  using Kind = Real::Kind;
  if (a.kind == Kind::kNan || b.kind == Kind::kNan ||
      (a.kind == Kind::kInfinite && b.kind == Kind::kInfinite && a.negative != b.negative)) {
    return special(Kind::kNan);
  }
  if (a.kind == Kind::kInfinite || b.kind == Kind::kInfinite) {
    return a.kind == Kind::kInfinite ? a : b;
  }
  const bool zero_sign = a.negative == b.negative ? a.negative : round == Round::kDown;
  if (a.kind == Kind::kZero && b.kind == Kind::kZero) {
    return special(Kind::kZero, zero_sign);
  }
  if (a.kind == Kind::kZero || b.kind == Kind::kZero) {
    return a.kind == Kind::kZero ? b : a;
  }
  const Real sum = add_magnitudes(a, b, a.negative != b.negative);
  return sum.significand == 0 ? special(Kind::kZero, zero_sign) : sum;
}

Real multiply(const Real& a, const Real& b) {
  using Kind = Real::Kind;
  const bool negative = a.negative != b.negative;
  const bool infinite = a.kind == Kind::kInfinite || b.kind == Kind::kInfinite;
  const bool zero = a.kind == Kind::kZero || b.kind == Kind::kZero;
  if (a.kind == Kind::kNan || b.kind == Kind::kNan || (infinite && zero)) {
    return special(Kind::kNan);
  }
  if (infinite || zero) {
    return special(infinite ? Kind::kInfinite : Kind::kZero, negative);
  }
  Real out = special(Kind::kFinite, negative);
  out.significand = a.significand * b.significand;  // of unpacked numbers: at most 53 bits each
  out.exponent = a.exponent + b.exponent;
  return out;
}

Real divide(const Real& a, const Real& b) {
  using Kind = Real::Kind;
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::kNan || b.kind == Kind::kNan ||
      (a.kind == b.kind && (a.kind == Kind::kInfinite || a.kind == Kind::kZero))) {
    return special(Kind::kNan);
  }
  if (a.kind == Kind::kInfinite || b.kind == Kind::kZero) {
    return special(Kind::kInfinite, negative);
  }
  if (a.kind == Kind::kZero || b.kind == Kind::kInfinite) {
    return special(Kind::kZero, negative);
  }
  Real out = special(Kind::kFinite, negative);
  Real dividend = a;
  normalise(dividend);
  out.significand = dividend.significand / b.significand;  // 126 bits by at most 53
  out.inexact = dividend.significand % b.significand != 0;
  out.exponent = dividend.exponent - b.exponent;
  return out;
}

Real square_root(const Real& a) {
  using Kind = Real::Kind;
  if (a.kind == Kind::kNan || (a.negative && a.kind != Kind::kZero)) {
    return special(Kind::kNan);
  }
  if (a.kind != Kind::kFinite) {
    return a;
  }
  Real x = a;
  normalise(x);
  if (x.exponent % 2 != 0) {
    x.significand <<= 1;
    --x.exponent;
  }
  // Bit by bit from the top: 63 of them.
  uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const uint64_t next = root | uint64_t{1} << bit;
    if (Uint128{next} * next <= x.significand) {
      root = next;
    }
  }
  Real out = special(Kind::kFinite);
  out.significand = root;
  out.inexact = Uint128{root} * root != x.significand;
  out.exponent = x.exponent / 2;
  return out;
}

Real from_integer(uint64_t magnitude, bool negative) {
  Real out = special(magnitude == 0 ? Real::Kind::kZero : Real::Kind::kFinite, magnitude != 0 && negative);
  out.significand = magnitude;
  return out;
}

Real to_whole(const Real& x, Round round) {
  if (x.kind != Real::Kind::kFinite || x.exponent >= 0) {
    return x;
  }
  Real out = x;
  out.significand = drop(x, -x.exponent, round);
  out.exponent = 0;
  out.inexact = false;
  if (out.significand == 0) {
    out.kind = Real::Kind::kZero;
  }
  return out;
}

}  // namespace heddle::exec::arith
