// Logic, shifts, fields, bytes: values by hand, and bit by bit as the manual writes them.
#include <catch2/catch.hpp>

#include "tests/exec/arith/arith_case.h"

namespace heddle::exec::test {
namespace {

constexpr uint64_t kOnes32 = 0xffffffff, kOnes64 = ~uint64_t{0};

// Positions and lengths: 8 bits, as the PTX manual says, but for 64 bits an H200 takes all
// (tests/exec/oracle).
uint32_t count_of(uint32_t x, uint32_t width) { return width == 32 ? x & 0xff : std::min(x, 255U); }

// Otherwise as the PTX manual defines bfe.
uint64_t bfe(uint64_t a, uint32_t b, uint32_t c, uint32_t width, bool sign) {
  const uint32_t msb = width - 1, pos = count_of(b, width), len = count_of(c, width);
  const uint32_t top = std::min(pos + len - 1, msb);
  const uint64_t fill = !sign || len == 0 ? 0 : a >> top & 1;
  uint64_t d = 0;
  for (uint32_t i = 0; i <= msb; ++i) {
    d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : fill) << i;
  }
  return d;
}
uint64_t bfi(uint64_t a, uint64_t b, uint32_t c, uint32_t d, uint32_t width) {
  const uint32_t msb = width - 1, pos = count_of(c, width), len = count_of(d, width);
  uint64_t f = b;
  for (uint32_t i = 0; i < len && pos + i <= msb; ++i) {
    f = (f & ~(uint64_t{1} << (pos + i))) | (a >> i & 1) << (pos + i);
  }
  return f;
}

}  // namespace

TEST_CASE("logic") {
  CHECK(value("and.b32", {0xff00ff00, 0x0ff00ff0}) == 0x0f000f00);
  CHECK(value("or.b64", {1, uint64_t{1} << 63}) == ((uint64_t{1} << 63) | 1));
  CHECK(value("xor.b16", {0xffff, 0x00ff}) == 0xff00);
  CHECK(value("not.b16", {0x00ff}) == 0xff00);
  CHECK(value("not.b64", {0}) == kOnes64);
  CHECK(value("not.pred", {1}) == 0);
  CHECK(value("and.pred", {1, 0}) == 0);
  CHECK(value("or.pred", {1, 0}) == 1);
  CHECK(value("xor.pred", {1, 1}) == 0);
  CHECK(value("cnot.b32", {0}) == 1);
  CHECK(value("cnot.b64", {uint64_t{1} << 40}) == 0);
}

TEST_CASE("shifts clamp their count") {
  CHECK(value("shl.b32", {1, 31}) == 0x80000000);
  CHECK(value("shl.b32", {1, 32}) == 0);
  CHECK(value("shl.b16", {0x8001, 1}) == 2);
  CHECK(value("shl.b64", {1, 0x80000001}) == 0);
  CHECK(value("shr.u32", {0x80000000, 31}) == 1);
  CHECK(value("shr.b32", {0x80000000, 33}) == 0);
  CHECK(value("shr.s32", {0x80000000, 33}) == kOnes32);
  CHECK(value("shr.s16", {0x8000, 4}) == 0xf800);
  CHECK(value("shr.s64", {uint64_t{1} << 63, 63}) == kOnes64);
  CHECK(value("shf.l.wrap.b32", {0x80000000, 1, 1}) == 3);
  CHECK(value("shf.l.wrap.b32", {5, 6, 32}) == 6);
  CHECK(value("shf.l.clamp.b32", {5, 6, 40}) == 5);
  CHECK(value("shf.r.wrap.b32", {2, 1, 1}) == 0x80000001);
  CHECK(value("shf.r.clamp.b32", {5, 6, 40}) == 6);
  CHECK(value("shf.r.wrap.b32", {5, 6, 32}) == 5);
}

TEST_CASE("counting and finding") {
  CHECK(value("popc.b32", {0xf0f0}) == 8);
  CHECK(value("popc.b64", {kOnes64}) == 64);
  CHECK(value("clz.b32", {0}) == 32);
  CHECK(value("clz.b64", {1}) == 63);
  CHECK(value("bfind.u32", {0x10}) == 4);
  CHECK(value("bfind.u32", {0}) == kOnes32);
  CHECK(value("bfind.s32", {0xffffffef}) == 4);
  CHECK(value("bfind.s32", {kOnes32}) == kOnes32);
  CHECK(value("bfind.shiftamt.u32", {0x10}) == 27);
  CHECK(value("bfind.shiftamt.s64", {0}) == kOnes32);
  CHECK(value("bfind.u64", {uint64_t{1} << 50}) == 50);
  CHECK(value("brev.b32", {1}) == 0x80000000);
  CHECK(value("brev.b64", {0xf0}) == uint64_t{0x0f} << 56);
  CHECK(value("fns.b32", {0b101100, 0, 1}) == 2);
  CHECK(value("fns.b32", {0b101100, 0, 3}) == 5);
  CHECK(value("fns.b32", {0b101100, 0, 4}) == kOnes32);
  CHECK(value("fns.b32", {0b101100, 31, kOnes32}) == 5);  // downwards, the first
  CHECK(value("fns.b32", {0b101100, 5, 0xfffffffe}) == 3);
  CHECK(value("fns.b32", {0b101100, 3, 0}) == 3);
  CHECK(value("fns.b32", {0b101100, 4, 0}) == kOnes32);
}

