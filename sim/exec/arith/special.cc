#include "sim/exec/arith/special.h"

#include <cmath>

#include "sim/exec/arith/fast_float.h"
#include "sim/exec/arith/lanes.h"
#include "sim/exec/arith/mufu.h"

namespace heddle::exec::arith {
namespace {

constexpr uint32_t kNan = 0x7fffffff, kInfinite = 0x7f800000, kSign = 0x80000000;

float number(uint32_t x) { return std::bit_cast<float>(x); }
uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
uint32_t flushed(uint32_t x) { return (x & kInfinite) == 0 ? x & kSign : x; }

template <uint32_t kFn(uint32_t), bool kFtz>
struct Unit {
  static uint32_t of(uint32_t x) { return kFtz ? flushed(kFn(flushed(x))) : kFn(x); }
};
template <uint32_t kFn(uint32_t)>
WarpFn unit(bool ftz) {
  return ftz ? map<Unit<kFn, true>, uint32_t> : map<Unit<kFn, false>, uint32_t>;
}

// a * rcp(b), both scaled where the reciprocal would leave the range; div.approx scales small b only, and
// what the unit makes of large ones is 0.
template <bool kFull, bool kFtz>
struct Div {
  static uint32_t of(uint32_t a, uint32_t b) {
    if (kFtz) {
      a = flushed(a);
      b = flushed(b);
    }
    float x = number(a), y = number(b);
    if (std::fabs(y) < 0x1p-126F) {
      x *= 0x1p24F;
      y *= 0x1p24F;
    } else if (kFull && std::fabs(y) > 0x1p126F) {
      x *= 0.25F;
      y *= 0.25F;
    }
    const float reciprocal = number(flushed(mufu_rcp(bits(y))));
    const float r = x * reciprocal;
    if (kFtz && std::fabs(double{x} * reciprocal) < kBelowLeast) {
      return bits(std::copysign(0.0F, r));
    }
    return std::isnan(r) ? kNan : bits(r);
  }
};

// Upper words of f64.
template <uint32_t kFn(uint32_t)>
struct High {
  static uint64_t of(uint64_t x) { return uint64_t{kFn(static_cast<uint32_t>(x >> 32))} << 32; }
};

// What ptxas (13.0) makes of rsqrt.approx.f64: an approximation and one step that improves it.
struct RsqrtF64 {
  static uint64_t of(double x) {
    const auto in = std::bit_cast<uint64_t>(x);
    const uint64_t magnitude = in & ~kSign64;
    if (magnitude > kInfinite64) {
      return in | uint64_t{1} << 51;
    }
    if (magnitude == 0 || magnitude == kInfinite64 || in != magnitude) {
      return magnitude == 0 ? in | kInfinite64 : in == kInfinite64 ? 0 : 0xfff8000000000000;
    }
    return std::bit_cast<uint64_t>(magnitude < uint64_t{1} << 52 ? improved(x * 0x1p54) * 0x1p27
                                                                 : improved(x));
  }

 private:
  static constexpr uint64_t kSign64 = uint64_t{1} << 63, kInfinite64 = uint64_t{0x7ff} << 52;
  static double improved(double x) {
    const auto y = std::bit_cast<double>(High<mufu_rsqrt64h>::of(std::bit_cast<uint64_t>(x)));
    const double e = std::fma(x, -(y * y), 1.0);
    return std::fma(std::fma(e, 0.375, 0.5), y * e, y);
  }
};

// The unit's results are cut, not rounded (tests/exec/oracle/h200/halves.bin.xz: all inputs); what is too
// large becomes infinity.
template <Format F>
uint64_t cut(uint32_t f32) {
  const double v = number(f32);
  const uint64_t r = double_to_half<F>(v);
  const bool above = std::fabs(half_to_double<F>(r)) > std::fabs(v);
  return above && (r & ~F.sign_bit()) != F.exponent_mask() ? r - 1 : r;
}
template <bool kTanh, Format F, bool kFtz>
uint32_t half(uint32_t x) {
  const uint64_t in = kFtz ? flushed(F, x) : x;
  const uint32_t v = bits(static_cast<float>(half_to_double<F>(in)));
  const uint64_t r = cut<F>(kTanh ? mufu_tanh(v) : mufu_ex2(v));
  return static_cast<uint32_t>(kFtz ? flushed(F, r) : r);
}
template <bool kTanh, Format F, bool kFtz, bool kPair>
struct Halves {
  static uint32_t of(uint32_t x) {
    const uint32_t first = half<kTanh, F, kFtz>(x & 0xffff);
    return kPair ? first | half<kTanh, F, kFtz>(x >> 16) << 16 : first;
  }
};
template <bool kTanh>
WarpFn halves(Number type, bool pair, bool ftz) {
  if (type == Number::kF16 && !ftz) {
    return pair ? map<Halves<kTanh, kF16Format, false, true>, uint32_t>
                : map<Halves<kTanh, kF16Format, false, false>, uint32_t>;
  }
  if (type != Number::kBf16) {
    return nullptr;
  }
  if constexpr (!kTanh) {  // only with ftz
    return pair ? map<Halves<false, kBf16Format, true, true>, uint32_t>
                : map<Halves<false, kBf16Format, true, false>, uint32_t>;
  }
  return pair ? map<Halves<true, kBf16Format, false, true>, uint32_t>
              : map<Halves<true, kBf16Format, false, false>, uint32_t>;
}

WarpFn special_f64(SpecialOp op, bool ftz) {
  if (op == SpecialOp::kRcp && ftz) {
    return map<High<mufu_rcp64h>, uint64_t>;
  }
  if (op == SpecialOp::kRsqrt) {
    return ftz ? map<High<mufu_rsqrt64h>, uint64_t> : map<RsqrtF64, double>;
  }
  return nullptr;
}

template <bool kFull>
WarpFn division(bool ftz) {
  return ftz ? map<Div<kFull, true>, uint32_t, uint32_t> : map<Div<kFull, false>, uint32_t, uint32_t>;
}

}  // namespace

WarpFn special_fn(SpecialOp op, Number type, bool pair, bool ftz) {
  if (type == Number::kF64) {
    return special_f64(op, ftz);
  }
  if (type != Number::kF32) {
    return op == SpecialOp::kEx2    ? halves<false>(type, pair, ftz)
           : op == SpecialOp::kTanh ? halves<true>(type, pair, ftz)
                                    : nullptr;
  }
  switch (op) {
    case SpecialOp::kRcp:
      return unit<mufu_rcp>(ftz);
    case SpecialOp::kSqrt:
      return unit<mufu_sqrt>(ftz);
    case SpecialOp::kRsqrt:
      return unit<mufu_rsqrt>(ftz);
    case SpecialOp::kSin:
      return unit<mufu_sin>(ftz);
    case SpecialOp::kCos:
      return unit<mufu_cos>(ftz);
    case SpecialOp::kLg2:
      return unit<mufu_lg2>(ftz);
    case SpecialOp::kEx2:
      return unit<mufu_ex2>(ftz);
    case SpecialOp::kTanh:
      return unit<mufu_tanh>(ftz);
    case SpecialOp::kDivApprox:
      return division<false>(ftz);
    default:
      return division<true>(ftz);
  }
}

}  // namespace heddle::exec::arith
