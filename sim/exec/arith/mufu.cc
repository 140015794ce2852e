#include "sim/exec/arith/mufu.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "sim/exec/arith/mufu_tables.h"

namespace heddle::exec::arith {
namespace {

constexpr uint32_t kNan = 0x7fffffff, kInfinite = 0x7f800000, kSign = 0x80000000, kOne = 0x3f800000;
constexpr uint32_t kFraction = 0x7fffff;

float number(uint32_t x) { return std::bit_cast<float>(x); }
uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
bool is_nan(uint32_t x) { return (x & ~kSign) > kInfinite; }
bool is_subnormal(uint32_t x) { return (x & kInfinite) == 0 && (x & kFraction) != 0; }
uint64_t low(uint64_t x, unsigned count) { return x & ((uint64_t{1} << count) - 1); }

// The unit's square: of the partial products, the low 19 columns of the diagonal and of the first 9 rows are
// not there.
uint64_t square(uint32_t x) {
  constexpr unsigned kColumns = 19, kRows = 9;
  constexpr uint32_t kLowest = (1U << kColumns) - 1;
  uint32_t missing = 0;
#pragma GCC unroll 9
  for (unsigned i = 0; i < kRows; ++i) {
    missing += (0 - (x >> i & 1)) & (x << (i + 1)) & kLowest & ~((4U << 2 * i) - 1);
  }
  // Bit i of the lower ten to place 2 i.
  uint32_t diagonal = x & ((1U << (kColumns + 1) / 2) - 1);
  diagonal = (diagonal | diagonal << 8) & 0x00ff00ff;
  diagonal = (diagonal | diagonal << 4) & 0x0f0f0f0f;
  diagonal = (diagonal | diagonal << 2) & 0x33333333;
  diagonal = (diagonal | diagonal << 1) & 0x55555555;
  return uint64_t{x} * x - missing - diagonal;
}

// How a function's polynomial is added up: c0 << shift0 +- c1 * rest << shift1 +- c2 * square(rest), and a
// bias that rounds. The result's leading one is at `top` or below.
struct Sum {
  unsigned index_bits, shift0, shift1, top;
  int sign1, sign2;
  uint64_t bias;

