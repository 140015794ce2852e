// setp and set: all comparisons, by hand.
#include <catch2/catch.hpp>

#include <cmath>

#include "tests/exec/arith/arith_case.h"

namespace heddle::exec::test {
namespace {

// Comparisons by name, and whether they hold for less, equal, greater, unordered.
constexpr struct {
  const char* name;
  bool holds[4];
} kFloats[] = {{"eq", {false, true, false, false}}, {"ne", {true, false, true, false}},
               {"lt", {true, false, false, false}}, {"le", {true, true, false, false}},
               {"gt", {false, false, true, false}}, {"ge", {false, true, true, false}},
               {"equ", {false, true, false, true}}, {"neu", {true, false, true, true}},
               {"ltu", {true, false, false, true}}, {"leu", {true, true, false, true}},
               {"gtu", {false, false, true, true}}, {"geu", {false, true, true, true}},
               {"num", {true, true, true, false}},  {"nan", {false, false, false, true}}};

}  // namespace

TEST_CASE("floating point in every relation") {
  for (const auto& [name, holds] : kFloats) {
    const struct {
      const char* type;
      uint64_t one, two, nan;
    } types[] = {{"f32", bits(1.0F), bits(2.0F), 0x7fffffff},
                 {"f64", bits(1.0), bits(2.0), 0xfff8000000000000},
                 {"f16", 0x3c00, 0x4000, 0x7e00},
                 {"bf16", 0x3f80, 0x4000, 0xffff}};
    for (const auto& t : types) {
      const std::string tail = std::string(name) + "." + t.type;
      Instruction setp("setp." + tail), both("setp." + tail, 0, 0, true);
      INFO(tail);
      const uint64_t pairs[4][2] = {{t.one, t.two}, {t.two, t.two}, {t.two, t.one}, {t.one, t.nan}};
      for (int i = 0; i < 4; ++i) {
        CHECK(setp({pairs[i][0], pairs[i][1]}) == (holds[i] ? 1 : 0));
        CHECK(both({pairs[i][0], pairs[i][1]}) == (holds[i] ? 1 : 0));
        CHECK(both.second == (holds[i] ? 0 : 1));
      }
    }
  }
  CHECK(value("setp.eq.f32", {-0.0F, 0.0F}) == 1);
  CHECK(value("setp.lt.f16", {0x8000, 0x0000}) == 0);
  CHECK(value("setp.lt.f32", {0x80000001, 0}) == 1);
  CHECK(value("setp.lt.ftz.f32", {0x80000001, 0}) == 0);
  CHECK(value("setp.gt.ftz.f16", {0x0001, 0}) == 0);
  CHECK(value("setp.gt.f16", {0x0001, 0}) == 1);
}

TEST_CASE("whole numbers, signed and not") {
  CHECK(value("setp.lt.s32", {0xffffffff, 0}) == 1);
  CHECK(value("setp.lt.u32", {0xffffffff, 0}) == 0);
  CHECK(value("setp.hi.u32", {0xffffffff, 0}) == 1);
  CHECK(value("setp.ls.u16", {3, 3}) == 1);
  CHECK(value("setp.lo.u64", {3, uint64_t{1} << 40}) == 1);
  CHECK(value("setp.hs.u64", {3, uint64_t{1} << 40}) == 0);
  CHECK(value("setp.ge.s16", {0x8000, 0x7fff}) == 0);
  CHECK(value("setp.gt.s64", {uint64_t{1} << 63, 0}) == 0);
  CHECK(value("setp.eq.b32", {7, 7}) == 1);
  CHECK(value("setp.ne.b64", {7, 7}) == 0);
  CHECK(value("setp.le.s32", {7, 7}) == 1);
}

TEST_CASE("with a third predicate, and its complement") {
  Instruction all("setp.lt.and.s32", 3, 0, true), any("setp.lt.or.s32", 3, 0, true),
      one("setp.lt.xor.s32", 3, 0, true);
  for (uint64_t less = 0; less < 2; ++less) {
    for (uint64_t c = 0; c < 2; ++c) {
      const uint64_t a = less != 0 ? 1 : 3;
      CHECK(all({a, 2, c}) == (less & c));
      CHECK(all.second == ((less ^ 1) & c));
      CHECK(any({a, 2, c}) == (less | c));
      CHECK(any.second == ((less ^ 1) | c));
      CHECK(one({a, 2, c}) == (less ^ c));
      CHECK(one.second == (less ^ 1 ^ c));
    }
  }
}

TEST_CASE("pairs give two results") {
  Instruction lt("setp.lt.f16x2", 0, 0, true), lt_or("setp.lt.or.f16x2", 3, 0, true);
  CHECK(lt({0x40003c00, 0x3c004000}) == 1);  // low 1 < 2
  CHECK(lt.second == 0);                     // high 2 < 1
  CHECK(lt_or({0x40003c00, 0x3c004000, 1}) == 1);
  CHECK(lt_or.second == 1);
}

TEST_CASE("set writes ones") {
  CHECK(value("set.lt.u32.s32", {0xffffffff, 0}) == 0xffffffff);
  CHECK(value("set.lt.f32.s32", {0xffffffff, 0}) == bits(1.0F));
  CHECK(value("set.gt.f32.f64", {1.0, 2.0}) == 0);
  CHECK(value("set.nan.u32.f32", {0x7fffffff, 0}) == 0xffffffff);
  CHECK(value("set.lt.and.s32.f32", {bits(1.0F), bits(2.0F), 0}) == 0);
  CHECK(value("set.lt.xor.s32.f32", {bits(1.0F), bits(2.0F), 0}) == 0xffffffff);
  CHECK(value("set.eq.f16.f16", {0x3c00, 0x3c00}) == 0x3c00);
  CHECK(value("set.eq.u16.f16", {0x3c00, 0x3c00}) == 0xffff);
  CHECK(value("set.eq.bf16.bf16", {0x3f80, 0x3f80}) == 0x3f80);
  CHECK(value("set.lt.f16x2.f16x2", {0x40003c00, 0x3c004000}) == 0x00003c00);
  CHECK(value("set.gt.u32.f16x2", {0x40003c00, 0x3c004000}) == 0xffff0000);
}

}  // namespace heddle::exec::test