TEST_CASE("fields") {
  std::mt19937_64 random(2);
  Instruction u32("bfe.u32"), s32("bfe.s32"), u64("bfe.u64"), s64("bfe.s64"), i32("bfi.b32"), i64("bfi.b64");
  for (int i = 0; i < 20000; ++i) {
    const uint64_t a = random(), b = random();
    const auto pos = static_cast<uint32_t>(random() % 4 == 0 ? random() : random() % 70);
    const auto len = static_cast<uint32_t>(random() % 4 == 0 ? random() : random() % 70);
    REQUIRE(u32({a & kOnes32, pos, len}) == bfe(a & kOnes32, pos, len, 32, false));
    REQUIRE(s32({a & kOnes32, pos, len}) == bfe(a & kOnes32, pos, len, 32, true));
    REQUIRE(u64({a, pos, len}) == bfe(a, pos, len, 64, false));
    REQUIRE(s64({a, pos, len}) == bfe(a, pos, len, 64, true));
    REQUIRE(i32({a & kOnes32, b & kOnes32, pos, len}) == bfi(a & kOnes32, b & kOnes32, pos, len, 32));
    REQUIRE(i64({a, b, pos, len}) == bfi(a, b, pos, len, 64));
  }
  CHECK(value("bfe.s32", {0x00000f00, 8, 4}) == kOnes32);
  CHECK(value("bfe.u32", {0x00000f00, 8, 4}) == 0xf);
  CHECK(value("bfe.s32", {0x80000000, 40, 4}) == kOnes32);
  CHECK(value("szext.clamp.s32", {0x8, 4}) == 0xfffffff8);
  CHECK(value("szext.clamp.u32", {0xf8, 4}) == 8);
  CHECK(value("szext.clamp.s32", {0x8, 40}) == 8);
  CHECK(value("szext.wrap.s32", {0x8, 36}) == 0xfffffff8);
  CHECK(value("szext.wrap.s32", {0x8, 32}) == 0);
  CHECK(value("bmsk.clamp.b32", {4, 8}) == 0xff0);
  CHECK(value("bmsk.clamp.b32", {4, 40}) == 0xfffffff0);
  CHECK(value("bmsk.clamp.b32", {40, 4}) == 0);
  CHECK(value("bmsk.wrap.b32", {36, 40}) == 0xff0);
  CHECK(value("bmsk.wrap.b32", {0, 32}) == 0);
  CHECK(value("bmsk.clamp.b32", {28, 8}) == 0xf0000000);
}

TEST_CASE("tables of three operands") {
  const uint64_t a = 0xf0f0f0f0, b = 0xcccccccc, c = 0xaaaaaaaa;
  Instruction lop3("lop3.b32");
  for (uint64_t table = 0; table < 256; ++table) {
    REQUIRE(lop3({a, b, c, table}) == table * 0x01010101);  // the operands spell the table's index
  }
  Instruction with_or("lop3.or.b32", 0, 0, true), with_and("lop3.and.b32", 0, 0, true);
  CHECK(with_or({a, b, c, 0, 0}) == 0);
  CHECK(with_or.second == 0);
  with_or({a, b, c, 0, 1});
  CHECK(with_or.second == 1);
  with_or({a, b, c, 0x80, 0});
  CHECK(with_or.second == 1);
  with_and({a, b, c, 0x80, 0});
  CHECK(with_and.second == 0);
  with_and({a, b, c, 0x80, 1});
  CHECK(with_and.second == 1);
}

TEST_CASE("bytes") {
  const uint64_t a = 0x83828180, b = 0x87868584;
  CHECK(value("prmt.b32", {a, b, 0x7531}) == 0x87858381);
  CHECK(value("prmt.b32", {a, b, 0x8000}) == 0xff808080);  // the sign of byte 0
  CHECK(value("prmt.b32", {0x7f, b, 0x8000}) == 0x007f7f7f);
  CHECK(value("prmt.b32.f4e", {a, b, 1}) == 0x84838281);
  CHECK(value("prmt.b32.b4e", {a, b, 1}) == 0x86878081);
  CHECK(value("prmt.b32.rc8", {a, b, 2}) == 0x82828282);
  CHECK(value("prmt.b32.ecl", {a, b, 2}) == 0x83828282);
  CHECK(value("prmt.b32.ecr", {a, b, 2}) == 0x82828180);
  CHECK(value("prmt.b32.rc16", {a, b, 1}) == 0x83828382);
  CHECK(value("prmt.b32.rc16", {a, b, 2}) == 0x81808180);
}

TEST_CASE("selections") {
  CHECK(value("selp.b32", {5, 6, 1}) == 5);
  CHECK(value("selp.f64", {5, 6, 0}) == 6);
  CHECK(value("slct.u32.s32", {5, 6, 0}) == 5);
  CHECK(value("slct.u64.s32", {5, 6, 0x80000000}) == 6);
  CHECK(value("slct.f32.f32", {5, 6, bits(-0.0F)}) == 5);
  CHECK(value("slct.f32.f32", {5, 6, 0x7fc00000}) == 6);
  CHECK(value("slct.f32.f32", {5, 6, 0x80000001}) == 6);
  CHECK(value("slct.ftz.f32.f32", {5, 6, 0x80000001}) == 5);
}

}  // namespace heddle::exec::test
