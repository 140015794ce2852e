// The numbers that a tensor core of Hopper makes (ptx.md 4.4), by hand.
#include <catch2/catch.hpp>

#include <cmath>

#include "sim/exec/matrix/product.h"
#include "sim/exec/matrix/unpacked.h"
#include "tests/exec/matrix/matrix_case.h"

namespace heddle::exec::matrix {
namespace {

using test::f16;
using test::f32;

struct Dot {
  Element ab = Element::kF16, c = Element::kF32, d = Element::kF32;
  Product how = {};

  // One row by one column.
  uint64_t operator()(std::vector<uint64_t> a, std::vector<uint64_t> b, uint64_t addend) const {
    Product p = how;
    p.a = p.b = ab;
    p.c = c;
    p.d = d;
    p.m = p.n = 1;
    Words wa(1, static_cast<uint32_t>(a.size())), wb = wa, wc(1, 1), wd;
    wa.bits = std::move(a);
    wb.bits = std::move(b);
    wc.bits = {addend};
    multiply(p, {wa, wb, wc}, wd);
    return wd.bits[0];
  }
};

uint64_t two(int exponent) { return f16(std::ldexp(1.0F, exponent)); }
uint64_t two32(int exponent) { return f32(std::ldexp(1.0F, exponent)); }
// bf16 of a number that it holds.
uint64_t bf16(int exponent, float factor = 1) { return f32(std::ldexp(factor, exponent)) >> 16; }

const uint64_t kOne = f16(1), kMinusOne = f16(-1);

}  // namespace

TEST_CASE("addends are cut off 25 bits below the largest one") {
  const Dot dot;
  // 1 + x - 1
  const auto left = [&](uint64_t x, uint64_t y) { return dot({kOne, x}, {kOne, y}, f32(-1)); };
  CHECK(left(two(-13), two(-12)) == two32(-25));
  CHECK(left(two(-13), two(-13)) == 0);
  CHECK(left(f16(std::ldexp(-1.5F, -13)), two(-12)) == f32(-std::ldexp(1.0F, -25)));  // toward zero
  // Two that are cut off do not make one that is not.
  CHECK(dot({kOne, two(-13), two(-13)}, {kOne, two(-13), two(-13)}, f32(-1)) == 0);
  // The addend decides as the products do: 4 keeps 2^-23.
  CHECK(dot({f16(-2), two(-12)}, {f16(2), two(-11)}, f32(4)) == two32(-23));
  CHECK(dot({f16(-2), two(-12)}, {f16(2), two(-12)}, f32(4)) == 0);
}

TEST_CASE("a product counts with the sum of its factors' exponents") {
  const Dot dot;
  // 1.5 * 1.5 = 2.25 counts as 2^0, not as 2^1.
  const uint64_t x = f16(1.5F), y = f16(-1.5F);
  CHECK(dot({x, y, two(-13)}, {x, x, two(-12)}, 0) == two32(-25));
  // A subnormal number of f16 counts as 2^-14.
  const uint64_t small = two(-24), minus = small | 0x8000;
  CHECK(dot({small, minus, two(-20)}, {kOne, kOne, two(-20)}, 0) == 0);
  CHECK(dot({small, minus, two(-14)}, {kOne, kOne, two(-14)}, 0) == two32(-28));
  // A zero factor counts as nothing.
  CHECK(dot({0, two(-14)}, {f16(60000), two(-14)}, 0) == two32(-28));
}

TEST_CASE("f32 results are truncated") {
  const Dot dot;
  CHECK(dot({two(-12)}, {f16(1.5F * 0.0004882813F)}, f32(1)) == 0x3f800001);  // 1 + 1.5 * 2^-23
  CHECK(dot({two(-12)}, {f16(-1.5F * 0.0004882813F)}, f32(-1)) == 0xbf800001);
  CHECK(dot({two(-12)}, {f16(-0.0004882813F)}, f32(1)) == 0x3f7ffffe);  // 1 - 2^-23
  CHECK(dot({two(-13)}, {two(-12)}, f32(2)) == f32(2));
}

TEST_CASE("subnormal numbers") {
  const Dot dot;
  CHECK(dot({two(-24)}, {two(-24)}, 0) == two32(-48));
  CHECK(dot({0}, {0}, 0x00000001) == 0x00000001);
  CHECK(dot({0}, {0}, 0x80000003) == 0x80000003);
  const Dot wide = {Element::kBf16};
  CHECK(wide({bf16(-100)}, {bf16(-49)}, 0) == 0x00000001);
  CHECK(wide({bf16(-100)}, {bf16(-49, 1.75F)}, 0) == 0x00000001);
  CHECK(wide({bf16(-100)}, {bf16(-50)}, 0) == 0);
  CHECK(wide({bf16(-63)}, {bf16(-63)}, 0) == 0x00800000);
  CHECK(wide({bf16(-64)}, {bf16(-63)}, 0) == 0x00400000);
}

TEST_CASE("zeros are positive") {
  const Dot dot;
  CHECK(dot({0x8000}, {kOne}, 0x80000000) == 0);
  CHECK(dot({kOne}, {kMinusOne}, f32(1)) == 0);
  const Dot wide = {Element::kBf16};
  CHECK(wide({bf16(-100)}, {bf16(-60, -1)}, 0) == 0);
  const Dot half = {Element::kF16, Element::kF16, Element::kF16};
  CHECK(half({two(-14)}, {two(-14) | 0x8000}, 0) == 0);
}

TEST_CASE("overflow") {
  const Dot wide = {Element::kBf16};
  CHECK(wide({bf16(127), bf16(127)}, {bf16(0), bf16(0)}, 0) == 0x7f800000);
  CHECK(wide({bf16(127), bf16(127)}, {bf16(0, -1), bf16(0, -1)}, 0) == 0xff800000);
  CHECK(wide({bf16(100)}, {bf16(0)}, 0x7f7fffff) == 0x7f7fffff);
  CHECK(wide({bf16(104)}, {bf16(0)}, 0x7f7fffff) == 0x7f800000);
  // On the way there is room.
  CHECK(wide({bf16(127), bf16(127), bf16(0)}, {bf16(127), bf16(127, -1), bf16(0)}, 0) == 0);
  CHECK(wide({bf16(127), bf16(127), bf16(127)}, {bf16(1), bf16(1, -1), bf16(0)}, 0) == two32(127));
}

TEST_CASE("infinities and NaN") {
  const Dot dot;
  const uint64_t inf = 0x7c00, nan = 0x7e01;
  CHECK(dot({inf}, {kOne}, 0) == 0x7f800000);
  CHECK(dot({inf}, {kMinusOne}, f32(5)) == 0xff800000);
  CHECK(dot({inf}, {0}, 0) == 0x7fffffff);
  CHECK(dot({inf, inf}, {kOne, kMinusOne}, 0) == 0x7fffffff);
  CHECK(dot({inf}, {kOne}, 0xff800000) == 0x7fffffff);
  CHECK(dot({kOne}, {kOne}, 0xff800000) == 0xff800000);
  CHECK(dot({nan | 0x8000}, {kOne}, 0) == 0x7fffffff);
  CHECK(dot({kOne}, {kOne}, 0xffc00000) == 0x7fffffff);
  const Dot half = {Element::kF16, Element::kF16, Element::kF16};
  CHECK(half({nan}, {kOne}, 0) == 0x7fff);
  CHECK(half({inf}, {kMinusOne}, 0) == 0xfc00);
  const Dot eight = {Element::kE4m3};
  CHECK(eight({0x7f}, {0x38}, 0) == 0x7fffffff);
  CHECK(eight({0x7e}, {0x38}, 0) == f32(448));
  const Dot five = {Element::kE5m2};
  CHECK(five({0xfc}, {0x3c}, 0) == 0xff800000);
}

TEST_CASE("f16 results are rounded once, to nearest even") {
  const Dot half = {Element::kF16, Element::kF16, Element::kF16};
  CHECK(half({kOne}, {kOne}, f16(2048)) == f16(2048));
  CHECK(half({f16(3)}, {kOne}, f16(2048)) == f16(2052));
  CHECK(half({two(-6), two(-12)}, {two(-5), two(-13)}, kOne) == f16(1) + 1);  // 1 + 2^-11 + 2^-25
  CHECK(half({two(-6), two(-13)}, {two(-5), two(-13)}, kOne) == f16(1));      // 2^-26 has been cut off
  CHECK(half({f16(8)}, {kOne}, f16(65504)) == f16(65504));
  CHECK(half({f16(16)}, {kOne}, f16(65504)) == 0x7c00);
  CHECK(half({f16(300)}, {f16(-300)}, 0) == 0xfc00);
  CHECK(half({two(-12)}, {two(-12)}, 0) == 0x0001);
  CHECK(half({two(-12)}, {two(-13)}, 0) == 0);
  CHECK(half({two(-12)}, {f16(std::ldexp(1.5F, -12))}, 0) == 0x0002);
  CHECK(half({two(-7)}, {two(-7)}, 0x83ff) == 0x0001);  // 2^-14 less the largest subnormal number
}

TEST_CASE("tf32: 13 bits are cut off") {
  const Dot dot = {Element::kTf32};
  CHECK(dot({0x3f801fff}, {0x3f800000}, 0) == 0x3f800000);
  CHECK(dot({0x3f802000}, {0x3f800000}, 0) == 0x3f802000);
  CHECK(dot({0x7f800001}, {0x3f800000}, 0) == 0x7f800000);  // a NaN whose bits are cut off
}

TEST_CASE("8-bit floating point of wgmma: 13 bits") {
  Dot dot = {Element::kE4m3};
  dot.how.aligned_fraction = dot.how.result_fraction = 13;
  CHECK(dot({0x38, 0x04}, {0x38, 0x04}, 0) == f32(1));      // 1 + 2^-14
  CHECK(dot({0x38, 0x04}, {0x38, 0x08}, 0) == 0x3f800400);  // 1 + 2^-13
  CHECK(dot({0x38, 0x04}, {0x38, 0x04}, f32(-1)) == 0);
  CHECK(dot({0x38, 0x04}, {0x38, 0x08}, f32(-1)) == two32(-13));
  CHECK(dot({0}, {0}, 0x3f8007ff) == 0x3f800400);  // the addend, too
  CHECK(dot({0}, {0}, 0xbf8007ff) == 0xbf800400);
  dot.d = dot.c = Element::kF16;
  CHECK(dot({0x38, 0x20}, {0x38, 0x18}, 0) == f16(1) + 8);  // 1 + 2^-3 * 2^-4
  CHECK(dot({0x38, 0x08}, {0x38, 0x10}, 0) == f16(1));      // 1 + 2^-11: a tie
  CHECK(dot({0x38, 0x08, 0x04}, {0x38, 0x10, 0x08}, 0) == f16(1) + 1);
}

// The same rule in doubles: MMA-Sim's way to say it.
namespace {

struct Real {
  double significand;  // in (-2, 2)
  int exponent;
};
Real taken_apart(double x, int least) {
  if (x == 0) {
    return {0, -126};
  }
  const int exponent = std::max(std::ilogb(x), least);
  return {std::ldexp(x, -exponent), exponent};
}

double rule(const std::vector<double>& a, const std::vector<double>& b, double c, int least, int least_c,
            int kept) {
  std::vector<Real> addends = {taken_apart(c, least_c)};
  for (size_t i = 0; i < a.size(); ++i) {
    const Real x = taken_apart(a[i], least), y = taken_apart(b[i], least);
    if (a[i] != 0 && b[i] != 0) {
      addends.push_back({x.significand * y.significand, x.exponent + y.exponent});
    }
  }
  int largest = -126;
  for (const Real& r : addends) {
    largest = std::max(largest, r.exponent);
  }
  double sum = 0;
  for (const Real& r : addends) {
    sum += std::trunc(std::ldexp(r.significand, kept + r.exponent - largest));
  }
  return std::ldexp(sum, largest - kept);
}

uint32_t cut(double x, int fraction) {
  if (std::fabs(x) >= std::ldexp(1, 128)) {
    return x < 0 ? 0xff800000 : 0x7f800000;
  }
  const Real r = taken_apart(x, -126);
  const double cut = std::ldexp(std::trunc(std::ldexp(r.significand, fraction)), r.exponent - fraction);
  return cut == 0 ? 0 : f32(static_cast<float>(cut));
}

}  // namespace

TEST_CASE("random numbers of all bits against the rule in doubles") {
  struct Format {
    Element e;
    int kept, fraction, least;
    uint32_t bits;
  };
  uint32_t state = 1;
  const auto random = [&] { return test::mixed(++state, 5, 6); };
  for (const Format& f : {Format{Element::kF16, 25, 23, -14, 16}, Format{Element::kBf16, 25, 23, -126, 16},
                          Format{Element::kTf32, 25, 23, -126, 32}, Format{Element::kE4m3, 13, 13, -6, 8},
                          Format{Element::kE5m2, 13, 13, -14, 8}}) {
    Dot dot = {f.e};
    dot.how.aligned_fraction = f.kept;
    dot.how.result_fraction = f.fraction;
    Dot half = dot;
    half.c = half.d = Element::kF16;
    const bool to_half = f.e == Element::kF16 || f.bits == 8;
    const auto number = [&](Element e, uint64_t bits) {
      const Unpacked x = unpack(e, bits);
      return std::ldexp(x.significand, x.exponent - layout_of(e).fraction_bits);
    };
    const auto finite = [&](Element e, uint32_t bits) {
      uint64_t x = 0;
      do {
        x = random() & ((uint64_t{1} << bits) - 1);
        // Half of them near 1.
        if (random() % 2 != 0) {
          const Layout l = layout_of(e);
          const int low = l.fraction_bits + l.unused;
          const uint64_t near = (uint64_t{1} << (l.exponent_bits - 1)) - 4 + random() % 8;
          x = (x & ~(((uint64_t{1} << l.exponent_bits) - 1) << low)) | near << low;
        }
      } while (unpack(e, x).kind != Unpacked::Kind::kFinite);
      return x;
    };
    for (int times = 0; times < 20000; ++times) {
      std::vector<uint64_t> a, b;
      std::vector<double> da, db;
      for (int k = 0; k < 32 / static_cast<int>((f.bits + 7) / 8); ++k) {
        a.push_back(finite(f.e, f.bits));
        b.push_back(finite(f.e, f.bits));
        da.push_back(number(f.e, a.back()));
        db.push_back(number(f.e, b.back()));
      }
      const uint64_t c = finite(Element::kF32, 32);
      REQUIRE(dot(a, b, c) == cut(rule(da, db, number(Element::kF32, c), f.least, -126, f.kept), f.fraction));
      if (to_half) {
        const uint64_t c16 = finite(Element::kF16, 16);
        const double sum = rule(da, db, number(Element::kF16, c16), f.least, -14, f.kept);
        const uint64_t expected = __builtin_bit_cast(uint16_t, static_cast<_Float16>(sum));
        REQUIRE(half(a, b, c16) == (expected == 0x8000 ? 0 : expected));
      }
    }
  }
}

TEST_CASE("mma of 8-bit numbers: halves of four one after the other, then C") {
  Dot dot;
  dot.how.path = Path::kHalves;
  // 1 + 2^-24 twice: in a half the products meet before they are cut to 23 bits, in two halves they do not.
  const uint64_t small = two(-12);
  CHECK(dot({kOne, small, small, 0}, {kOne, small, 0, 0}, 0) == f32(1));
  CHECK(dot({small, small, kOne, 0}, {small, small, kOne, 0}, 0) == 0x3f800001);
  CHECK(dot({small, 0, kOne, small}, {small, 0, kOne, small}, 0) == 0x3f800001);
  CHECK(dot({kOne, small, small, 0}, {kOne, small, small, 0}, 0) == f32(1));
  // Elements 4 and 5 belong to the first step.
  CHECK(dot({kOne, 0, 0, 0, small, small, 0, 0}, {kOne, 0, 0, 0, small, small, 0, 0}, 0) == 0x3f800001);
  // C is added to nearest: 1 + 3 * 2^-25 would be cut to 1.
  CHECK(dot({two(-12), two(-12), 0, 0}, {two(-12), two(-13), 0, 0}, f32(1)) == 0x3f800001);
  CHECK(dot({kOne, 0, 0, 0}, {kOne, 0, 0, 0}, 0xff800000) == 0xff800000);
  CHECK(dot({0x7c00, 0, 0, 0}, {kOne, 0, 0, 0}, 0xff800000) == 0x7fffffff);
}

TEST_CASE("m8n8k4 of f16 is a chain of fused multiply-adds") {
  Dot dot;
  dot.how.path = Path::kQuads;
  const uint64_t small = two(-12);
  // From k = 0 on, each to nearest even: 1 + 2^-24 is 1, 2^-24 + 2^-24 + 1 is more.
  CHECK(dot({kOne, small, small, 0}, {kOne, small, small, 0}, 0) == f32(1));
  CHECK(dot({small, small, kOne, 0}, {small, small, kOne, 0}, 0) == 0x3f800001);
  // C comes last: -1 + 1 would leave 2^-24.
  CHECK(dot({kOne, small, 0, 0}, {kOne, small, 0, 0}, f32(-1)) == 0);
  // f16: C, then products 0 and 1, then 2 and 3; each pair is rounded before it is added.
  Dot half = dot;
  half.c = half.d = Element::kF16;
  CHECK(half({kOne, 0, small, 0}, {kMinusOne, 0, small, 0}, kOne) == two(-24));
  CHECK(half({small, 0, kOne, 0}, {small, 0, kMinusOne, 0}, kOne) == 0);
  CHECK(half({kOne, small, 0, 0}, {kOne, small, 0, 0}, kMinusOne) == 0);
}

TEST_CASE("8-bit numbers as f16 are the same numbers") {
  for (const Element e : {Element::kE4m3, Element::kE5m2}) {
    for (uint64_t bits = 0; bits < 256; ++bits) {
      const Unpacked x = unpack(e, bits), y = unpack(Element::kF16, f16_of_8_bits(e, bits));
      CHECK(x.kind == y.kind);
      if (x.kind == Unpacked::Kind::kFinite) {
        CHECK(std::ldexp(x.significand, x.exponent - layout_of(e).fraction_bits) ==
              std::ldexp(y.significand, y.exponent - 10));
        CHECK((bits >> 7 == 1) == (f16_of_8_bits(e, bits) >= 0x8000));
      }
    }
  }
}

TEST_CASE("C and D of two types") {
  CHECK(Dot{Element::kF16, Element::kF16, Element::kF32}({two(-12)}, {two(-11)}, kOne) == 0x3f800001);
  const Dot narrow = {Element::kF16, Element::kF32, Element::kF16};
  CHECK(narrow({kOne}, {kOne}, f32(2048)) == f16(2048));
  CHECK(narrow({kOne}, {f16(1000)}, f32(65000)) == 0x7c00);
  CHECK(narrow({kOne}, {kOne}, 0x7fc00000) == 0x7fff);
}

TEST_CASE("whole numbers wrap or saturate after the whole sum") {
  Dot dot = {Element::kS8, Element::kS32, Element::kS32};
  CHECK(dot({127, 1}, {1, 1}, 0x7fffffff) == 0x8000007f);
  CHECK(dot({0x80}, {0x80}, 0) == 16384);
  dot.how.satfinite = true;
  CHECK(dot({127, 1}, {1, 1}, 0x7fffffff) == 0x7fffffff);
  CHECK(dot({0xff}, {1}, 0x80000000) == 0x80000000);
  CHECK(dot({127, 0x81}, {127, 127}, 0x7fffffff) == 0x7fffffff);
  Dot four = {Element::kS4, Element::kS32, Element::kS32};
  CHECK(four({8}, {7}, 0) == static_cast<uint32_t>(-56));
  CHECK(Dot{Element::kU4, Element::kS32, Element::kS32}({15}, {15}, 0) == 225);
  Dot bits = {Element::kB1, Element::kS32, Element::kS32};
  CHECK(bits({0xff00ff00}, {0xf0f0f0f0}, 3) == 19);
  bits.how.conjunction = true;
  CHECK(bits({0xff00ff00}, {0xf0f0f0f0}, 3) == 11);
}

TEST_CASE("f64: fused multiply-adds in the order of K") {
  Dot dot = {Element::kF64, Element::kF64, Element::kF64};
  const auto d = [](double x) { return __builtin_bit_cast(uint64_t, x); };
  const double big = 9007199254740992;  // 2^53
  CHECK(dot({d(big), d(-big)}, {d(1), d(1)}, d(1)) == d(0));
  dot.how.round = arith::Round::kUp;
  CHECK(dot({d(big), d(-big)}, {d(1), d(1)}, d(1)) == d(2));
  dot.how.round = arith::Round::kZero;
  CHECK(dot({d(big), d(-big)}, {d(1), d(1)}, d(1)) == d(0));
}

TEST_CASE("wmma with .satfinite") {
  Dot half = {Element::kF16, Element::kF16, Element::kF16};
  half.how.satfinite = true;
  CHECK(half({f16(300)}, {f16(300)}, 0) == f16(65504));
  CHECK(half({f16(300)}, {f16(-300)}, 0) == f16(-65504));
  CHECK(half({0x7e00}, {kOne}, 0) == 0);
  CHECK(half({f16(3)}, {kOne}, 0) == f16(3));
}

}  // namespace heddle::exec::matrix