  uint64_t of(const Coefficients& c, uint32_t rest, uint64_t squared) const {
    const uint64_t first = uint64_t{c.c1} * rest << shift1, second = c.c2 * squared;
    return (uint64_t{c.c0} << shift0) + (sign1 > 0 ? first : 0 - first) + (sign2 > 0 ? second : 0 - second) +
           (bias >> (64 - top + 23));
  }
  uint32_t index(uint32_t fraction) const {
    return static_cast<uint32_t>(low(fraction >> (23 - index_bits), index_bits));
  }
  uint32_t rest(uint32_t fraction) const { return static_cast<uint32_t>(low(fraction, 23 - index_bits)); }
  uint64_t operator()(const Coefficients& c, uint32_t fraction) const {
    return of(c, rest(fraction), square(rest(fraction)));
  }
  // The 23 bits below the leading one's place.
  uint32_t fraction(uint64_t sum) const { return static_cast<uint32_t>(sum >> (top - 23)) & kFraction; }
};

constexpr Sum kRcp = {7, 30, 17, 56, -1, +1, 0x67e7000000000000};
constexpr Sum kSqrt = {6, 33, 18, 58, +1, -1, 0x7fff800000000000};
constexpr Sum kRsqrt = {6, 31, 17, 57, -1, +1, 0x7fff800000000000};
constexpr Sum kLg2 = {6, 30, 18, 56, +1, -1, 0x868b000000000000};
constexpr Sum kEx2 = {6, 32, 19, 57, +1, +1, 0x6fc4000000000000};
constexpr Sum kSin = {6, 31, 19, 56, +1, -1, 0};

// Of tanh: an octave from 2^exponent on has 2^index_bits intervals; 2^one is `place` of the sum.
struct Octave {
  unsigned index_bits, first, place;
  int one;
};
constexpr int kTanhFirst = -8;
constexpr Octave kTanhOctaves[] = {
    {0, 0, 53, -8},  {0, 1, 53, -7},  {0, 2, 53, -6}, {1, 3, 53, -5}, {1, 5, 53, -4}, {2, 7, 53, -3},
    {2, 11, 53, -2}, {2, 15, 53, -1}, {3, 19, 55, 0}, {4, 27, 57, 0}, {3, 43, 55, 0},
};

// A positive finite number with its exponent; subnormals count as if they were not.
struct Split {
  uint32_t fraction;
  int exponent;
};
Split split(uint32_t x) {
  const int scaled = is_subnormal(x) ? 24 : 0;
  if (scaled != 0) {
    x = bits(number(x) * 0x1p24F);
  }
  return {x & kFraction, static_cast<int>((x & kInfinite) >> 23) - 127 - scaled};
}

// fraction with the exponent of 1, times 2^n; subnormal results are rounded to nearest.
uint32_t scaled(uint32_t sign, uint32_t one_to_two, int n) {
  const int exponent = static_cast<int>(one_to_two >> 23) + n;
  if (exponent > 0 && exponent < 255) {
    return sign | (one_to_two + (static_cast<uint32_t>(n) << 23));
  }
  return sign | bits(static_cast<float>(std::ldexp(double{number(one_to_two)}, n)));
}

// The argument of sin and cos in quarters of a turn: bits 23 and 24 are the quadrant, below them the place in
// it.
uint32_t quarters(uint32_t x) {
  constexpr double kTurns = 0x1.45f306p-1;          // 2 / pi
  constexpr double kQuarter = 0x1.921fb6546df20p0;  // pi / 2
  constexpr double kMost = 0x1.921fb6p0;
  const double v = number(x & ~kSign);
  if ((x & kInfinite) == 0 || v >= 0x1p33) {
    return 0;
  }
  const auto k = static_cast<uint64_t>(v * kTurns);
  const double turned = std::fma(-static_cast<double>(k), kQuarter, v);
  const double place = std::clamp(turned, 0.0, kMost) * kTurns;
  uint32_t in_quadrant = 0;
  if (place != 0) {
    const auto place_bits = std::bit_cast<uint64_t>(place);
    const int down = 1023 - static_cast<int>(place_bits >> 52 & 0x7ff);
    in_quadrant = ((static_cast<uint32_t>(place_bits >> 29) & kFraction) | 1U << 23) >> std::min(down, 24);
  }
  const auto exponent = static_cast<int>((x & kInfinite) >> 23) - 127;
  const auto cut = [](int n) { return ~static_cast<uint32_t>(low(~uint64_t{0}, static_cast<unsigned>(n))); };
  const uint32_t packed = (static_cast<uint32_t>(k & 3) << 23 | in_quadrant) & cut(std::max(exponent - 8, 0));
  const int turns_exponent = std::ilogb(v * kTurns);
  return packed & cut(std::clamp(turns_exponent, 0, 25));
}

// The same of turns.
uint32_t quarters_of_turns(uint32_t x) {
  const double v = number(x & ~kSign);
  if ((x & kInfinite) == 0 || v >= 0x1p33) {
    return 0;
  }
  return static_cast<uint32_t>(static_cast<uint64_t>(v * 0x1p25) & (4 * (kFraction + 1) - 1));
}

// The sine of a place in the first quadrant.
uint32_t first_quadrant(uint32_t place, uint32_t sign) {
  uint64_t sum = kSin(kSinTable[kSin.index(place)], place);
  uint32_t exponent = 0;
  if (sum != 0) {
    exponent = 127;
    while (sum >> kSin.top == 0) {
      --exponent;
      sum <<= 1;
    }
  }
  return sign | exponent << 23 | kSin.fraction(sum);
}

// The upper word of an f64. Subnormal numbers are zeros.
struct Upper {
  static constexpr uint32_t kInfinite = 0x7ff00000;
  uint32_t sign, magnitude, fraction;
  int exponent;

