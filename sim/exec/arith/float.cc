#include "sim/exec/arith/float.h"

#include <cmath>

#include "sim/exec/arith/fast_float.h"
#include "sim/exec/arith/lanes.h"
#include "sim/exec/arith/real.h"

namespace heddle::exec::arith {
namespace {

// What the control word says.
constexpr uint64_t kFtz = 8, kSat = 16, kRelu = 32, kNan = 64, kXorsign = 128;  // bits 0 to 2: Round
uint64_t control_of(FloatHow how) {
  return static_cast<uint64_t>(how.round) | (how.ftz ? kFtz : 0) | (how.sat ? kSat : 0) |
         (how.relu ? kRelu : 0) | (how.nan ? kNan : 0) | (how.xorsign ? kXorsign : 0);
}

constexpr uint64_t kQuiet64 = uint64_t{1} << 51;

constexpr bool is_fused(FloatOp op) { return op >= FloatOp::kFma && op <= FloatOp::kFnma; }

// The NaN that an operation of these operands gives: of f64 the second one, else the third, else the first;
// of division, which is a sequence, the first.
template <FloatOp kOp, Format F>
uint64_t nan_of(uint64_t a, uint64_t b, uint64_t c) {
  if constexpr (F.fraction_bits == 52) {
    const bool sequence = kOp == FloatOp::kDiv;
    for (const uint64_t x : {sequence ? a : b, sequence ? b : c, a}) {
      if (is_nan(F, x)) {
        return x | kQuiet64;
      }
    }
  }
  return F.nan;
}

// 1.0 of a format.
constexpr uint64_t one(const Format& f) { return static_cast<uint64_t>(f.bias()) << f.fraction_bits; }

// What is done to a result that has been rounded.
template <Format F>
uint64_t finish(uint64_t x, uint64_t control) {
  if ((control & kFtz) != 0) {
    x = flushed(F, x);
  }
  if ((control & kSat) != 0) {
    if (is_nan(F, x) || (x & F.sign_bit()) != 0) {
      return 0;
    }
    return std::min(x, one(F));
  }
  if ((control & kRelu) != 0 && !is_nan(F, x) && (x & F.sign_bit()) != 0) {
    return 0;
  }
  return x;
}

template <FloatOp kOp>
Real compute(const Real& a, const Real& b, const Real& c, Round round) {
  switch (kOp) {
    case FloatOp::kAdd:
      return add(a, b, round);
    case FloatOp::kSub:
      return add(a, negated(b), round);
    case FloatOp::kMul:
      return multiply(a, b);
    case FloatOp::kFma:
      return add(multiply(a, b), c, round);
    case FloatOp::kFms:
      return add(multiply(a, b), negated(c), round);
    case FloatOp::kFnma:
      return add(negated(multiply(a, b)), c, round);
    case FloatOp::kDiv:
      return divide(a, b);
    case FloatOp::kRcp:
      return divide(from_integer(1, false), a);
    default:
      return square_root(a);
  }
}

// Any operation in any mode, exactly.
template <FloatOp kOp, Format F>
uint64_t exactly(uint64_t a, uint64_t b, uint64_t c, uint64_t control) {
  if ((control & kFtz) != 0) {
    a = flushed(F, a);
    b = flushed(F, b);
    c = flushed(F, c);
  }
  const auto round = static_cast<Round>(control & 7);
  const Real x = compute<kOp>(unpack(F, a), unpack(F, b), unpack(F, c), round);
  if (x.kind == Real::Kind::kNan) {
    return finish<F>(nan_of<kOp, F>(a, b, is_fused(kOp) ? c : b), control);
  }
  const uint64_t r = (control & kFtz) != 0 ? pack_flushed(F, x, round) : pack(F, x, round);
  return finish<F>(r, control);
}

// f16 and bf16, to nearest: in double precision, which is exact but for sums of bf16; there the last bit says
// that something is missing (round to odd), which is all that the second rounding needs to know.
double odd_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double rest = (a - (sum - part)) + (b - part);  // exactly what the sum lacks
  if (rest == 0 || !(std::fabs(sum) < HUGE_VAL)) {
    return sum;
  }
  const auto bits = std::bit_cast<uint64_t>(sum);
  if ((bits & 1) != 0) {
    return sum;
  }
  return std::bit_cast<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}
template <FloatOp kOp, Format F>
uint64_t half(uint64_t a, uint64_t b, uint64_t c, uint64_t control) {
  if ((control & kFtz) != 0) {
    a = flushed(F, a);
    b = flushed(F, b);
    c = flushed(F, c);
  }
  const double x = half_to_double<F>(a), y = half_to_double<F>(b);
  const double r = kOp == FloatOp::kAdd   ? odd_sum(x, y)
                   : kOp == FloatOp::kSub ? odd_sum(x, -y)
                   : kOp == FloatOp::kMul
                       ? x * y
                       : odd_sum(kOp == FloatOp::kFnma ? -(x * y) : x * y,
                                 kOp == FloatOp::kFms ? -half_to_double<F>(c) : half_to_double<F>(c));
  const uint64_t rounded = double_to_half<F>(r);
  if ((control & kFtz) != 0 && (rounded & ~F.sign_bit()) == uint64_t{1} << F.fraction_bits) {
    // As in pack_flushed().
    const double least = half_to_double<F>(uint64_t{1} << F.fraction_bits);
    const double half_unit = least / static_cast<double>(uint64_t{4} << F.fraction_bits);
    if (std::fabs(r) < least - half_unit) {
      return finish<F>(rounded & F.sign_bit(), control);
    }
  }
  return finish<F>(rounded, control);
}

// The order of numbers as that of whole numbers, with -0 below +0.
template <Format F>
int64_t order(uint64_t x) {
  const auto magnitude = static_cast<int64_t>(x & ~F.sign_bit());
  return (x & F.sign_bit()) != 0 ? ~magnitude : magnitude;
}
template <FloatOp kOp, Format F>
uint64_t extreme(uint64_t a, uint64_t b, uint64_t /*c*/, uint64_t control) {
  if ((control & kFtz) != 0) {
    a = flushed(F, a);
    b = flushed(F, b);
  }
  uint64_t sign = 0;
  if ((control & kXorsign) != 0) {
    sign = (a ^ b) & F.sign_bit();
    a &= ~F.sign_bit();
    b &= ~F.sign_bit();
  }
  const bool a_nan = is_nan(F, a), b_nan = is_nan(F, b);
  if ((a_nan && b_nan) || ((control & kNan) != 0 && (a_nan || b_nan))) {
    return nan_of<kOp, F>(a, b, b);
  }
  const bool first =
      b_nan || (!a_nan && (kOp == FloatOp::kMin ? order<F>(a) < order<F>(b) : order<F>(a) > order<F>(b)));
  return (first ? a : b) | sign;
}

template <FloatOp kOp, Format F>
uint64_t sign_change(uint64_t a, uint64_t /*b*/, uint64_t /*c*/, uint64_t control) {
  if (F.fraction_bits != 52 && is_nan(F, a)) {
    return F.nan;
  }
  if ((control & kFtz) != 0) {
    a = flushed(F, a);
  }
  if (is_nan(F, a)) {
    return a | kQuiet64;  // both are additions of -0, to -a or |a|
  }
  return kOp == FloatOp::kNeg ? a ^ F.sign_bit() : a & ~F.sign_bit();
}

template <FloatOp kOp, Format F>
uint64_t test(uint64_t a, uint64_t b, uint64_t /*c*/, uint64_t /*control*/) {
  const uint64_t magnitude = a & ~F.sign_bit();
  switch (kOp) {
    case FloatOp::kCopysign:
      return (a & F.sign_bit()) | (b & ~F.sign_bit());
    case FloatOp::kFinite:
      return magnitude < F.exponent_mask() ? 1 : 0;
    case FloatOp::kInfinite:
      return magnitude == F.exponent_mask() ? 1 : 0;
    case FloatOp::kNumber:
      return magnitude <= F.exponent_mask() ? 1 : 0;
    case FloatOp::kNotanumber:
      return magnitude > F.exponent_mask() ? 1 : 0;
    case FloatOp::kNormal:  // and the zeros
      return magnitude == 0 || (magnitude > F.fraction_mask() && magnitude < F.exponent_mask()) ? 1 : 0;
    default:
      return magnitude != 0 && magnitude <= F.fraction_mask() ? 1 : 0;
  }
}

// d0 = kValue(s0, s1, s2, control), of pairs in both halves. Operands that are not there are as s0.
using Value = uint64_t (*)(uint64_t, uint64_t, uint64_t, uint64_t);
template <Value kValue, bool kPair>
void controlled(const Arguments& a, uint32_t mask) {
  const uint64_t control = (*a.s[kControlPlace])[0];
  const Register& x = *a.s[0];
  const Register& y = a.s[1] != nullptr ? *a.s[1] : x;
  const Register& z = a.s[2] != nullptr ? *a.s[2] : x;
  Register& d = *a.d[0];
  over_lanes(mask, [&](uint32_t l) {
    if constexpr (kPair) {
      const uint64_t low = kValue(x[l] & 0xffff, y[l] & 0xffff, z[l] & 0xffff, control);
      d[l] = low | kValue(x[l] >> 16, y[l] >> 16, z[l] >> 16, control) << 16;
    } else {
      d[l] = kValue(x[l], y[l], z[l], control);
    }
  });
}
template <Value kValue>
Fn with(FloatHow how, bool pair) {
  return {pair ? controlled<kValue, true> : controlled<kValue, false>, control_of(how), true};
}

template <FloatOp kOp>
Fn exact_fn(Number type, bool pair, FloatHow how) {
  switch (type) {
    case Number::kF32:
      return with<exactly<kOp, kF32Format>>(how, false);
    case Number::kF64:
      return with<exactly<kOp, kF64Format>>(how, false);
    default:
      break;
  }
  if constexpr (kOp <= FloatOp::kFnma) {
    if (how.round == Round::kNearest) {
      return type == Number::kF16    ? with<half<kOp, kF16Format>>(how, pair)
             : type == Number::kBf16 ? with<half<kOp, kBf16Format>>(how, pair)
                                     : Fn{};
    }
  }
  return {};
}

template <template <FloatOp, Format> class V, FloatOp kOp>
Fn by_format(Number type, bool pair, FloatHow how) {
  switch (type) {
    case Number::kF16:
      return with<V<kOp, kF16Format>::of>(how, pair);
    case Number::kBf16:
      return with<V<kOp, kBf16Format>::of>(how, pair);
    case Number::kF32:
      return with<V<kOp, kF32Format>::of>(how, false);
    case Number::kF64:
      return with<V<kOp, kF64Format>::of>(how, false);
    default:
      return {};
  }
}
template <FloatOp kOp, Format F>
struct Extreme {
  static constexpr Value of = extreme<kOp, F>;
};
template <FloatOp kOp, Format F>
struct SignChange {
  static constexpr Value of = sign_change<kOp, F>;
};
template <FloatOp kOp, Format F>
struct Test {
  static constexpr Value of = test<kOp, F>;
};

Fn exact_fn(FloatOp op, Number type, bool pair, FloatHow how) {
  switch (op) {
    case FloatOp::kAdd:
      return exact_fn<FloatOp::kAdd>(type, pair, how);
    case FloatOp::kSub:
      return exact_fn<FloatOp::kSub>(type, pair, how);
    case FloatOp::kMul:
      return exact_fn<FloatOp::kMul>(type, pair, how);
    case FloatOp::kFma:
      return exact_fn<FloatOp::kFma>(type, pair, how);
    case FloatOp::kFms:
      return exact_fn<FloatOp::kFms>(type, pair, how);
    case FloatOp::kFnma:
      return exact_fn<FloatOp::kFnma>(type, pair, how);
    case FloatOp::kDiv:
      return exact_fn<FloatOp::kDiv>(type, pair, how);
    case FloatOp::kRcp:
      return exact_fn<FloatOp::kRcp>(type, pair, how);
    default:
      return exact_fn<FloatOp::kSqrt>(type, pair, how);
  }
}

}  // namespace

