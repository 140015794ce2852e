// cvt: corners by hand, small formats exhaustively, and at random against the host.
#include <catch2/catch.hpp>

#include <cmath>

#include "sim/exec/arith/real.h"
#include "tests/exec/arith/arith_case.h"

namespace heddle::exec::test {
namespace {

constexpr uint64_t kOnes64 = ~uint64_t{0};
constexpr uint64_t kInf32 = 0x7f800000, kNan32 = 0x7fffffff;

// The number of 8 bits of e4m3 or e5m2, by arithmetic.
double small_value(uint32_t x, int fraction_bits) {
  const int bias = fraction_bits == 3 ? 7 : 15;
  const uint32_t top = fraction_bits == 3 ? 15 : 31;
  const uint32_t fraction = x & ((1U << fraction_bits) - 1), exponent = x >> fraction_bits & top;
  const double sign = (x & 0x80) != 0 ? -1 : 1;
  if (fraction_bits == 3 ? (x & 0x7f) == 0x7f : exponent == 31 && fraction != 0) {
    return NAN;
  }
  if (fraction_bits == 2 && exponent == 31) {
    return sign * HUGE_VAL;
  }
  const double part = static_cast<double>(fraction) / (1 << fraction_bits);
  return sign * (exponent == 0 ? std::ldexp(part, 1 - bias)
                               : std::ldexp(1 + part, static_cast<int>(exponent) - bias));
}

// The nearest of the finite numbers, ties to the even one.
uint32_t nearest_small(double x, int fraction_bits) {
  const uint32_t count = fraction_bits == 3 ? 0x7f : 0x7c;
  const double magnitude = std::fabs(x);
  uint32_t best = 0;
  for (uint32_t i = 1; i < count; ++i) {
    const double now = std::fabs(small_value(i, fraction_bits) - magnitude);
    const double before = std::fabs(small_value(best, fraction_bits) - magnitude);
    if (now < before || (now == before && i % 2 == 0)) {
      best = i;
    }
  }
  return best | (std::signbit(x) ? 0x80 : 0);
}

}  // namespace

TEST_CASE("whole to whole: cut, extended, clamped") {
  CHECK(value("cvt.s64.s32", {0xffffffff}) == kOnes64);
  CHECK(value("cvt.u64.u32", {0xffffffff}) == 0xffffffff);
  CHECK(value("cvt.u64.s32", {0xffffffff}) == kOnes64);
  CHECK(value("cvt.s32.s8", {0x80}) == 0xffffff80);
  CHECK(value("cvt.u32.u8", {0x1ff}) == 0xff);
  CHECK(value("cvt.s8.s32", {0x1ff}, 32) == 0xffffffff);  // into a register of 32 bits: extended
  CHECK(value("cvt.s8.s32", {0x1ff}, 16) == 0xffff);
  CHECK(value("cvt.u8.s32", {0x1ff}, 32) == 0xff);
  CHECK(value("cvt.u16.u64", {0x123456789}) == 0x6789);
  CHECK(value("cvt.sat.s8.s32", {1000}, 32) == 127);
  CHECK(value("cvt.sat.s8.s32", {0xfffffc18}, 32) == 0xffffff80);
  CHECK(value("cvt.sat.u8.s32", {0xfffffc18}, 32) == 0);
  CHECK(value("cvt.sat.u16.s64", {kOnes64 >> 1}) == 0xffff);
  CHECK(value("cvt.sat.s32.u32", {0xffffffff}) == 0x7fffffff);
  CHECK(value("cvt.sat.u32.s32", {0xffffffff}) == 0);
  CHECK(value("cvt.pack.sat.s16.s32", {100000, 0xffff0000}) == 0x7fff8000);
  CHECK(value("cvt.pack.sat.u8.s32.b32", {300, 0xffffffff, 0xabcd}) == 0xabcdff00);
  CHECK(value("cvt.pack.sat.s4.s32.b32", {100, 0xffffff00, 1}) == 0x178);
  CHECK(value("cvt.pack.sat.u2.s32.b32", {2, 5, 0}) == 0xb);
}

TEST_CASE("floating point to whole numbers") {
  CHECK(value("cvt.rni.s32.f32", {2.5F}) == 2);
  CHECK(value("cvt.rni.s32.f32", {3.5F}) == 4);
  CHECK(value("cvt.rzi.s32.f32", {-2.9F}) == 0xfffffffe);
  CHECK(value("cvt.rmi.s32.f32", {-2.1F}) == 0xfffffffd);
  CHECK(value("cvt.rpi.s32.f32", {2.1F}) == 3);
  CHECK(value("cvt.rzi.s32.f32", {3e9F}) == 0x7fffffff);
  CHECK(value("cvt.rzi.s32.f32", {-3e9F}) == 0x80000000);
  CHECK(value("cvt.rzi.u32.f32", {-1.0F}) == 0);
  CHECK(value("cvt.rzi.u32.f32", {kInf32}) == 0xffffffff);
  CHECK(value("cvt.rzi.u32.f32", {3e9F}) == 3000000000U);
  CHECK(value("cvt.rzi.s32.f32", {kNan32}) == 0);
  CHECK(value("cvt.rzi.u32.f32", {kNan32}) == 0);
  CHECK(value("cvt.rzi.s64.f32", {kNan32}) == uint64_t{1} << 63);
  CHECK(value("cvt.rzi.u64.f32", {kNan32}) == uint64_t{1} << 63);
  CHECK(value("cvt.rzi.s32.f64", {kOnes64}) == 0x80000000);
  CHECK(value("cvt.rni.s64.f64", {-0x1.8p0}) == kOnes64 - 1);
  CHECK(value("cvt.rzi.u64.f64", {0x1p64}) == kOnes64);
  CHECK(value("cvt.rzi.s8.f32", {200.0F}, 32) == 127);
  CHECK(value("cvt.rzi.s16.f32", {-40000.0F}, 32) == 0xffff8000);
  CHECK(value("cvt.rpi.s32.f32", {0x00000001}) == 1);
  CHECK(value("cvt.rpi.ftz.s32.f32", {0x00000001}) == 0);
  CHECK(value("cvt.rni.u16.f16", {0x7bff}) == 65504);
  CHECK(value("cvt.rni.f32.f32", {-0.4F}) == bits(-0.0F));
  CHECK(value("cvt.rpi.f64.f64", {0.1}) == bits(1.0));
  CHECK(value("cvt.rmi.f16.f16", {0xb800}) == 0xbc00);  // -0.5
  // A register that is wider than the type has the number itself: with its sign, if the type has one.
  CHECK(value("cvt.rzi.s32.f32", {-1.5F}, 64) == kOnes64);
  CHECK(value("cvt.rzi.s32.f32", {-3e9F}, 64) == 0xffffffff80000000);
  CHECK(value("cvt.rzi.u32.f32", {3e9F}, 64) == 3000000000U);
  CHECK(value("cvt.rzi.s32.f64", {-2.5}, 64) == kOnes64 - 1);
}

TEST_CASE("whole numbers to floating point") {
  CHECK(value("cvt.rn.f32.s32", {0xffffffff}) == bits(-1.0F));
  CHECK(value("cvt.rn.f32.u32", {0xffffffff}) == bits(0x1p32F));
  CHECK(value("cvt.rz.f32.u32", {0xffffffff}) == bits(0x1.fffffep31F));
  CHECK(value("cvt.rm.f32.s32", {0x80000001}) == bits(-0x1p31F));
  CHECK(value("cvt.rn.f64.s32", {0x80000000}) == bits(-0x1p31));
  CHECK(value("cvt.rn.f32.u64", {kOnes64}) == bits(0x1p64F));
  CHECK(value("cvt.rz.f64.u64", {kOnes64}) == bits(0x1.fffffffffffffp63));
  CHECK(value("cvt.rn.f16.u32", {100000}) == 0x7c00);
  CHECK(value("cvt.rz.f16.u32", {100000}) == 0x7bff);
  CHECK(value("cvt.rn.f32.s8", {0xff}) == bits(-1.0F));
  CHECK(value("cvt.rn.bf16.s32", {257}) == 0x4380);
  CHECK(value("cvt.rp.f32.s32", {0}) == 0);
}

TEST_CASE("between floating-point types") {
  CHECK(value("cvt.f64.f32", {0x00000001}) == bits(0x1p-149));
  CHECK(value("cvt.ftz.f64.f32", {0x80000001}) == bits(-0.0));
  CHECK(value("cvt.rn.f32.f64", {0x1.000001p0}) == bits(1.0F));
  CHECK(value("cvt.rp.f32.f64", {0x1.000001p0}) == bits(1.0F) + 1);
  CHECK(value("cvt.rn.f32.f64", {1e300}) == kInf32);
  CHECK(value("cvt.rz.f32.f64", {1e300}) == kInf32 - 1);
  CHECK(value("cvt.rn.ftz.f32.f64", {0x1p-140}) == 0);
  // NaN from f64 keeps its sign and top bits (tests/exec/oracle).
  CHECK(value("cvt.rn.f32.f64", {kOnes64}) == 0xffffffff);
  CHECK(value("cvt.rn.f32.f64", {0x7ff0000000000001}) == 0x7fc00000);
  CHECK(value("cvt.rn.f16.f64", {0xfffa000000000000}) == 0xfe80);
  CHECK(value("cvt.rn.tf32.f32", {0x7fc00000}) == 0x7fffe000);
  CHECK(value("cvt.rn.sat.f32.f64", {2.0}) == bits(1.0F));
  CHECK(value("cvt.sat.f32.f32", {-1.0F}) == 0);
  CHECK(value("cvt.sat.f32.f32", {kNan32}) == 0);
  CHECK(value("cvt.rn.f16.f32", {65520.0F}) == 0x7c00);
  CHECK(value("cvt.rn.f16.f32", {65519.0F}) == 0x7bff);
  CHECK(value("cvt.rn.satfinite.f16.f32", {1e9F}) == 0x7bff);
  CHECK(value("cvt.rn.f16.f32", {0x1p-25F}) == 0);
  CHECK(value("cvt.rn.f16.f32", {0x1.8p-25F}) == 1);
  CHECK(value("cvt.rp.f16.f32", {0x1p-40F}) == 1);
  CHECK(value("cvt.rn.relu.f16.f32", {-1.0F}) == 0);
  CHECK(value("cvt.rn.bf16.f32", {0x3f808000}) == 0x3f80);
  CHECK(value("cvt.rn.bf16.f32", {0x3f818000}) == 0x3f82);
  CHECK(value("cvt.rz.bf16.f32", {0x3f81ffff}) == 0x3f81);
  CHECK(value("cvt.rn.bf16.f32", {0xffc00001}) == 0x7fff);
  CHECK(value("cvt.f32.bf16", {0x7f81}) == 0x7f810000);
  CHECK(value("cvt.rn.f16x2.f32", {1.0F, 2.0F}) == 0x3c004000);  // the first is the high half
  CHECK(value("cvt.rn.relu.bf16x2.f32", {-1.0F, 2.0F}) == 0x4000);
  CHECK(value("cvt.rz.f16x2.f32", {65520.0F, 1.0F}) == 0x7bff3c00);
  CHECK(value("cvt.rna.tf32.f32", {0x3f801000}) == 0x3f802000);  // a tie goes away from zero
  CHECK(value("cvt.rn.tf32.f32", {0x3f801000}) == 0x3f800000);
  // 2^-126 (1 - 2^-24) and (1 - 2^-25), asked of an H200.
  CHECK(value("cvt.rn.f32.f64", {0x380fffffe0000000}) == 0x00800000);
  CHECK(value("cvt.rn.ftz.f32.f64", {0x380fffffe0000000}) == 0);
  CHECK(value("cvt.rn.ftz.f32.f64", {0x380ffffff8000000}) == 0x00800000);
  CHECK(value("cvt.rp.ftz.f32.f64", {0x380fffffe0000000}) == 0);
  CHECK(value("cvt.rp.ftz.f32.f64", {0x380ffffff0000000}) == 0x00800000);
  // NaN are cut, which makes infinity of one; .satfinite takes the last unit away.
  CHECK(value("cvt.rna.tf32.f32", {0xffd01fff}) == 0xffd00000);
  CHECK(value("cvt.rna.tf32.f32", {0x7f800001}) == 0x7f800000);
  CHECK(value("cvt.rna.satfinite.tf32.f32", {0x7f800001}) == 0x7f7fe000);
  CHECK(value("cvt.rna.satfinite.tf32.f32", {0x7fffffff}) == 0x7fffc000);
  CHECK(value("cvt.rna.satfinite.tf32.f32", {0xff800000}) == 0xff7fe000);
  CHECK(value("cvt.rz.tf32.f32", {0x3f801fff}) == 0x3f800000);
}

TEST_CASE("NaN keeps its sign and the bits that there is room for, and is quiet") {
  const struct {
    const char* text;
    int from, to;  // bits of the fractions
    uint64_t infinite, sign, expected, expected_sign;
  } forms[] = {
      {"cvt.f64.f16", 10, 52, 0x7c00, 0x8000, uint64_t{0xfff} << 51, uint64_t{1} << 63},
      {"cvt.f64.bf16", 7, 52, 0x7f80, 0x8000, uint64_t{0xfff} << 51, uint64_t{1} << 63},
      {"cvt.f64.f32", 23, 52, kInf32, 0x80000000, uint64_t{0xfff} << 51, uint64_t{1} << 63},
      {"cvt.rn.f32.f64", 52, 23, uint64_t{0x7ff} << 52, uint64_t{1} << 63, 0x7fc00000, 0x80000000},
      {"cvt.rz.f32.f64", 52, 23, uint64_t{0x7ff} << 52, uint64_t{1} << 63, 0x7fc00000, 0x80000000},
      {"cvt.rn.f16.f64", 52, 10, uint64_t{0x7ff} << 52, uint64_t{1} << 63, 0x7e00, 0x8000},
      {"cvt.rn.bf16.f64", 52, 7, uint64_t{0x7ff} << 52, uint64_t{1} << 63, 0x7fc0, 0x8000},
  };
  for (const auto& f : forms) {
    Instruction in(f.text);
    for (int bit = 0; bit < f.from; ++bit) {
      const int at = bit + f.to - f.from;  // below 0: cut off
      const uint64_t want = f.expected | (at >= 0 ? uint64_t{1} << at : 0);
      INFO(f.text << " " << bit);
      CHECK(in({f.infinite | uint64_t{1} << bit}) == want);
      CHECK(in({f.infinite | uint64_t{1} << bit | f.sign}) == (want | f.expected_sign));
    }
  }
  // What is flushed is one NaN before it is widened.
  CHECK(value("cvt.ftz.f64.f32", {0xff800001}) == 0x7fffffffe0000000);
}

TEST_CASE("halves and back, every one") {
  Instruction up("cvt.f32.f16"), down("cvt.rn.f16.f32"), up64("cvt.f64.f16"), down64("cvt.rz.f16.f64"),
      bf_up("cvt.f32.bf16"), bf_down("cvt.rn.bf16.f32");
  for (uint64_t x = 0; x < 0x10000; ++x) {
    if (arith::is_nan(arith::kF16Format, x)) {
      REQUIRE(up({x}) == kNan32);
    } else {
      REQUIRE(down({up({x})}) == x);
      REQUIRE(down64({up64({x})}) == x);
      REQUIRE(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(up({x})))) ==
              std::bit_cast<double>(up64({x})));
    }
    if (!arith::is_nan(arith::kBf16Format, x)) {
      REQUIRE(bf_down({bf_up({x})}) == x);
    }
  }
}