  explicit Upper(uint32_t x)
      : sign(x & kSign),
        magnitude((x & kInfinite) == 0 ? 0 : x & ~kSign),
        fraction(x & 0xfffff),
        exponent(static_cast<int>(magnitude >> 20) - 1023) {}
  bool is_nan() const { return magnitude > kInfinite; }
};

}  // namespace

uint32_t mufu_rcp(uint32_t x) {
  const uint32_t sign = x & kSign, magnitude = x & ~kSign;
  if (is_nan(x) || magnitude == kInfinite || magnitude == 0) {
    return is_nan(x) ? kNan : sign | (magnitude == 0 ? kInfinite : 0);
  }
  const Split s = split(magnitude);
  const uint32_t rest = kRcp.rest(s.fraction);
  uint64_t sum = kRcp.of(kRcpTable[kRcp.index(s.fraction)], rest, square(rest << 1) >> 2);
  uint32_t exponent = 127;
  if (sum >> kRcp.top == 0) {
    --exponent;
    sum <<= 1;
  }
  return scaled(sign, exponent << 23 | kRcp.fraction(sum), -s.exponent);
}

uint32_t mufu_sqrt(uint32_t x) {
  if (is_nan(x) || (x & ~kSign) == 0 || x >= kInfinite) {
    return is_nan(x) || x > kSign ? kNan : x;
  }
  Split s = split(x);
  const bool odd = s.exponent % 2 != 0;
  s.exponent -= odd ? 1 : 0;
  const uint64_t sum = kSqrt(kSqrtTable[kSqrt.index(s.fraction) + (odd ? 64 : 0)], s.fraction);
  return scaled(0, kOne | kSqrt.fraction(sum), s.exponent / 2);
}

uint32_t mufu_rsqrt(uint32_t x) {
  if ((x & ~kSign) == 0) {
    return (x & kSign) | kInfinite;
  }
  if (x >= kInfinite) {
    return x == kInfinite ? 0 : kNan;
  }
  Split s = split(x);
  const bool odd = s.exponent % 2 != 0;
  s.exponent -= odd ? 1 : 0;
  if (!odd && s.fraction == 0) {
    return scaled(0, kOne, -s.exponent / 2);
  }
  const uint64_t sum = kRsqrt(kRsqrtTable[kRsqrt.index(s.fraction) + (odd ? 64 : 0)], s.fraction) << 1;
  return scaled(0, 126U << 23 | kRsqrt.fraction(sum), -s.exponent / 2);
}

uint32_t mufu_lg2(uint32_t x) {
  constexpr unsigned kCut = 20;  // low bits of the sum that do not count
  if ((x & ~kSign) == 0) {
    return kSign | kInfinite;
  }
  if (x >= kInfinite || x == kOne) {
    return x == kOne ? 0 : x == kInfinite ? kInfinite : kNan;
  }
  const bool subnormal = is_subnormal(x);
  Split s = split(x);
  s.exponent += subnormal ? 24 : 0;
  const uint64_t fraction = kLg2(kLg2Table[kLg2.index(s.fraction)], s.fraction);
  const int64_t total = static_cast<int64_t>(fraction) + s.exponent * (int64_t{1} << kLg2.top);
  uint64_t sum = static_cast<uint64_t>(total < 0 ? -total : total) >> kCut << kCut;
  uint32_t exponent = 127;
  while (sum >> (kLg2.top + 1) != 0) {
    ++exponent;
    sum >>= 1;
  }
  while (sum >> kLg2.top == 0) {
    --exponent;
    sum <<= 1;
  }
  const uint32_t r = (s.exponent < 0 ? kSign : 0) | exponent << 23 | kLg2.fraction(sum);
  return subnormal ? bits(number(r) - 24.0F) : r;
}

uint32_t mufu_ex2(uint32_t x) {
  if (is_nan(x) || (x & ~kSign) == kInfinite) {
    return is_nan(x) ? kNan : x == kInfinite ? kInfinite : 0;
  }
  if ((x & kInfinite) == 0) {
    return kOne;
  }
  float v = number(x);
  const bool halved = v < -126.0F;  // and the result squared
  v = halved ? v * 0.5F : v;
  const float whole_part = std::trunc(v);
  const float rest = v - whole_part;  // exact
  double whole = whole_part;
  uint32_t place = 0;
  if (rest != 0) {
    const int down = 127 - static_cast<int>((bits(rest) & kInfinite) >> 23);
    place = ((bits(rest) & kFraction) | 1U << 23) >> std::min(down, 24);
    if (rest < 0 && place != 0) {  // the ones' complement
      place = ~place;
      whole -= 1;
    }
  }
  const uint32_t fraction = kEx2.fraction(kEx2(kEx2Table[kEx2.index(place)], place));
  if (whole > 127) {
    return kInfinite;
  }
  const float power = whole < -126 ? 0 : number(scaled(0, kOne | fraction, static_cast<int>(whole)));
  return bits(halved ? power * power : power);
}

uint32_t mufu_sin(uint32_t x) {
  if ((x & kInfinite) == kInfinite) {
    return kNan;
  }
  const uint32_t q = quarters(x);
  const uint32_t sign = (x & kSign) ^ ((q >> 24 & 1) != 0 ? kSign : 0);
  return first_quadrant((q >> 23 & 1) != 0 ? ~q : q, sign);
}

uint32_t mufu_cos(uint32_t x) {
  if ((x & kInfinite) == kInfinite) {
    return kNan;
  }
  const uint32_t q = quarters(x);
  const bool negative = (((q >> 23) + 1) & 2) != 0;
  return first_quadrant((q >> 23 & 1) != 0 ? q : ~q, negative ? kSign : 0);
}

uint32_t mufu_sin_of_turns(uint32_t x) {
  if ((x & kInfinite) == kInfinite) {
    return kNan;
  }
  const uint32_t q = quarters_of_turns(x);
  const uint32_t sign = (x & kSign) ^ ((q >> 24 & 1) != 0 ? kSign : 0);
  return first_quadrant((q >> 23 & 1) != 0 ? ~q : q, sign);
}

uint32_t mufu_cos_of_turns(uint32_t x) {
  if ((x & kInfinite) == kInfinite) {
    return kNan;
  }
  const uint32_t q = quarters_of_turns(x);
  const bool negative = (((q >> 23) + 1) & 2) != 0;
  return first_quadrant((q >> 23 & 1) != 0 ? q : ~q, negative ? kSign : 0);
}

uint32_t mufu_tanh(uint32_t x) {
  const uint32_t sign = x & kSign;
  const int exponent = static_cast<int>((x & kInfinite) >> 23) - 127;
  if (is_nan(x) || exponent < kTanhFirst) {
    return is_nan(x) ? kNan : x;
  }
  if (exponent >= kTanhFirst + static_cast<int>(std::size(kTanhOctaves))) {
    return sign | kOne;
  }
  const Octave& o = kTanhOctaves[exponent - kTanhFirst];
  const uint32_t fraction = x & kFraction;
  const Coefficients& c = kTanhTable[o.first + (fraction >> (23 - o.index_bits))];
  // The unit multiplies 17 bits.
  const auto rest = static_cast<uint32_t>(low(fraction, 23 - o.index_bits)) >> (6 - o.index_bits);
  uint64_t sum = (uint64_t{c.c0} << 33) + (uint64_t{c.c1} * rest << 18) - c.c2 * square(rest);
  auto field = static_cast<uint32_t>(o.one + 127);
  if (sum >> o.place == 0) {
    --field;
    sum <<= 1;
  }
  return sign | field << 23 | (static_cast<uint32_t>(sum >> (o.place - 23)) & kFraction);
}

uint32_t mufu_rcp64h(uint32_t x) {
  const Upper u(x);
  if (u.is_nan()) {
    return kNan;
  }
  if (u.magnitude == 0 || u.magnitude == Upper::kInfinite) {
    return u.sign | (u.magnitude == 0 ? Upper::kInfinite : 0);
  }
  const uint32_t r = mufu_rcp(kOne | u.fraction << 3);
  // Results below 2^-1022 are flushed.
  const int field = 1023 - u.exponent - (127 - static_cast<int>(r >> 23));
  return field <= 0 ? u.sign : u.sign | static_cast<uint32_t>(field) << 20 | (r & kFraction) >> 3;
}

uint32_t mufu_rsqrt64h(uint32_t x) {
  const Upper u(x);
  if (u.magnitude == 0) {
    return u.sign | Upper::kInfinite;
  }
  if (u.is_nan() || u.sign != 0 || u.magnitude == Upper::kInfinite) {
    return u.is_nan() || u.sign != 0 ? kNan : 0;
  }
  const int odd = u.exponent & 1;
  const uint32_t r = mufu_rsqrt((kOne + (static_cast<uint32_t>(odd) << 23)) | u.fraction << 3);
  const int field = 1023 - (u.exponent - odd) / 2 - (127 - static_cast<int>(r >> 23));
  return static_cast<uint32_t>(field) << 20 | (r & kFraction) >> 3;
}

}  // namespace heddle::exec::arith
