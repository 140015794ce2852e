#include "sim/exec/arith/convert.h"

#include <algorithm>
#include <cmath>

#include "sim/exec/arith/fast_float.h"
#include "sim/exec/arith/lanes.h"
#include "sim/exec/arith/real.h"

namespace heddle::exec::arith {
namespace {

constexpr uint32_t kNan32 = 0x7fffffff;
constexpr unsigned kTf32Cut = 13;

bool is_whole(Number n) { return n >= Number::kU8 && n <= Number::kS64; }
bool is_signed(Number n) {
  return n == Number::kS8 || n == Number::kS16 || n == Number::kS32 || n == Number::kS64;
}
uint32_t bits_of(Number n) {
  switch (n) {
    case Number::kU8:
    case Number::kS8:
    case Number::kE4m3:
    case Number::kE5m2:
      return 8;
    case Number::kU16:
    case Number::kS16:
    case Number::kF16:
    case Number::kBf16:
      return 16;
    case Number::kU64:
    case Number::kS64:
    case Number::kF64:
      return 64;
    default:
      return 32;
  }
}
const Format& format_of(Number n) {
  switch (n) {
    case Number::kF16:
      return kF16Format;
    case Number::kBf16:
      return kBf16Format;
    case Number::kF64:
      return kF64Format;
    case Number::kTf32:
      return kTf32Format;
    case Number::kE4m3:
      return kE4m3Format;
    case Number::kE5m2:
      return kE5m2Format;
    default:
      return kF32Format;
  }
}

// The control word holds a Conversion.
uint64_t encode(const Conversion& c) {
  return static_cast<uint64_t>(c.to) | static_cast<uint64_t>(c.from) << 8 |
         static_cast<uint64_t>(c.round) << 16 | (c.whole ? 1ULL << 24 : 0) | (c.ftz ? 1ULL << 25 : 0) |
         (c.sat ? 1ULL << 26 : 0) | (c.relu ? 1ULL << 27 : 0) | (c.satfinite ? 1ULL << 28 : 0) |
         uint64_t{c.register_bits} << 32;
}
Conversion decode(uint64_t x) {
  Conversion c;
  c.to = static_cast<Number>(x & 0xff);
  c.from = static_cast<Number>(x >> 8 & 0xff);
  c.round = static_cast<Round>(x >> 16 & 0xff);
  c.whole = (x >> 24 & 1) != 0;
  c.ftz = (x >> 25 & 1) != 0;
  c.sat = (x >> 26 & 1) != 0;
  c.relu = (x >> 27 & 1) != 0;
  c.satfinite = (x >> 28 & 1) != 0;
  c.register_bits = static_cast<uint32_t>(x >> 32);
  return c;
}

uint64_t ones(uint32_t bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
uint64_t extended(uint64_t x, uint32_t bits, bool sign) {
  const uint32_t up = 64 - bits;
  return sign ? static_cast<uint64_t>(static_cast<int64_t>(x << up) >> up) : x << up >> up;
}

// The number of a whole value that is negative or not, clamped to the type.
uint64_t clamped(uint64_t magnitude, bool negative, Number to) {
  const uint32_t bits = bits_of(to);
  const uint64_t most = is_signed(to) ? ones(bits - 1) : ones(bits);
  const uint64_t least = is_signed(to) ? uint64_t{1} << (bits - 1) : 0;
  return negative ? 0 - std::min(magnitude, least) : std::min(magnitude, most);
}
uint64_t in_register(uint64_t x, const Conversion& c) {
  return extended(x, bits_of(c.to), is_signed(c.to)) & ones(c.register_bits);
}

uint64_t whole_to_whole(uint64_t x, const Conversion& c) {
  x = extended(x, bits_of(c.from), is_signed(c.from));
  if (c.sat) {
    const bool negative = is_signed(c.from) && static_cast<int64_t>(x) < 0;
    x = clamped(negative ? 0 - x : x, negative, c.to);
  }
  return in_register(x, c);
}

// NaN: 0 from 32 bits and less to 32 bits and less, else the top bit.
uint64_t float_to_whole(uint64_t bits, const Conversion& c) {
  const Real x = to_whole(unpack(format_of(c.from), bits), c.round);
  if (x.kind == Real::Kind::kNan) {
    const bool zero = c.from != Number::kF64 && bits_of(c.to) < 64;
    return zero ? 0 : in_register(uint64_t{1} << (bits_of(c.to) - 1), c);
  }
  uint64_t magnitude = 0;
  if (x.kind == Real::Kind::kInfinite) {
    magnitude = ~uint64_t{0};
  } else if (x.kind == Real::Kind::kFinite) {
    const bool large = x.exponent >= 64 || x.significand << std::max(x.exponent, 0) > ~uint64_t{0};
    magnitude = large ? ~uint64_t{0} : static_cast<uint64_t>(x.significand << x.exponent);
  }
  return in_register(clamped(magnitude, x.negative, c.to), c);
}

uint64_t nan_to_float(uint64_t bits, const Conversion& c) {
  const Format& from = format_of(c.from);
  if (c.to == Number::kF64 && c.from == Number::kF32 && c.ftz) {
    return 0x7fffffffe0000000;
  }
  if (c.to == Number::kF64 && c.from != Number::kF64) {
    const uint64_t sign = (bits & from.sign_bit()) << (64 - from.bits());
    return sign | uint64_t{0xfff} << 51 | (bits & from.fraction_mask()) << (52 - from.fraction_bits);
  }
  if (c.to == Number::kF64) {
    return bits | uint64_t{1} << 51;
  }
  const Format& to = format_of(c.to);
  if (c.from == Number::kF64 && (c.to == Number::kF32 || c.to == Number::kF16 || c.to == Number::kBf16)) {
    const uint64_t sign = (bits & from.sign_bit()) >> (64 - to.bits());
    return sign | to.exponent_mask() |
           ((bits | uint64_t{1} << 51) & from.fraction_mask()) >> (52 - to.fraction_bits);
  }
  if (c.to == Number::kTf32) {
    constexpr uint64_t kUnit = uint64_t{1} << kTf32Cut;
    if (c.round != Round::kAway) {
      return kNan32 & ~(kUnit - 1);
    }
    // ptxas (13.0) adds half a unit to what is finite, cuts, and takes a unit from what is not (oracle:
    // cvt.rna).
    return (bits & ~(kUnit - 1)) - (c.satfinite ? kUnit : 0);
  }
  return to.nan;
}

uint64_t to_float(const Real& x, const Conversion& c) {
  const Format& f = format_of(c.to);
  const bool flush = c.ftz && c.to == Number::kF32;
  uint64_t out = flush ? pack_flushed(f, x, c.round, c.satfinite) : pack(f, x, c.round, c.satfinite);
  const bool negative = (out & f.sign_bit()) != 0;
  if (c.sat) {
    const uint64_t one = static_cast<uint64_t>(f.bias()) << f.fraction_bits;
    out = negative ? 0 : std::min(out, one);
  }
  if (c.relu && negative) {
    out = 0;
  }
  return c.to == Number::kTf32 ? out << kTf32Cut : out;
}

uint64_t float_to_float(uint64_t bits, const Conversion& c) {
  const Format& from = format_of(c.from);
  if (is_nan(from, bits)) {
    return c.sat ? 0 : nan_to_float(bits, c);
  }
  Real x = unpack(from, bits);
  if (c.whole) {
    x = to_whole(x, c.round);
  }
  return to_float(x, c);
}

uint64_t convert(uint64_t x, const Conversion& c) {
  if (is_whole(c.from)) {
    if (is_whole(c.to)) {
      return whole_to_whole(x, c);
    }
    x = extended(x, bits_of(c.from), is_signed(c.from));
    const bool negative = is_signed(c.from) && static_cast<int64_t>(x) < 0;
    return to_float(from_integer(negative ? 0 - x : x, negative), c);
  }
  x &= ones(bits_of(c.from));
  if (c.ftz && c.from == Number::kF32) {
    x = flushed(kF32Format, x);
  }
  return is_whole(c.to) ? float_to_whole(x, c) : float_to_float(x, c);
}

void convert_all(const Arguments& a, uint32_t mask) {
  const Conversion c = decode((*a.s[kControlPlace])[0]);
  over_lanes(mask, [&](uint32_t l) { (*a.d[0])[l] = convert((*a.s[0])[l], c); });
}
void convert_two(const Arguments& a, uint32_t mask) {
  const Conversion c = decode((*a.s[kControlPlace])[0]);
  const uint32_t shift = bits_of(c.to);
  over_lanes(
      mask, [&](uint32_t l) { (*a.d[0])[l] = convert((*a.s[0])[l], c) << shift | convert((*a.s[1])[l], c); });
}
void convert_pair(const Arguments& a, uint32_t mask) {
  const Conversion c = decode((*a.s[kControlPlace])[0]);
  const uint32_t from = bits_of(c.from), to = bits_of(c.to);
  over_lanes(mask, [&](uint32_t l) {
    const uint64_t x = (*a.s[0])[l];
    (*a.d[0])[l] = convert(x & ones(from), c) | convert(x >> from & ones(from), c) << to;
  });
}

// Whole numbers without clamping, the same for all lanes: shifts only.
void resize(const Arguments& a, uint32_t mask) {
  const Conversion c = decode((*a.s[kControlPlace])[0]);
  const uint32_t from = 64 - bits_of(c.from), to = 64 - bits_of(c.to);
  const uint64_t keep = ones(c.register_bits);
  const uint64_t* const x = a.s[0]->data();
  uint64_t* const d = a.d[0]->data();
  const auto lanes = [&]<bool kFromSign, bool kToSign>() {
    over_lanes(mask, [=](uint32_t l) {
      uint64_t v = x[l] << from;
      v = kFromSign ? static_cast<uint64_t>(static_cast<int64_t>(v) >> from) : v >> from;
      v <<= to;
      d[l] = (kToSign ? static_cast<uint64_t>(static_cast<int64_t>(v) >> to) : v >> to) & keep;
    });
  };
  if (is_signed(c.from)) {
    is_signed(c.to) ? lanes.operator()<true, true>() : lanes.operator()<true, false>();
  } else {
    is_signed(c.to) ? lanes.operator()<false, true>() : lanes.operator()<false, false>();
  }
}

// The common ones, on the host's arithmetic (fast_float.h).
struct WholeToF32 {
  template <class T>
  static float of(T x) {
    return static_cast<float>(x);
  }
};
struct WholeToF64 {
  template <class T>
  static double of(T x) {
    return static_cast<double>(x);
  }
};
struct F32ToS32 {  // to zero
  static int32_t of(float x) {
    return std::isnan(x) ? 0 : x >= 0x1p31F ? INT32_MAX : x <= -0x1p31F ? INT32_MIN : static_cast<int32_t>(x);
  }
};
struct F32ToU32 {
  static uint32_t of(float x) {
    return !(x > 0) ? 0 : x >= 0x1p32F ? UINT32_MAX : static_cast<uint32_t>(static_cast<int64_t>(x));
  }
};
struct F64ToS32 {  // NaN to the least number
  static int32_t of(double x) {
    return x >= 0x1p31 ? INT32_MAX : x > -0x1p31 ? static_cast<int32_t>(x) : INT32_MIN;
  }
};
struct F32ToF64 {
  static uint64_t of(float x) {
    const auto bits = uint64_t{std::bit_cast<uint32_t>(x)};
    return std::isnan(x) ? bits >> 31 << 63 | uint64_t{0xfff} << 51 | (bits & 0x7fffff) << 29
                         : std::bit_cast<uint64_t>(static_cast<double>(x));
  }
};
struct F64ToF32 {
  static uint32_t of(double x) {
    if (std::isnan(x)) {
      const auto bits = std::bit_cast<uint64_t>(x);
      return static_cast<uint32_t>(bits >> 63 << 31 | uint32_t{0x1ff} << 22 | (bits >> 29 & 0x3fffff));
    }
    return std::bit_cast<uint32_t>(static_cast<float>(x));
  }
};
template <Format F>
struct F32ToHalf {
  static uint32_t of(float x) { return static_cast<uint32_t>(double_to_half<F>(x)); }
};
struct F16ToF32 {
  static uint32_t of(uint16_t x) {
    const auto r = static_cast<float>(half_to_double<kF16Format>(x));
    return std::isnan(r) ? kNan32 : std::bit_cast<uint32_t>(r);
  }
};
struct Bf16ToF32 {
  static uint32_t of(uint16_t x) { return uint32_t{x} << 16; }
};
template <Format F>
struct TwoToHalves {
  static uint32_t of(float high, float low) {
    return static_cast<uint32_t>(double_to_half<F>(high) << 16 | double_to_half<F>(low));
  }
};

WarpFn fast_to_whole(const Conversion& c) {
  if (c.round != Round::kZero || c.register_bits != 32) {
    return nullptr;
  }
  if (c.from == Number::kF64) {
    return c.to == Number::kS32 ? map<F64ToS32, double> : WarpFn{};
  }
  return c.from != Number::kF32 ? WarpFn{}
         : c.to == Number::kS32 ? map<F32ToS32, float>
         : c.to == Number::kU32 ? map<F32ToU32, float>
                                : WarpFn{};
}

WarpFn fast_to_float(const Conversion& c) {
  if (c.to == Number::kF32) {
    switch (c.from) {
      case Number::kS32:
        return map<WholeToF32, int32_t>;
      case Number::kU32:
        return map<WholeToF32, uint32_t>;
      case Number::kF64:
        return map<F64ToF32, double>;
      case Number::kF16:
        return map<F16ToF32, uint16_t>;
      case Number::kBf16:
        return map<Bf16ToF32, uint16_t>;
      default:
        return nullptr;
    }
  }
  if (c.to == Number::kF64) {
    return c.from == Number::kS32   ? map<WholeToF64, int32_t>
           : c.from == Number::kU32 ? map<WholeToF64, uint32_t>
           : c.from == Number::kF32 ? map<F32ToF64, float>
                                    : WarpFn{};
  }
  if (c.from != Number::kF32) {
    return nullptr;
  }
  return c.to == Number::kF16    ? map<F32ToHalf<kF16Format>, float>
         : c.to == Number::kBf16 ? map<F32ToHalf<kBf16Format>, float>
                                 : WarpFn{};
}

WarpFn fast_fn(const Conversion& c) {
  if (c.ftz || c.sat || c.relu || c.satfinite || c.whole) {
    return nullptr;
  }
  if (is_whole(c.to)) {
    return is_whole(c.from) ? resize : fast_to_whole(c);
  }
  return c.round == Round::kNearest ? fast_to_float(c) : nullptr;
}

// Both values clamped to kBits bits, above them what fits of s2, which is not there for 16 bits.
template <uint32_t kBits, bool kSigned>
void pack_two(const Arguments& a, uint32_t mask) {
  constexpr int64_t kLeast = kSigned ? -(int64_t{1} << (kBits - 1)) : 0;
  constexpr int64_t kMost = (int64_t{1} << (kSigned ? kBits - 1 : kBits)) - 1;
  over_lanes(mask, [&](uint32_t l) {
    const auto clamp = [&](uint64_t x) {
      return static_cast<uint64_t>(std::clamp<int64_t>(get<int32_t>(x), kLeast, kMost)) & ones(kBits);
    };
    const uint64_t rest = a.s[2] != nullptr ? (*a.s[2])[l] << 2 * kBits : 0;
    (*a.d[0])[l] = static_cast<uint32_t>(rest | clamp((*a.s[0])[l]) << kBits | clamp((*a.s[1])[l]));
  });
}
template <uint32_t kBits>
WarpFn pack_fn_of(bool sign) {
  return sign ? pack_two<kBits, true> : pack_two<kBits, false>;
}

}  // namespace

Fn convert_fn(const Conversion& c) {
  // Whole numbers and f32's bits of bf16 need no rounding; the first needs its control word.
  if (c.from == Number::kBf16 && c.to == Number::kF32 && !c.ftz && !c.sat) {
    return {map<Bf16ToF32, uint16_t>};
  }
  const WarpFn fast = fast_fn(c);
  return {fast != nullptr ? fast : convert_all, encode(c), fast == nullptr || fast == resize};
}

Fn convert_two_fn(const Conversion& c) {
  if (c.round == Round::kNearest && !c.relu && !c.satfinite) {
    if (c.to == Number::kF16) {
      return {map<TwoToHalves<kF16Format>, float, float>};
    }
    if (c.to == Number::kBf16) {
      return {map<TwoToHalves<kBf16Format>, float, float>};
    }
  }
  return {convert_two, encode(c), true};
}

Fn convert_pair_fn(const Conversion& c) { return {convert_pair, encode(c), true}; }

Fn pack_fn(uint32_t bits, bool sign) {
  switch (bits) {
    case 2:
      return {pack_fn_of<2>(sign)};
    case 4:
      return {pack_fn_of<4>(sign)};
    case 8:
      return {pack_fn_of<8>(sign)};
    case 16:
      return {pack_fn_of<16>(sign)};
    default:
      return {};
  }
}

}  // namespace heddle::exec::arith