Fn float_fn(FloatOp op, Number type, bool pair, FloatHow how) {
  if (op <= FloatOp::kSqrt) {
    const WarpFn fast = how.round == Round::kNearest && !how.relu ? fast_float_fn(op, type, how) : nullptr;
    return fast != nullptr ? Fn{fast} : exact_fn(op, type, pair, how);
  }
  switch (op) {
    case FloatOp::kNeg:
      return by_format<SignChange, FloatOp::kNeg>(type, pair, how);
    case FloatOp::kAbs:
      return by_format<SignChange, FloatOp::kAbs>(type, pair, how);
    case FloatOp::kMin:
      return by_format<Extreme, FloatOp::kMin>(type, pair, how);
    case FloatOp::kMax:
      return by_format<Extreme, FloatOp::kMax>(type, pair, how);
    case FloatOp::kCopysign:
      return by_format<Test, FloatOp::kCopysign>(type, pair, how);
    case FloatOp::kFinite:
      return by_format<Test, FloatOp::kFinite>(type, pair, how);
    case FloatOp::kInfinite:
      return by_format<Test, FloatOp::kInfinite>(type, pair, how);
    case FloatOp::kNumber:
      return by_format<Test, FloatOp::kNumber>(type, pair, how);
    case FloatOp::kNotanumber:
      return by_format<Test, FloatOp::kNotanumber>(type, pair, how);
    case FloatOp::kNormal:
      return by_format<Test, FloatOp::kNormal>(type, pair, how);
    default:
      return by_format<Test, FloatOp::kSubnormal>(type, pair, how);
  }
}

}  // namespace heddle::exec::arith
