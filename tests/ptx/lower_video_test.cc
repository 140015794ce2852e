// Video instructions: how many machine instructions each becomes, against ptxas 13.0 (-arch=sm_90a).
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/ptx/lower_case.h"

namespace heddle::ptx {
namespace {

struct Case {
  const char* instruction;
  size_t machine;  // instructions of ptxas
};
// clang-format off
const Case kCases[] = {
    {"vadd.s32.s32.s32 %r5, %r1, %r2", 3},
    {"vadd.u32.u32.u32.sat %r5, %r1, %r2", 7},
    {"vsub.s32.u32.s32 %r5, %r1, %r2", 3},
    {"vabsdiff.u32.u32.u32 %r5, %r1, %r2", 6},
    {"vmin.s32.s32.s32 %r5, %r1, %r2", 7},
    {"vmax.u32.u32.u32 %r5, %r1, %r2", 5},
    {"vshl.u32.u32.u32.clamp %r5, %r1, %r2", 6},
    {"vshr.u32.u32.u32.wrap %r5, %r1, %r2", 4},
    {"vshr.s32.s32.u32.clamp %r5, %r1, %r2", 7},
    {"vset.u32.u32.lt %r5, %r1, %r2", 8},
    {"vset.s32.s32.ge %r5, %r1, %r2", 10},
    {"vadd.s32.s32.s32.add %r5, %r1, %r2, %r3", 3},
    {"vmin.s32.s32.s32.max %r5, %r1, %r2, %r3", 12},
    {"vabsdiff.u32.u32.u32.add %r5, %r1, %r2, %r3", 7},
    {"vsub.s32.s32.s32.min %r5, %r1, %r2, %r3", 8},
    {"vshl.u32.u32.u32.clamp.add %r5, %r1, %r2, %r3", 7},
    {"vset.u32.u32.ne.add %r5, %r1, %r2, %r3", 9},
    {"vmad.u32.u32.u32 %r5, %r1, %r2, %r3", 3},
    {"vmad.s32.s32.s32.shr7 %r5, %r1, %r2, %r3", 6},
    {"vmad.s32.s32.s32.sat.shr15 %r5, %r1, %r2, %r3", 13},
    {"vmad.u32.u32.u32.po %r5, %r1, %r2, %r3", 4},
    {"vadd2.s32.s32.s32 %r5, %r1, %r2, %r3", 18},
    {"vadd2.u32.u32.u32.sat %r5, %r1, %r2, %r3", 14},
    {"vsub2.s32.s32.s32 %r5, %r1, %r2, %r3", 18},
    {"vavrg2.u32.u32.u32 %r5, %r1, %r2, %r3", 4},
    {"vabsdiff2.u32.u32.u32 %r5, %r1, %r2, %r3", 12},
    {"vmin2.s32.s32.s32 %r5, %r1, %r2, %r3", 8},
    {"vmax2.u32.u32.u32 %r5, %r1, %r2, %r3", 7},
    {"vadd4.s32.s32.s32 %r5, %r1, %r2, %r3", 30},
    {"vadd4.u32.u32.u32.sat %r5, %r1, %r2, %r3", 27},
    {"vsub4.u32.u32.u32 %r5, %r1, %r2, %r3", 5},
    {"vavrg4.u32.u32.u32 %r5, %r1, %r2, %r3", 31},
    {"vabsdiff4.u32.u32.u32 %r5, %r1, %r2, %r3", 1},
    {"vmin4.s32.s32.s32 %r5, %r1, %r2, %r3", 30},
    {"vmax4.u32.u32.u32 %r5, %r1, %r2, %r3", 19},
    {"vset4.u32.u32.ge %r5, %r1, %r2, %r3", 27},
    {"vadd2.u32.u32.u32.add %r5, %r1, %r2, %r3", 8},
    {"vabsdiff4.u32.u32.u32.add %r5, %r1, %r2, %r3", 1},
    {"vmin4.u32.u32.u32.add %r5, %r1, %r2, %r3", 16},
    {"vset4.u32.u32.lt.add %r5, %r1, %r2, %r3", 24},
    {"vadd.s32.s32.s32 %r5, %r1.b0, %r2.h1", 5},
    {"vadd.u32.u32.u32 %r5, %r1.b1, %r2", 3},
    {"vabsdiff.u32.u32.u32 %r5, %r1.b2, %r2.b3", 6},
    {"vmad.u32.u32.u32 %r5, %r1.h0, %r2.h1, %r3", 3},
    {"vmin.s32.s32.s32 %r5, %r1.h1, %r2.b0", 9},
    {"vset.u32.u32.lt %r5, %r1.b0, %r2.b0", 8},
    {"vadd.u32.u32.u32 %r5.b1, %r1, %r2, %r3", 4},
    {"vadd.s32.s32.s32.sat %r5, %r1, %r2", 11},
    {"vadd.u32.s32.u32 %r5, %r1, %r2", 3},
    {"vadd.s32.u32.u32.sat %r5, %r1, %r2", 10},
    {"vsub.u32.u32.u32.sat %r5, %r1, %r2", 7},
    {"vsub.s32.s32.s32.sat %r5, %r1, %r2", 11},
    {"vabsdiff.s32.s32.s32 %r5, %r1, %r2", 7},
    {"vabsdiff.u32.s32.s32 %r5, %r1, %r2", 7},
    {"vmin.u32.s32.s32.sat %r5, %r1, %r2", 11},
    {"vmax.s32.u32.s32 %r5, %r1, %r2", 6},
    {"vshr.s32.s32.u32.wrap %r5, %r1, %r2", 5},
    {"vshr.u32.u32.u32.clamp %r5, %r1, %r2", 6},
    {"vset.u32.u32.eq %r5, %r1, %r2", 8},
    {"vadd.s32.s32.s32.sat.add %r5, %r1, %r2, %r3", 12},
    {"vmax.u32.u32.u32.add %r5, %r1, %r2, %r3", 6},
    {"vset.u32.u32.lt.min %r5, %r1, %r2, %r3", 11},
    {"vmad.u32.u32.u32.shr15 %r5, %r1, %r2, %r3", 6},
    {"vmad.s32.s32.s32.sat %r5, %r1, %r2, %r3", 12},
    {"vadd2.u32.u32.u32 %r5, %r1, %r2, %r3", 4},
    {"vadd4.u32.u32.u32 %r5, %r1, %r2, %r3", 5},
    {"vsub2.u32.u32.u32 %r5, %r1, %r2, %r3", 4},
    {"vavrg2.s32.s32.s32 %r5, %r1, %r2, %r3", 24},
    {"vabsdiff2.s32.s32.s32 %r5, %r1, %r2, %r3", 20},
    {"vadd2.s32.s32.s32.sat %r5, %r1, %r2, %r3", 22},
    {"vsub4.s32.s32.s32 %r5, %r1, %r2, %r3", 30},
    {"vset2.s32.s32.gt %r5, %r1, %r2, %r3", 22},
    {"vadd4.u32.u32.u32.add %r5, %r1, %r2, %r3", 4},
    {"vadd2.u32.u32.u32 %r5.h0, %r1, %r2, %r3", 10},
    {"vadd4.u32.u32.u32 %r5.b10, %r1, %r2, %r3", 19},
    {"vmin4.u32.u32.u32 %r5.b2, %r1, %r2, %r3", 19},
    {"vmax2.s32.s32.s32 %r5.h1, %r1, %r2, %r3", 18},
    {"vadd2.u32.u32.u32 %r5, %r1.h10, %r2.h01, %r3", 10},
    {"vmin4.u32.u32.u32 %r5, %r1.b3210, %r2.b7654, %r3", 19},
    {"vadd2.u32.u32.u32 %r5, %r1.h11, %r2.h23, %r3", 10},
};

// Those that ptxas makes of other instructions: sign extensions that it leaves out or copies.
struct Near {
  const char* instruction;
  size_t machine;  // instructions of ptxas
  size_t here;
};
const Near kNear[] = {
    {"vabsdiff.s32.s32.s32.sat %r5, %r1, %r2", 16, 13},
    {"vset2.u32.u32.lt %r5, %r1, %r2, %r3", 15, 14},
    {"vabsdiff2.s32.s32.s32.add %r5, %r1, %r2, %r3", 16, 18},
    {"vshl.u32.u32.u32.sat.clamp %r5, %r1, %r2", 18, 10},
    {"vadd.u32.u32.u32.max %r5, %r1, %r2, %r3", 7, 6},
    {"vabsdiff.u32.u32.u32.max %r5, %r1, %r2, %r3", 12, 9},
    {"vavrg4.s32.s32.s32 %r5, %r1, %r2, %r3", 43, 42},
    {"vabsdiff4.s32.s32.s32 %r5, %r1, %r2, %r3", 39, 34},
    {"vadd4.s32.s32.s32.sat %r5, %r1, %r2, %r3", 42, 38},
    {"vmin2.s32.s32.s32.sat %r5, %r1, %r2, %r3", 22, 18},
    {"vset4.s32.s32.gt %r5, %r1, %r2, %r3", 39, 38},
    {"vadd2.s32.s32.s32.add %r5, %r1, %r2, %r3", 14, 16},
    {"vadd4.s32.s32.s32.add %r5, %r1, %r2, %r3", 26, 27},
    {"vmax2.s32.s32.s32.add %r5, %r1, %r2, %r3", 14, 16},
    {"vset2.u32.u32.lt.add %r5, %r1, %r2, %r3", 13, 12},
    {"vavrg2.u32.u32.u32.add %r5, %r1, %r2, %r3", 13, 14},
    {"vavrg4.u32.u32.u32.add %r5, %r1, %r2, %r3", 26, 28},
};
// clang-format on

std::vector<std::string> with(const std::string& instruction) {
  return code(std::string(kAddress) + ".reg .b32 %s<2>;\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd3];\n" +
              instruction + ";\nst.global.u32 [%rd3], %r5; ret;");
}

}  // namespace

TEST_CASE("lower: video instructions have as many machine instructions as ptxas makes of them") {
  const size_t around = with("mov.b32 %r5, %r1").size();
  for (const Case& c : kCases) {
    CAPTURE(c.instruction);
    CHECK(with(c.instruction).size() - around == c.machine);
  }
  for (const Near& c : kNear) {
    CAPTURE(c.instruction);
    CHECK(with(c.instruction).size() - around == c.here);
  }
}

}  // namespace heddle::ptx
