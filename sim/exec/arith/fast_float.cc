#include "sim/exec/arith/fast_float.h"

#include <array>
#include <cmath>
#include <type_traits>

#include "sim/exec/arith/lanes.h"

namespace heddle::exec::arith {
namespace {

constexpr uint32_t kNan32 = 0x7fffffff;
constexpr float kLeastNormal = 0x1p-126F;

float flush(float x) { return std::fabs(x) < kLeastNormal ? std::copysign(0.0F, x) : x; }

// clang-format off
struct Add { template <class T> static T of(T a, T b) { return a + b; } };
struct Sub { template <class T> static T of(T a, T b) { return a - b; } };
struct Mul { template <class T> static T of(T a, T b) { return a * b; } };
struct Div { template <class T> static T of(T a, T b) { return a / b; } };
struct Fma { template <class T> static T of(T a, T b, T c) { return std::fma(a, b, c); } };
struct Fms { template <class T> static T of(T a, T b, T c) { return std::fma(a, b, -c); } };
struct Fnma { template <class T> static T of(T a, T b, T c) { return std::fma(-a, b, c); } };
struct Rcp { template <class T> static T of(T a) { return 1 / a; } };
struct Sqrt { template <class T> static T of(T a) { return std::sqrt(a); } };
// clang-format on

// Of a result that is the least normal number: whether only its rounding as a subnormal number has made it
// that. Sums are exact there.
template <class Op>
bool was_subnormal(float a, float b) {
  return (std::is_same_v<Op, Mul> && std::fabs(double{a} * b) < kBelowLeast) ||
         (std::is_same_v<Op, Div> && std::fabs(double{a} / b) < kBelowLeast);
}
template <class Op>
bool was_subnormal(float a, float b, float c) {
  const double product = std::is_same_v<Op, Fnma> ? -double{a} * b : double{a} * b;
  const double addend = std::is_same_v<Op, Fms> ? -double{c} : double{c};
  const double sum = product + addend, part = sum - product;
  const double lost = (product - (sum - part)) + (addend - part);
  return std::fabs(sum) < kBelowLeast || (std::fabs(sum) == kBelowLeast && sum * lost < 0);
}
template <class Op>
bool was_subnormal(float /*a*/) {
  return false;
}

template <class Op, bool kFtz, bool kSat>
struct Single {
  template <class... T>
  static uint32_t of(T... x) {
    float r = kFtz ? Op::of(flush(x)...) : Op::of(x...);
    if constexpr (kFtz) {
      r = std::fabs(r) == kLeastNormal && was_subnormal<Op>(flush(x)...) ? std::copysign(0.0F, r) : flush(r);
    }
    if constexpr (kSat) {  // NaN to 0
      return std::bit_cast<uint32_t>(r > 0 ? (r < 1 ? r : 1.0F) : 0.0F);
    }
    return std::isnan(r) ? kNan32 : std::bit_cast<uint32_t>(r);
  }
};

template <class Op>
struct Double {
  static constexpr uint64_t kNan = 0xfff8000000000000;
  template <class... T>
  static uint64_t of(T... x) {
    const double r = Op::of(x...);
    if (!std::isnan(r)) {
      return std::bit_cast<uint64_t>(r);
    }
    // The second operand's, else the third's, else the first's; of division, which is a sequence, the
    // first's.
    const std::array<double, sizeof...(T)> all = {x...};
    const size_t first = std::is_same_v<Op, Div> || all.size() == 1 ? 0 : 1;
    for (size_t i = 0; i < all.size(); ++i) {
      if (const double operand = all[(first + i) % all.size()]; std::isnan(operand)) {
        return std::bit_cast<uint64_t>(operand) | uint64_t{1} << 51;
      }
    }
    return kNan;
  }
};

template <class Op, unsigned N>
WarpFn of_type(Number type, FloatHow how) {
  if (type == Number::kF64) {
    return mapped<Double<Op>, double, N>();
  }
  if (type != Number::kF32) {
    return nullptr;
  }
  return how.ftz ? (how.sat ? mapped<Single<Op, true, true>, float, N>()
                            : mapped<Single<Op, true, false>, float, N>())
                 : (how.sat ? mapped<Single<Op, false, true>, float, N>()
                            : mapped<Single<Op, false, false>, float, N>());
}

}  // namespace

WarpFn fast_float_fn(FloatOp op, Number type, FloatHow how) {
  switch (op) {
    case FloatOp::kAdd:
      return of_type<Add, 2>(type, how);
    case FloatOp::kSub:
      return of_type<Sub, 2>(type, how);
    case FloatOp::kMul:
      return of_type<Mul, 2>(type, how);
    case FloatOp::kFma:
      return of_type<Fma, 3>(type, how);
    case FloatOp::kFms:
      return of_type<Fms, 3>(type, how);
    case FloatOp::kFnma:
      return of_type<Fnma, 3>(type, how);
    case FloatOp::kDiv:
      return of_type<Div, 2>(type, how);
    case FloatOp::kRcp:
      return of_type<Rcp, 1>(type, how);
    case FloatOp::kSqrt:
      return of_type<Sqrt, 1>(type, how);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec::arith
