// The approximations: special values, how far they are from the exact ones, and digests of what
// bcarlet/ptx-math (2c7dc92) computes, built with its own sources: every 4099th input from 0 on.
#include <catch2/catch.hpp>

#include <cmath>

#include "sim/base/fnv.h"
#include "tests/exec/arith/arith_case.h"

namespace heddle::exec::test {
namespace {

constexpr uint64_t kInf = 0x7f800000, kNan = 0x7fffffff, kMinus = 0x80000000;

float f32(uint64_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x)); }

// Of all 2^32 / 4099 inputs.
uint64_t digest(const char* text) {
  Instruction in(text);
  Fnv hash;
  for (uint64_t x = 0; x < uint64_t{1} << 32; x += 4099) {
    hash.add(in({x}));
  }
  return hash.value();
}

// The largest relative distance from `exact` over inputs from `least` to `most`.
template <class F>
double distance(const char* text, float least, float most, F exact, bool absolute = false) {
  Instruction in(text);
  double worst = 0;
  for (uint64_t x = bits(least); x < bits(most); x += 9973) {
    const double want = exact(double{f32(x)});
    const double off = std::fabs(f32(in({x})) - want);
    worst = std::max(worst, absolute ? off : off / std::fabs(want));
  }
  return worst;
}

}  // namespace

TEST_CASE("the special-function unit as its published model") {
  CHECK(digest("rcp.approx.f32") == 0xeba95f6e5c2c091a);
  CHECK(digest("sqrt.approx.f32") == 0x5cc8f6731a9aefc3);
  CHECK(digest("rsqrt.approx.f32") == 0xb5e470c17ac39d7c);
  CHECK(digest("lg2.approx.f32") == 0x5c23684792457190);
  CHECK(digest("ex2.approx.f32") == 0x58d155f5c3b591e0);
  CHECK(digest("sin.approx.f32") == 0x1d263d6587b6b64a);
  CHECK(digest("cos.approx.f32") == 0x278626c6ebb77931);
}

TEST_CASE("within what PTX promises") {
  CHECK(distance("rcp.approx.f32", 1e-30F, 1e30F, [](double x) { return 1 / x; }) < 0x1p-23);
  CHECK(distance("sqrt.approx.f32", 1e-30F, 1e30F, [](double x) { return std::sqrt(x); }) < 0x1p-23);
  CHECK(distance("rsqrt.approx.f32", 1e-30F, 1e30F, [](double x) { return 1 / std::sqrt(x); }) < 0x1p-22);
  CHECK(distance("lg2.approx.f32", 2.0F, 1e30F, [](double x) { return std::log2(x); }) < 0x1p-22);
  CHECK(distance(
            "lg2.approx.f32", 0.5F, 2.0F, [](double x) { return std::log2(x); }, true) < 0x1p-22);
  CHECK(distance("ex2.approx.f32", 1e-10F, 127.0F, [](double x) { return std::exp2(x); }) < 0x1p-22);
  CHECK(distance(
            "sin.approx.f32", 1e-10F, 6.28F, [](double x) { return std::sin(x); }, true) < 0x1p-20);
  CHECK(distance(
            "cos.approx.f32", 1e-10F, 6.28F, [](double x) { return std::cos(x); }, true) < 0x1p-20);
  CHECK(distance("tanh.approx.f32", 1e-30F, 10.0F, [](double x) { return std::tanh(x); }) < 0x1p-11);
}

TEST_CASE("special values") {
  CHECK(value("rcp.approx.f32", {-0.0F}) == (kInf | kMinus));
  CHECK(value("rcp.approx.f32", {kInf | kMinus}) == kMinus);
  CHECK(value("rcp.approx.f32", {2.0F}) == bits(0.5F));
  CHECK(value("rcp.approx.f32", {0x1p127F}) == bits(0x1p-127F));
  CHECK(value("rcp.approx.ftz.f32", {0x1p127F}) == 0);
  CHECK(value("rcp.approx.ftz.f32", {0x80000001}) == (kInf | kMinus));
  CHECK(value("sqrt.approx.f32", {-0.0F}) == kMinus);
  CHECK(value("sqrt.approx.f32", {-1.0F}) == kNan);
  CHECK(value("sqrt.approx.f32", {kInf}) == kInf);
  CHECK(value("rsqrt.approx.f32", {4.0F}) == bits(0.5F));
  CHECK(value("rsqrt.approx.f32", {-0.0F}) == (kInf | kMinus));
  CHECK(value("rsqrt.approx.f32", {kInf}) == 0);
  CHECK(value("rsqrt.approx.f32", {kInf | kMinus}) == kNan);
  CHECK(value("rsqrt.approx.ftz.f32", {0x00000005}) == kInf);
  CHECK(value("lg2.approx.f32", {1.0F}) == 0);
  CHECK(value("lg2.approx.f32", {0x00000001}) == bits(-149.0F));
  CHECK(value("lg2.approx.ftz.f32", {0x00000001}) == (kInf | kMinus));
  CHECK(value("lg2.approx.f32", {-1.0F}) == kNan);
  CHECK(value("ex2.approx.f32", {kInf | kMinus}) == 0);
  CHECK(value("ex2.approx.f32", {-0.0F}) == bits(1.0F));
  CHECK(value("ex2.approx.f32", {-128.0F}) == bits(0x1p-128F));
  CHECK(value("ex2.approx.ftz.f32", {-127.0F}) == 0);
  CHECK(value("ex2.approx.f32", {128.0F}) == kInf);
  CHECK(value("sin.approx.f32", {-0.0F}) == kMinus);
  CHECK(value("sin.approx.f32", {kInf}) == kNan);
  CHECK(value("cos.approx.f32", {0.0F}) == bits(1.0F));
  CHECK(value("tanh.approx.f32", {kInf | kMinus}) == bits(-1.0F));
  CHECK(value("tanh.approx.f32", {-0.0F}) == kMinus);
  CHECK(value("tanh.approx.f16x2", {0x7c008000}) == 0x3c008000);
  CHECK(value("ex2.approx.f16x2", {0x3c000000}) == 0x40003c00);
  CHECK(value("ex2.approx.ftz.bf16", {0x0001}) == 0x3f80);
}