TEST_CASE("e4m3 and e5m2, every one and what lies between them") {
  const struct {
    const char* type;
    int fraction_bits;
  } formats[] = {{"e4m3x2", 3}, {"e5m2x2", 2}};
  for (const auto& [type, fraction_bits] : formats) {
    Instruction up(std::string("cvt.rn.f16x2.") + type),
        down(std::string("cvt.rn.satfinite.") + type + ".f32"),
        pair(std::string("cvt.rn.satfinite.") + type + ".f16x2");
    for (uint32_t x = 0; x < 256; ++x) {
      const double v = small_value(x, fraction_bits);
      const uint64_t got = up({x | 0x3800});
      const double half = std::isnan(v) ? 0 : v;
      INFO(type << " " << x);
      if (std::isnan(v)) {
        REQUIRE((got & 0xffff) == 0x7fff);
      } else {
        REQUIRE(value("cvt.f64.f16", {got & 0xffff}) == bits(half));
        const uint64_t most = std::isinf(v) ? x - 1 : x;  // satfinite
        REQUIRE((pair({got}) & 0xff) == most);
        REQUIRE(down({1.0F, static_cast<float>(v)}) ==
                (most | (fraction_bits == 3 ? uint64_t{0x3800} : uint64_t{0x3c00})));
      }
    }
    std::mt19937 random(5);
    for (int i = 0; i < 3000; ++i) {
      const auto f = static_cast<float>(std::ldexp(static_cast<double>(random() % 4096) / 4096 + 0.5,
                                                   static_cast<int>(random() % 40) - 22));
      const float x = i % 2 == 0 ? f : -f;
      INFO(x);
      REQUIRE(down({0.0F, x}) == nearest_small(x, fraction_bits));
    }
    CHECK((down({0.0F, kNan32})) == 0x7f);
    CHECK((down({0.0F, kInf32})) == (fraction_bits == 3 ? 0x7e : 0x7b));
  }
  CHECK(value("cvt.rn.satfinite.relu.e4m3x2.f32", {-1.0F, 1.0F}) == 0x38);
  CHECK(value("cvt.rn.relu.f16x2.e5m2x2", {0xbc3c}) == 0x3c00);
}

