// Exact numbers, and rounding them to formats: floating point in integers, so that nothing depends on the
// host's rounding mode or on compiler flags. Slow (tens of ns); the common operations have their own paths.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/exec/arith/number.h"

namespace heddle::exec::arith {

__extension__ using Uint128 = unsigned __int128;

enum class Infinity : uint8_t { kIeee, kNone };  // e4m3 has none: its largest exponent is for numbers, too

struct Format {
  int exponent_bits;
  int fraction_bits;
  uint64_t nan;  // what operations return (ptx.md 2.4)
  Infinity infinity = Infinity::kIeee;

  constexpr int bits() const { return 1 + exponent_bits + fraction_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr uint64_t exponent_mask() const { return ((uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
  constexpr uint64_t fraction_mask() const { return (uint64_t{1} << fraction_bits) - 1; }
  constexpr uint64_t sign_bit() const { return uint64_t{1} << (bits() - 1); }
  constexpr uint64_t largest() const {  // finite
    return infinity == Infinity::kNone ? exponent_mask() | (fraction_mask() - 1) : exponent_mask() - 1;
  }
};

inline constexpr Format kF16Format = {5, 10, 0x7fff};
inline constexpr Format kBf16Format = {8, 7, 0x7fff};
inline constexpr Format kF32Format = {8, 23, 0x7fffffff};
inline constexpr Format kF64Format = {11, 52, 0xfff8000000000000};
inline constexpr Format kTf32Format = {8, 10, 0x3ffff};  // as 19 bits
inline constexpr Format kE4m3Format = {4, 3, 0x7f, Infinity::kNone};
inline constexpr Format kE5m2Format = {5, 2, 0x7f};

// significand * 2^exponent, and a little more (less than one unit of the significand) when `inexact`.
struct Real {
  enum class Kind : uint8_t { kZero, kFinite, kInfinite, kNan };
  Kind kind = Kind::kZero;
  bool negative = false;
  bool inexact = false;  // then the significand has at least 60 bits
  int exponent = 0;
  Uint128 significand = 0;
};

// The number that bits of a format stand for.
Real unpack(const Format& format, uint64_t bits);

// The nearest number of the format by `round`; kNan gives format.nan. Overflow gives infinity, or the
// largest number where the mode rounds to zero, `saturate` says so or there is no infinity.
uint64_t pack(const Format& format, const Real& x, Round round, bool saturate = false);

// The same, and zero for what would be below the least normal number if exponents had no end (.ftz).
uint64_t pack_flushed(const Format& format, const Real& x, Round round, bool saturate = false);

Real add(const Real& a, const Real& b, Round round);  // `round` decides the sign of x - x
Real multiply(const Real& a, const Real& b);
Real divide(const Real& a, const Real& b);
Real square_root(const Real& a);
Real from_integer(uint64_t magnitude, bool negative);

// Rounds to a whole number; the kind stays, finite numbers may become kZero.
Real to_whole(const Real& x, Round round);

inline Real negated(Real x) {
  x.negative = !x.negative;
  return x;
}

inline bool is_nan(const Format& f, uint64_t bits) {
  return f.infinity == Infinity::kNone ? (bits & ~f.sign_bit()) == f.nan
                                       : (bits & ~f.sign_bit()) > f.exponent_mask();
}
// Zero with its sign for what is subnormal.
inline uint64_t flushed(const Format& f, uint64_t bits) {
  return (bits & f.exponent_mask()) == 0 ? bits & f.sign_bit() : bits;
}

}  // namespace heddle::exec::arith