TEST_CASE("quotients and upper words") {
  CHECK(value("div.approx.f32", {6.0F, 2.0F}) == bits(3.0F));
  CHECK(value("div.approx.f32", {1.0F, 0x1p127F}) == 0);  // the reciprocal is too small
  CHECK(value("div.approx.f32", {kInf, bits(0x1p127F)}) == kNan);
  CHECK(value("div.approx.f32", {0x1p-130F, 0x1p-130F}) == bits(1.0F));
  CHECK(value("div.full.f32", {0x1p127F, 0x1p127F}) == bits(1.0F));
  CHECK(value("div.full.f32", {0x1p-130F, 0x1p-130F}) == bits(1.0F));
  CHECK(value("div.full.ftz.f32", {0x1p-130F, 1.0F}) == 0);
  CHECK(value("rcp.approx.ftz.f64", {4.0}) == bits(0.25));
  CHECK(value("rcp.approx.ftz.f64", {uint64_t{0x8000000000000001}}) == uint64_t{0xfff} << 52);
  CHECK((value("rcp.approx.ftz.f64", {3.0}) & 0xffffffff) == 0);
  CHECK(value("rsqrt.approx.ftz.f64", {-1.0}) == 0x7fffffff00000000);
  CHECK(value("rsqrt.approx.f64", {16.0}) == bits(0.25));
}

TEST_CASE("tanh by its table") {
  // Below 2^-8 the operand itself, from 8 on 1.
  CHECK(value("tanh.approx.f32", {0x3b7fffff}) == 0x3b7fffff);
  CHECK(value("tanh.approx.f32", {0x80000001}) == 0x80000001);
  CHECK(value("tanh.approx.f32", {-8.0F}) == bits(-1.0F));
  CHECK(value("tanh.approx.f32", {0xffc00001}) == kNan);
  // An interval's first number is c0: of 0.5 0xec9a5 * 2^-21 (22 bits), of 1 0x30be12 * 2^-22.
  CHECK(value("tanh.approx.f32", {0.5F}) == bits(0x0.ec9a5p-1F));
  CHECK(value("tanh.approx.f32", {1.0F}) == bits(0x0.c2f848p0F));
  // 0.5 has intervals of 2^21 numbers, of which 4 bits do not count.
  CHECK(value("tanh.approx.f32", {0x3f00000f}) == value("tanh.approx.f32", {0.5F}));
}

TEST_CASE("halves and upper words are cut") {
  // 2^0.001 is 1.00069, below 1 + 2^-10.
  CHECK(value("ex2.approx.f16", {0x1419}) == 0x3c00);
  CHECK(value("ex2.approx.f16", {0x4c00}) == 0x7c00);       // 2^16
  CHECK(value("ex2.approx.f16", {0x4bff}) == 0x7bf4);       // 2^15.992 = 65182.06, between 65152 and 65184
  CHECK(value("ex2.approx.ftz.bf16", {0x3bb9}) == 0x3f80);  // 1.0039
  CHECK(value("tanh.approx.f16", {0x3800}) == 0x3764);      // 0.46212 = 0.4619 + 0.9 * 2^-12
  // 1 / 3 = 0x3fd55555 55..., 2^1023 has a subnormal reciprocal.
  CHECK(value("rcp.approx.ftz.f64", {3.0}) == 0x3fd5555500000000);
  CHECK(value("rcp.approx.ftz.f64", {-0x1p1023}) == uint64_t{1} << 63);
  CHECK(value("rcp.approx.ftz.f64", {0x1p1022}) == bits(0x1p-1022));
  CHECK(value("rsqrt.approx.ftz.f64", {0x1p-1022}) == bits(0x1p511));
  CHECK(value("rsqrt.approx.ftz.f64", {0x1p-1023}) == bits(HUGE_VAL));
  CHECK(value("rsqrt.approx.f64", {0x1p-1024}) == bits(0x1p512));
  CHECK(value("rsqrt.approx.f64", {-0.0}) == bits(-HUGE_VAL));
  CHECK(value("rsqrt.approx.f64", {HUGE_VAL}) == 0);
}

TEST_CASE("the upper word of 1 / sqrt has 20 bits, of even and odd exponents") {
  Instruction in("rsqrt.approx.ftz.f64");
  for (int exponent = -1022; exponent < 1024; ++exponent) {
    for (const double fraction : {0x1p0, 0x1.00001p0, 0x1.4p0, 0x1.8p0, 0x1.fffffp0}) {
      const double x = std::ldexp(fraction, exponent), exact = 1 / std::sqrt(x);
      INFO(std::hexfloat << x);
      // Half of it because the unit is 2^-22 off, one because what is below 20 bits is cut.
      REQUIRE(std::fabs(std::bit_cast<double>(in({x})) - exact) < 0x1.8p-20 * exact);
    }
  }
}

}  // namespace heddle::exec::test
