// Whole numbers: values by hand at the corners, and many at random against wider arithmetic.
#include <catch2/catch.hpp>

#include "tests/exec/arith/arith_case.h"

namespace heddle::exec::test {
namespace {

constexpr uint64_t kMin32 = 0x80000000, kMax32 = 0x7fffffff, kOnes32 = 0xffffffff;
constexpr uint64_t kMin64 = uint64_t{1} << 63, kOnes64 = ~uint64_t{0};

}  // namespace

TEST_CASE("sums wrap or saturate") {
  CHECK(value("add.u32", {kOnes32, 2}) == 1);
  CHECK(value("add.s16", {0x7fff, 1}) == 0x8000);
  CHECK(value("add.u64", {kOnes64, 3}) == 2);
  CHECK(value("sub.u16", {0, 1}) == 0xffff);
  CHECK(value("sub.s64", {0, 1}) == kOnes64);
  CHECK(value("add.sat.s32", {kMax32, 1}) == kMax32);
  CHECK(value("add.sat.s32", {kMin32, kOnes32}) == kMin32);
  CHECK(value("sub.sat.s32", {kMin32, 1}) == kMin32);
  CHECK(value("sub.sat.s32", {0, kMin32}) == kMax32);
  CHECK(value("add.u16x2", {0xffff0001, 0x00020003}) == 0x00010004);
  CHECK(value("add.s16x2", {0x7fff8000, 0x0001ffff}) == 0x80007fff);
}

TEST_CASE("carries") {
  Instruction add("add.cc.u32"), addc("addc.u32"), addc_out("addc.cc.u32");
  CHECK(add({kOnes32, 1}) == 0);
  CHECK(add.carry == 1);
  CHECK(add({5, 6}) == 11);
  CHECK(add.carry == 0);
  addc.carry = 1;
  CHECK(addc({5, 6}) == 12);
  CHECK(addc.carry == 1);  // left as it was
  addc_out.carry = 1;
  CHECK(addc_out({kOnes32, 0}) == 0);
  CHECK(addc_out.carry == 1);
  addc_out.carry = 1;
  CHECK(addc_out({kOnes32, kOnes32}) == kOnes32);
  CHECK(addc_out.carry == 1);

  Instruction sub("sub.cc.s64"), subc("subc.cc.s64");
  CHECK(sub({3, 4}) == kOnes64);
  CHECK(sub.carry == 0);  // borrowed: no carry out of 3 + ~4 + 1
  CHECK(sub({4, 4}) == 0);
  CHECK(sub.carry == 1);
  subc.carry = 0;
  CHECK(subc({4, 3}) == 0);
  CHECK(subc.carry == 1);
  subc.carry = 0;
  CHECK(subc({0, kOnes64}) == 0);
  CHECK(subc.carry == 0);
  CHECK(sub({3, 4}) == kOnes64);
  addc.carry = sub.carry;
  CHECK(addc({0, 0}) == 0);  // the flag is one for both

  Instruction low("mad.lo.cc.u32"), high("madc.hi.cc.u32"), signed_high("mad.hi.cc.s32");
  CHECK(low({0x10000, 0x10001, kOnes32}) == 0xffff);  // product 0x1'00010000, its low word + 0xffffffff
  CHECK(low.carry == 1);
  high.carry = 1;
  CHECK(high({0x10000, 0x10001, kOnes32}) == 1);
  CHECK(high.carry == 1);
  CHECK(signed_high({kOnes32, 1, 1}) == 0);  // the high word of -1 is all ones
  CHECK(signed_high.carry == 1);
}

TEST_CASE("products") {
  CHECK(value("mul.lo.s32", {kOnes32, 7}) == 0xfffffff9);
  CHECK(value("mul.lo.u16", {0xffff, 0xffff}) == 1);
  CHECK(value("mul.hi.u32", {kOnes32, kOnes32}) == 0xfffffffe);
  CHECK(value("mul.hi.s32", {kMin32, kMin32}) == 0x40000000);
  CHECK(value("mul.hi.s16", {0xffff, 1}) == 0xffff);
  CHECK(value("mul.hi.u64", {kOnes64, kOnes64}) == kOnes64 - 1);
  CHECK(value("mul.hi.s64", {kOnes64, 1}) == kOnes64);
  CHECK(value("mul.wide.s32", {kOnes32, 2}) == kOnes64 - 1);
  CHECK(value("mul.wide.u32", {kOnes32, 2}) == 0x1fffffffe);
  CHECK(value("mul.wide.s16", {0x8000, 0x8000}) == 0x40000000);
  CHECK(value("mul.wide.u16", {0xffff, 0xffff}) == 0xfffe0001);
  CHECK(value("mad.lo.s32", {3, 4, kOnes32}) == 11);
  CHECK(value("mad.hi.u32", {kOnes32, kOnes32, 5}) == 3);
  CHECK(value("mad.hi.sat.s32", {kMax32, kMax32, kMax32}) == kMax32);
  CHECK(value("mad.hi.sat.s32", {kMin32, kMax32, kMin32}) == kMin32);
  CHECK(value("mad.wide.s32", {kOnes32, 3, 10}) == 7);
  CHECK(value("mad.wide.u16", {0xffff, 2, kOnes32}) == 0x1fffd);
  CHECK(value("mul24.lo.u32", {0xff000002, 0xff000003}) == 6);  // the top 8 bits do not count
  CHECK(value("mul24.lo.s32", {0x00ffffff, 5}) == 0xfffffffb);
  CHECK(value("mul24.hi.u32", {0xffffff, 0xffffff}) == 0xfffffe00);  // bits 47 to 16 of 0xfffffe000001
  CHECK(value("mul24.hi.s32", {0x800000, 0x800000}) == 0x40000000);
  CHECK(value("mad24.lo.u32", {3, 4, 5}) == 17);
  CHECK(value("mad24.hi.s32", {0x800000, 0x800000, 1}) == 0x40000001);
  CHECK(value("mad24.hi.sat.s32", {0x800000, 0x800000, 0x70000000}) == kMax32);
}

TEST_CASE("quotients, remainders, differences, signs") {
  CHECK(value("div.s32", {0xfffffff9, 2}) == 0xfffffffd);  // -7 / 2 = -3
  CHECK(value("rem.s32", {0xfffffff9, 2}) == kOnes32);     // the sign of -7
  CHECK(value("rem.s32", {7, 0xfffffffe}) == 1);
  CHECK(value("div.u32", {0xfffffff9, 2}) == 0x7ffffffc);
  CHECK(value("div.s32", {kMin32, kOnes32}) == kMin32);
  CHECK(value("rem.s32", {kMin32, kOnes32}) == 0);
  CHECK(value("div.s64", {kMin64, kOnes64}) == kMin64);
  CHECK(value("rem.s64", {kMin64, kOnes64}) == 0);
  CHECK(value("div.s16", {0x8000, 0xffff}) == 0x8000);
  CHECK(value("div.u32", {5, 0}) == kOnes32);
  CHECK(value("rem.u32", {5, 0}) == kOnes32);
  CHECK(value("div.u64", {100, 7}) == 14);
  CHECK(value("sad.s32", {kOnes32, 1, 10}) == 12);
  CHECK(value("sad.u32", {kOnes32, 1, 10}) == 8);  // 0xfffffffe + 10 wraps
  CHECK(value("sad.s64", {kMin64, 0, 1}) == kMin64 + 1);
  CHECK(value("abs.s32", {kMin32}) == kMin32);
  CHECK(value("abs.s16", {0xffff}) == 1);
  CHECK(value("neg.s64", {1}) == kOnes64);
  CHECK(value("neg.s16", {0x8000}) == 0x8000);
  CHECK(value("min.s32", {kOnes32, 1}) == kOnes32);
  CHECK(value("min.u32", {kOnes32, 1}) == 1);
  CHECK(value("max.s16", {0x8000, 3}) == 3);
  CHECK(value("max.u64", {kOnes64, 3}) == kOnes64);
  CHECK(value("min.relu.s32", {kOnes32, 5}) == 0);
  CHECK(value("max.relu.s32", {kOnes32, 0xfffffff0}) == 0);
  CHECK(value("max.relu.s32", {4, 0xfffffff0}) == 4);
  CHECK(value("min.u16x2", {0xffff0001, 0x00010002}) == 0x00010001);
  CHECK(value("min.s16x2", {0xffff0001, 0x00010002}) == 0xffff0001);
  CHECK(value("max.s16x2", {0xffff0001, 0x00010002}) == 0x00010002);
  CHECK(value("min.relu.s16x2", {0xffff0001, 0x00010002}) == 0x00000001);
  CHECK(value("max.relu.s16x2", {0xffff8000, 0xfffe0002}) == 0x00000002);
}

TEST_CASE("sums of products of bytes") {
  CHECK(value("dp4a.u32.u32", {0x01020304, 0x05060708, 1}) == 1 + 5 + 12 + 21 + 32);
  CHECK(value("dp4a.s32.s32", {0xff000000, 0x02000000, 1}) == kOnes32);  // -1 * 2 + 1
  CHECK(value("dp4a.u32.s32", {0xff000000, 0xff000000, 0}) == 0xffffff01);
  CHECK(value("dp4a.s32.u32", {0xff000000, 0xff000000, 0}) == 0xffffff01);
  CHECK(value("dp2a.lo.u32.u32", {0x00020003, 0x09090405, 0}) == 3 * 5 + 2 * 4);
  CHECK(value("dp2a.hi.u32.u32", {0x00020003, 0x04050909, 0}) == 3 * 5 + 2 * 4);
  CHECK(value("dp2a.lo.s32.s32", {0xffff0000, 0x0000ff00, 0}) == 1);
}

TEST_CASE("whole numbers at random") {
  std::mt19937_64 random(1);
  Instruction hi64("mul.hi.s64"), hi32("mul.hi.s32"), wide("mad.wide.s32"), div("div.s32"), rem("rem.s32");
  for (int i = 0; i < 20000; ++i) {
    const uint64_t a = random() >> random() % 64, b = random() >> random() % 64, c = random();
    const auto a32 = static_cast<int32_t>(a), b32 = static_cast<int32_t>(b);
    __extension__ using Int128 = __int128;
    REQUIRE(hi64({a, b}) ==
            static_cast<uint64_t>(Int128{static_cast<int64_t>(a)} * static_cast<int64_t>(b) >> 64));
    REQUIRE(hi32({a & kOnes32, b & kOnes32}) == static_cast<uint32_t>(int64_t{a32} * b32 >> 32));
    REQUIRE(wide({a & kOnes32, b & kOnes32, c}) == static_cast<uint64_t>(int64_t{a32} * b32) + c);
    if (b32 != 0) {
      const uint64_t q = div({a & kOnes32, b & kOnes32}), r = rem({a & kOnes32, b & kOnes32});
      REQUIRE(static_cast<uint32_t>(q * static_cast<uint32_t>(b32) + r) == static_cast<uint32_t>(a32));
      REQUIRE(std::abs(int64_t{static_cast<int32_t>(r)}) < std::abs(int64_t{b32}));
    }
  }
}

}  // namespace heddle::exec::test
