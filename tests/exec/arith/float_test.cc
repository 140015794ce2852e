// Floating-point arithmetic: corners by hand, and against the host's arithmetic in each rounding mode.
#include <catch2/catch.hpp>

#include <cfenv>
#include <cmath>

#include "sim/exec/arith/real.h"
#include "tests/exec/arith/arith_case.h"

namespace heddle::exec::test {
namespace {

constexpr uint64_t kNan32 = 0x7fffffff, kNan64 = 0xfff8000000000000;
constexpr uint64_t kInf32 = 0x7f800000;
constexpr uint64_t kMinus32 = 0x80000000;

constexpr struct {
  const char* name;
  int mode;
} kModes[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

// f(a, b, c) with the host rounding as `mode` says.
template <class T, class F>
T rounded(int mode, F f, T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  std::fesetround(mode);
  volatile T r = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  return r;
}

// Bits at random with exponents near each other and special ones in between.
template <class T, class Bits>
T random_float(std::mt19937_64& random) {
  constexpr int kFraction = sizeof(T) == 4 ? 23 : 52;
  constexpr int kBias = sizeof(T) == 4 ? 127 : 1023;
  Bits x = static_cast<Bits>(random());
  switch (random() % 8) {
    case 0:  // tiny
      x &= (Bits{3} << kFraction) | ((Bits{1} << kFraction) - 1) | Bits{1} << (8 * sizeof(T) - 1);
      break;
    case 1:  // few bits
      x &= ~((Bits{1} << (kFraction - 4)) - 1);
      [[fallthrough]];
    case 2:
    case 3:
    case 4: {  // near 1
      const Bits exponent = static_cast<Bits>(kBias - 30) + static_cast<Bits>(random() % 60);
      x = (x & ((Bits{1} << kFraction) - 1)) | exponent << kFraction | (x & Bits{1} << (8 * sizeof(T) - 1));
      break;
    }
    default:
      break;
  }
  return std::bit_cast<T>(x);
}

template <class T, class Bits>
void against_host(const std::string& type, int count) {
  std::mt19937_64 random(3);
  const auto check = [&](Instruction& in, int mode, auto f, T a, T b, T c, size_t operands) {
    const T want = rounded<T>(mode, f, a, b, c);
    if (std::isnan(want)) {
      return;  // its bits are the GPU's own: below
    }
    const uint64_t got = operands == 3   ? in({bits(a), bits(b), bits(c)})
                         : operands == 2 ? in({bits(a), bits(b)})
                                         : in({bits(a)});
    INFO(type << " mode " << mode << " " << std::hexfloat << a << " " << b << " " << c);
    REQUIRE(got == bits(want));
  };
  for (const auto& [name, mode] : kModes) {
    const std::string r = std::string(".") + name + type;
    Instruction add("add" + r), sub("sub" + r), mul("mul" + r), fma("fma" + r), div("div" + r),
        rcp("rcp" + r), sqrt("sqrt" + r);
    for (int i = 0; i < count; ++i) {
      const T a = random_float<T, Bits>(random), b = random_float<T, Bits>(random);
      const T c = i % 3 == 0 ? static_cast<T>(-a * b) : random_float<T, Bits>(random);
      check(
          add, mode, [](T x, T y, T) { return x + y; }, a, b, c, 2);
      check(
          sub, mode, [](T x, T y, T) { return x - y; }, a, b, c, 2);
      check(
          mul, mode, [](T x, T y, T) { return x * y; }, a, b, c, 2);
      check(
          fma, mode, [](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c, 3);
      check(
          div, mode, [](T x, T y, T) { return x / y; }, a, b, c, 2);
      check(
          rcp, mode, [](T x, T, T) { return 1 / x; }, a, b, c, 1);
      check(
          sqrt, mode, [](T x, T, T) { return std::sqrt(x); }, std::fabs(a), b, c, 1);
    }
  }
}

// The number of a half, by arithmetic.
double half_value(const arith::Format& f, uint64_t x) {
  const auto exponent = static_cast<int>((x & f.exponent_mask()) >> f.fraction_bits);
  const double fraction =
      static_cast<double>(x & f.fraction_mask()) / static_cast<double>(f.fraction_mask() + 1);
  const double sign = (x & f.sign_bit()) != 0 ? -1 : 1;
  if (exponent == (1 << f.exponent_bits) - 1) {
    return fraction == 0 ? sign * HUGE_VAL : NAN;
  }
  return sign *
         (exponent == 0 ? std::ldexp(fraction, 1 - f.bias()) : std::ldexp(1 + fraction, exponent - f.bias()));
}

}  // namespace

TEST_CASE("f32 and f64 as the host, in four modes") {
  against_host<float, uint32_t>(".f32", 6000);
  against_host<double, uint64_t>(".f64", 6000);
}

TEST_CASE("roundings by hand") {
  // 1 + 2^-25 lies between 1 and the next number.
  CHECK(value("add.rn.f32", {1.0F, 0x1p-25F}) == bits(1.0F));
  CHECK(value("add.rp.f32", {1.0F, 0x1p-25F}) == bits(1.0F) + 1);
  CHECK(value("add.rm.f32", {-1.0F, -0x1p-25F}) == bits(-1.0F) + 1);
  CHECK(value("add.rz.f32", {1.0F, -0x1p-26F}) == bits(1.0F) - 1);
  CHECK(value("mul.rz.f32", {0x1p127F, 2.0F}) == kInf32 - 1);
  CHECK(value("mul.rn.f32", {0x1p127F, 2.0F}) == kInf32);
  CHECK(value("mul.rm.f32", {0x1p127F, -2.0F}) == (kInf32 | kMinus32));
  CHECK(value("mul.rp.f32", {0x1p-100F, 0x1p-100F}) == 1);
  CHECK(value("mul.rm.f32", {-0x1p-100F, 0x1p-100F}) == (kMinus32 | 1));
  CHECK(value("add.rm.f32", {1.0F, -1.0F}) == kMinus32);  // x - x is -0 downwards only
  CHECK(value("add.rp.f32", {1.0F, -1.0F}) == 0);
  CHECK(value("fma.rm.f64", {1.0, 1.0, -1.0}) == uint64_t{1} << 63);
  CHECK(value("fma.rz.f32", {1.0F + 0x1p-23F, 1.0F + 0x1p-23F, -1.0F}) == bits(0x1p-22F));
}

TEST_CASE("NaN, flushing, saturation") {
  CHECK(value("add.f32", {0xffc12345, bits(1.0F)}) == kNan32);
  CHECK(value("mul.f32", {kInf32, 0}) == kNan32);
  CHECK(value("fma.rn.f32", {kInf32, bits(1.0F), kInf32 | kMinus32}) == kNan32);
  CHECK(value("sqrt.rn.f32", {-1.0F}) == kNan32);
  CHECK(value("sqrt.rn.f32", {-0.0F}) == kMinus32);
  CHECK(value("neg.f32", {0x7f812345}) == kNan32);
  CHECK(value("abs.f32", {-3.0F}) == bits(3.0F));
  CHECK(value("add.f64", {uint64_t{0x7ff0000000000001}, bits(1.0)}) == 0x7ff8000000000001);
  CHECK(value("add.f64", {bits(1.0), uint64_t{0xfff8000000000007}}) == 0xfff8000000000007);
  CHECK(value("mul.f64", {bits(0.0), bits(HUGE_VAL)}) == kNan64);
  CHECK(value("add.rz.f64", {bits(HUGE_VAL), bits(-HUGE_VAL)}) == kNan64);
  CHECK(value("add.ftz.f32", {0x00000001, 0x80000002}) == 0);  // -0 + +0
  CHECK(value("add.ftz.f32", {0x80000001, 0x80000002}) == kMinus32);
  CHECK(value("mul.ftz.f32", {0x1p-100F, -0x1p-30F}) == kMinus32);
  CHECK(value("mul.rz.ftz.f32", {0x1p-100F, -0x1p-30F}) == kMinus32);
  // What rounding as a subnormal number makes the least normal one is flushed, too (asked of an H200).
  CHECK(value("mul.f32", {0x00800000, 0x3f7fffff}) == 0x00800000);
  CHECK(value("mul.ftz.f32", {0x00800000, 0x3f7fffff}) == 0);
  CHECK(value("mul.ftz.f32", {0x80ffffff, 0x3f000000}) == kMinus32);
  CHECK(value("mul.ftz.f32", {0x00800001, 0x3f7ffffe}) == 0x00800000);  // 2^-126 (1 - 2^-46)
  CHECK(value("mul.ftz.sat.f32", {0x00ffffff, 0x3f000000}) == 0);
  CHECK(value("mul.ftz.sat.f32", {0x1p-100F, 0x1p-30F}) == 0);
  CHECK(value("fma.rn.ftz.f32", {0x00ffffff, 0x3f000000, 0x80000000}) == 0);
  CHECK(value("fma.rn.ftz.f32", {0x80800001, 0x33000000, 0x00800000}) == 0);           // 1 - 2^-25 - 2^-48
  CHECK(value("fma.rn.ftz.f32", {0x80800000, 0x33000000, 0x00800000}) == 0x00800000);  // 1 - 2^-25
  CHECK(value("div.rn.ftz.f32", {0x00ffffff, 0x40000000}) == 0);
  CHECK(value("div.full.ftz.f32", {0x00ffffff, 0x40000000}) == 0);
  CHECK(value("mul.ftz.f16", {0x8400, 0x3bff}) == 0x8000);
  CHECK(value("mul.f16", {0x8400, 0x3bff}) == 0x8400);
  CHECK(value("mul.ftz.f16", {0x0400, 0x3800}) == 0);  // 2^-14 * 0.5
  CHECK(value("mul.ftz.f16", {0x8400, 0x3800}) == 0x8000);
  CHECK(value("mul.f16", {0x8400, 0x3800}) == 0x8200);
  CHECK(value("fma.rn.ftz.f16", {0x0400, 0x3800, 0x8000}) == 0);
  CHECK(value("fma.rn.ftz.f16", {0x8400, 0x0c00, 0x0400}) == 0x0400);  // 1 - 2^-12
  CHECK(value("fma.rn.ftz.f16", {0x8401, 0x0c00, 0x0400}) == 0);
  CHECK(value("mul.f32", {0x1p-100F, -0x1p-30F}) == bits(-0x1p-130F));
  CHECK(value("add.sat.f32", {0.75F, 0.5F}) == bits(1.0F));
  CHECK(value("add.sat.f32", {-0.75F, 0.5F}) == 0);
  CHECK(value("add.sat.f32", {kNan32, bits(1.0F)}) == 0);
  CHECK(value("mul.sat.f32", {-0.0F, 1.0F}) == 0);
  CHECK(value("fma.rz.sat.f32", {2.0F, 2.0F, 2.0F}) == bits(1.0F));
  CHECK(value("div.rn.f32", {1.0F, 0.0F}) == kInf32);
  CHECK(value("div.rn.f32", {0.0F, 0.0F}) == kNan32);
  CHECK(value("rcp.rn.f64", {-0.0}) == bits(-HUGE_VAL));
}

TEST_CASE("the larger and the smaller") {
  CHECK(value("min.f32", {-0.0F, 0.0F}) == kMinus32);
  CHECK(value("max.f32", {-0.0F, 0.0F}) == 0);
  CHECK(value("min.f32", {kNan32, bits(2.0F)}) == bits(2.0F));
  CHECK(value("max.f32", {bits(2.0F), 0x7fc00000}) == bits(2.0F));
  CHECK(value("max.f32", {0xffc00000, 0x7fc00000}) == kNan32);
  CHECK(value("max.NaN.f32", {bits(2.0F), 0x7fc00000}) == kNan32);
  CHECK(value("min.ftz.f32", {0x00000001, bits(1.0F)}) == 0);
  CHECK(value("min.xorsign.abs.f32", {-3.0F, 2.0F}) == bits(-2.0F));
  CHECK(value("max.xorsign.abs.f32", {-3.0F, -2.0F}) == bits(3.0F));
  CHECK(value("max.f64", {-1.0, -2.0}) == bits(-1.0));
  CHECK(value("max.f64", {0xfffa000000000000, 0x7ff0000000000001}) == 0x7ff8000000000001);
  CHECK(value("abs.f64", {0xfff0000000000001}) == 0xfff8000000000001);
  CHECK(value("min.f16x2", {0xbc003c00, 0x3c007e00}) == 0xbc003c00);
  CHECK(value("max.NaN.bf16x2", {0x3f803f80, 0x40007fc0}) == 0x40007fff);
  CHECK(value("max.f16", {0xfc00, 0x8000}) == 0x8000);
}

TEST_CASE("signs and kinds") {
  CHECK(value("copysign.f32", {-1.0F, 3.0F}) == bits(-3.0F));
  CHECK(value("copysign.f64", {1.0, -3.0}) == bits(3.0));
  CHECK(value("testp.finite.f32", {kInf32}) == 0);
  CHECK(value("testp.finite.f32", {1.0F}) == 1);
  CHECK(value("testp.infinite.f32", {kInf32 | kMinus32}) == 1);
  CHECK(value("testp.number.f64", {bits(HUGE_VAL)}) == 1);
  CHECK(value("testp.notanumber.f32", {0x7f800001}) == 1);
  CHECK(value("testp.normal.f32", {0}) == 1);
  CHECK(value("testp.normal.f32", {1}) == 0);
  CHECK(value("testp.subnormal.f32", {1}) == 1);
  CHECK(value("testp.subnormal.f64", {bits(1.0)}) == 0);
  CHECK(value("neg.f16x2", {0x3c00bc00}) == 0xbc003c00);
  CHECK(value("neg.ftz.f16", {0x0001}) == 0x8000);
  CHECK(value("abs.bf16x2", {0xbf80ff81}) == 0x3f807fff);
}

TEST_CASE("halves") {
  std::mt19937_64 random(4);
  const auto check = [&](const char* type, const arith::Format& f) {
    const std::string t = type;
    Instruction add("add.rn." + t), sub("sub.rn." + t), mul("mul.rn." + t), fma("fma.rn." + t),
        pairs("fma.rn." + t + "x2");
    for (int i = 0; i < 60000; ++i) {
      uint64_t a = random() & 0xffff, b = random() & 0xffff, c = random() & 0xffff;
      if (i % 4 == 0) {  // sums that nearly vanish, or nearly lie between two numbers
        c = arith::pack(f, arith::negated(arith::multiply(arith::unpack(f, a), arith::unpack(f, b))),
                        arith::Round::kNearest);
      }
      const arith::Real x = arith::unpack(f, a), y = arith::unpack(f, b), z = arith::unpack(f, c);
      const auto pack = [&](const arith::Real& r) { return arith::pack(f, r, arith::Round::kNearest); };
      INFO(t << " " << std::hex << a << " " << b << " " << c);
      REQUIRE(add({a, b}) == pack(arith::add(x, y, arith::Round::kNearest)));
      REQUIRE(sub({a, b}) == pack(arith::add(x, arith::negated(y), arith::Round::kNearest)));
      REQUIRE(mul({a, b}) == pack(arith::multiply(x, y)));
      const uint64_t want = pack(arith::add(arith::multiply(x, y), z, arith::Round::kNearest));
      REQUIRE(fma({a, b, c}) == want);
      REQUIRE(pairs({a | a << 16, b | b << 16, c | c << 16}) == (want | want << 16));
    }
  };
  check("f16", arith::kF16Format);
  check("bf16", arith::kBf16Format);
  CHECK(value("fma.rn.relu.f16", {0x3c00, 0xbc00, 0}) == 0);
  CHECK(value("fma.rn.relu.bf16", {0x7fc0, 0x3f80, 0}) == 0x7fff);
  CHECK(value("add.sat.f16", {0x3c00, 0x3c00}) == 0x3c00);
  CHECK(value("add.ftz.f16", {0x0001, 0x0001}) == 0);
  CHECK(value("add.f16", {0x7bff, 0x7bff}) == 0x7c00);
  CHECK(value("add.f16x2", {0x3c003c00, 0x40003c00}) == 0x42004000);
}

TEST_CASE("every half is what its bits say") {
  for (const auto* f : {&arith::kF16Format, &arith::kBf16Format}) {
    for (uint64_t x = 0; x < 0x10000; ++x) {
      const double v = half_value(*f, x);
      const arith::Real r = arith::unpack(*f, x);
      if (std::isnan(v)) {
        REQUIRE(r.kind == arith::Real::Kind::kNan);
        continue;
      }
      REQUIRE(arith::pack(arith::kF64Format, r, arith::Round::kNearest) == bits(v));
      REQUIRE(arith::pack(*f, r, arith::Round::kDown) == x);
    }
  }
}

}  // namespace heddle::exec::test