TEST_CASE("at random against the host") {
  std::mt19937_64 random(6);
  Instruction s32("cvt.rzi.s32.f32"), s64("cvt.rzi.s64.f64"), from64("cvt.rn.f32.s64"), u64("cvt.rn.f64.u64"),
      f32("cvt.rn.f32.f64"), u32("cvt.rzi.u32.f64");
  for (int i = 0; i < 20000; ++i) {
    const auto f = static_cast<float>(std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -40));
    const double d =
        std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -static_cast<int>(random() % 64));
    const uint64_t n = random() >> random() % 64;
    if (std::fabs(f) < 0x1p31F) {
      REQUIRE(s32({f}) == static_cast<uint32_t>(static_cast<int32_t>(f)));
    }
    if (std::fabs(d) < 0x1p63) {
      REQUIRE(s64({d}) == static_cast<uint64_t>(static_cast<int64_t>(d)));
    }
    if (d >= 0 && d < 0x1p32) {
      REQUIRE(u32({d}) == static_cast<uint32_t>(d));
    }
    REQUIRE(from64({n}) == bits(static_cast<float>(static_cast<int64_t>(n))));
    REQUIRE(u64({n}) == bits(static_cast<double>(n)));
    REQUIRE(f32({d}) == bits(static_cast<float>(d)));
  }
}

}  // namespace heddle::exec::test
