#include "sim/exec/arith/machine_float.h"

#include <bit>
#include <cmath>

#include "sim/exec/arith/fast_float.h"
#include "sim/exec/arith/lanes.h"
#include "sim/exec/arith/mufu.h"
#include "sim/exec/arith/special.h"

namespace heddle::exec::arith {
namespace {

template <uint32_t (*kFunction)(uint32_t)>
struct Function {
  static uint32_t of(uint32_t x) { return kFunction(x); }
};

struct DivisionCheck {
  // An H200's answers for all pairs of exponents, 25 pairs of fractions each (2026-11-24): fractions and
  // signs do not matter.
  static bool of(uint32_t a, uint32_t b) {
    const auto ea = static_cast<int>(a >> 23 & 255), eb = static_cast<int>(b >> 23 & 255);
    return ea <= 24 || ea == 255 || eb <= 1 || eb >= 252 || ea - eb <= -125 || ea - eb >= 127;
  }
};

constexpr uint64_t kFtz = 1, kSat = 2;

void scaled(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  const uint64_t* const x = a.s[0]->data();
  const uint64_t* const y = a.s[1]->data();
  const uint64_t control = a.control & 3;
  const auto scale = std::bit_cast<double>(a.control & ~uint64_t{3});
  over_lanes(mask, [=](uint32_t l) {
    auto p = static_cast<uint32_t>(x[l]), q = static_cast<uint32_t>(y[l]);
    if ((control & kFtz) != 0) {
      p = static_cast<uint32_t>(flushed(kF32Format, p));
      q = static_cast<uint32_t>(flushed(kF32Format, q));
    }
    const double product = double{std::bit_cast<float>(p)} * double{std::bit_cast<float>(q)} * scale;
    const auto r = static_cast<float>(product);
    uint64_t out = std::isnan(r) ? kF32Format.nan : std::bit_cast<uint32_t>(r);
    if ((control & kFtz) != 0 && std::fabs(product) < kBelowLeast) {
      out &= kF32Format.sign_bit();
    }
    if ((control & kSat) != 0) {
      out = std::isnan(r) || r < 0 ? 0 : r > 1 ? std::bit_cast<uint32_t>(1.0F) : out;
    }
    d[l] = out;
  });
}

void half_sum(const Arguments& a, uint32_t mask) {
  uint64_t* const d = a.d[0]->data();
  const uint64_t* const x = a.s[0]->data();
  const uint64_t* const y = a.s[1]->data();
  const bool bf16 = a.control != 0;
  over_lanes(mask, [=](uint32_t l) {
    const auto value = [&](uint64_t v) {
      return bf16 ? half_to_double<kBf16Format>(v & 0xffff) : half_to_double<kF16Format>(v & 0xffff);
    };
    // One of them is 0 in all code that was seen: the sum of two is rounded once, from double.
    const double sum = value(x[l]) + value(y[l]);
    const auto r = static_cast<float>(sum);
    d[l] = std::isnan(r) ? kF32Format.nan : std::bit_cast<uint32_t>(r);
  });
}

}  // namespace

WarpFn special_word_fn(MachineFunction f) {
  switch (f) {
    case MachineFunction::kCos:
      return map<Function<mufu_cos_of_turns>, uint32_t>;
    case MachineFunction::kSin:
      return map<Function<mufu_sin_of_turns>, uint32_t>;
    case MachineFunction::kEx2:
      return special_fn(SpecialOp::kEx2, Number::kF32, false, true);
    case MachineFunction::kLg2:
      return special_fn(SpecialOp::kLg2, Number::kF32, false, true);
    case MachineFunction::kRcp:
      return special_fn(SpecialOp::kRcp, Number::kF32, false, true);
    case MachineFunction::kRsq:
      return special_fn(SpecialOp::kRsqrt, Number::kF32, false, true);
    case MachineFunction::kRcp64h:
      return map<Function<mufu_rcp64h>, uint32_t>;
    case MachineFunction::kRsq64h:
      return map<Function<mufu_rsqrt64h>, uint32_t>;
    case MachineFunction::kSqrt:
      return special_fn(SpecialOp::kSqrt, Number::kF32, false, true);
    case MachineFunction::kTanh:
      return map<Function<mufu_tanh>, uint32_t>;
  }
  return nullptr;
}

WarpFn division_check_fn() { return map<DivisionCheck, uint32_t, uint32_t>; }

WarpFn scaled_product_fn() { return scaled; }
uint64_t scaled_product(double scale, FloatHow how) {
  return std::bit_cast<uint64_t>(scale) | (how.ftz ? kFtz : 0) | (how.sat ? kSat : 0);
}

WarpFn half_sum_fn() { return half_sum; }

}  // namespace heddle::exec::arith
