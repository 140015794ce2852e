// Video instructions, as kernels: parts of registers and signs are operands' own.
#include <catch2/catch.hpp>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {
namespace {

// What `op` leaves in %r0; %r1 = a, %r2 = b, %r3 = c.
uint32_t video(const std::string& op, uint32_t a, uint32_t b, uint32_t c = 0) {
  return stored("mov.u32 %r1, " + std::to_string(a) + "; mov.u32 %r2, " + std::to_string(b) +
                    "; mov.u32 %r3, " + std::to_string(c) + ";\n" + op + ";",
                {1}, {1})[0];
}

}  // namespace

TEST_CASE("one at once") {
  CHECK(video("vadd.s32.u32.s32 %r0, %r1.b3, %r2.b0", 0xff000000, 0xff) == 254);  // 255 + -1
  CHECK(video("vadd.s32.s32.s32.sat %r0, %r1, %r2", 0x7fffffff, 1) == 0x7fffffff);
  CHECK(video("vadd.u32.s32.s32.sat %r0, %r1, %r2", 0xffffffff, 0) == 0);
  CHECK(video("vadd.u32.u32.u32.add %r0, %r1.h1, %r2.h0, %r3", 0x00050000, 7, 100) == 112);
  CHECK(video("vadd.u32.u32.u32 %r0.b1, %r1, %r2, %r3", 0x100, 0x23, 0xaabbccdd) == 0xaabb23dd);
  CHECK(video("vadd.u32.u32.u32.sat %r0.h0, %r1, %r2, %r3", 0xffff, 1, 0x12345678) == 0x1234ffff);
  CHECK(video("vsub.s32.u32.u32.min %r0, %r1, %r2, %r3", 3, 5, 1) == 0xfffffffe);
  CHECK(video("vsub.s32.u32.u32.max %r0, %r1, %r2, %r3", 3, 5, 1) == 1);
  CHECK(video("vabsdiff.u32.s32.s32 %r0, %r1, %r2", 0xfffffffe, 3) == 5);
  CHECK(video("vmin.s32.s32.u32 %r0, %r1.b0, %r2.b0", 0x80, 0x80) == 0xffffff80);
  CHECK(video("vmax.s32.s32.u32 %r0, %r1.b0, %r2.b0", 0x80, 0x80) == 0x80);
  CHECK(video("vshl.u32.u32.u32.clamp %r0, %r1, %r2", 1, 40) == 0);
  CHECK(video("vshl.u32.u32.u32.wrap %r0, %r1, %r2", 1, 33) == 2);
  CHECK(video("vshr.s32.s32.u32.clamp %r0, %r1, %r2", 0x80000000, 40) == 0xffffffff);
  CHECK(video("vshr.u32.u32.u32.wrap %r0, %r1, %r2", 0x80000000, 63) == 1);
  CHECK(video("vset.s32.u32.lt %r0, %r1, %r2", 0xffffffff, 0) == 1);
  CHECK(video("vset.u32.u32.lt.add %r0, %r1, %r2, %r3", 1, 2, 9) == 10);
}

// Unlike the PTX manual: ptxas's sequences, which are what an H200 executes.
TEST_CASE("saturation and comparison as ptxas has them") {
  // To u32 negative results become 0, large ones keep their low bits.
  CHECK(video("vadd.u32.u32.u32.sat %r0, %r1, %r2", 0xffffffff, 0xffffffff) == 0xfffffffe);
  CHECK(video("vsub.u32.u32.u32.sat %r0, %r1, %r2", 1, 2) == 0);
  // Parts: negative and large ones alike become the largest value.
  CHECK(video("vadd.u32.s32.s32.sat %r0.b0, %r1, %r2, %r3", 0xffffffff, 0, 0xaabbccdd) == 0xaabbccff);
  CHECK(video("vadd.s32.s32.s32.sat %r0.b2, %r1, %r2, %r3", 0x80000000, 0, 0xaabbccdd) == 0xaa7fccdd);
  CHECK(video("vadd.s32.s32.s32.sat %r0.b2, %r1, %r2, %r3", 3, 4, 0xaabbccdd) == 0xaa07ccdd);
  // The upper half takes the result's upper half.
  CHECK(video("vadd.u32.u32.u32.sat %r0.h1, %r1, %r2, %r3", 0xffff, 1, 0x12345678) == 0x5678);
  CHECK(video("vadd.u32.u32.u32 %r0.h1, %r1, %r2, %r3", 0xabcd0000, 0xffff, 0x12345678) == 0xabcd5678);
  // Compared with c: sums with their 32 bits' sign extended, unsigned d as 64 unsigned bits.
  CHECK(video("vadd.u32.s32.u32.min %r0, %r1, %r2, %r3", 0xfffffff0, 1, 0xfffffffe) == 0xfffffffe);
  CHECK(video("vadd.u32.s32.u32.max %r0, %r1, %r2, %r3", 0xfffffff0, 1, 0xfffffffe) == 0xfffffff1);
  CHECK(video("vabsdiff.s32.s32.u32.max %r0, %r1, %r2, %r3", 0x80000000, 0, 5) == 0x80000000);
  CHECK(video("vabsdiff.u32.s32.u32.sat.max %r0, %r1, %r2, %r3", 0x80000000, 0xffffffff, 9) == 0x7fffffff);
  // Shifts are 34 bits, signed: 2 << 32 is negative, 1 << 32 is not.
  CHECK(video("vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2", 2, 32) == 0);
  CHECK(video("vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2", 1, 32) == 0xffffffff);
  CHECK(video("vshl.s32.s32.u32.sat.clamp %r0, %r1, %r2", 1, 31) == 0x7fffffff);
}

TEST_CASE("products") {
  CHECK(video("vmad.s32.s32.u32 %r0, %r1.h0, %r2.h0, %r3", 0xffff, 3, 10) == 7);
  CHECK(video("vmad.s32.u32.u32 %r0, -%r1, %r2, %r3", 2, 3, 10) == 4);
  CHECK(video("vmad.s32.u32.u32 %r0, %r1, %r2, -%r3", 2, 3, 10) == 0xfffffffc);
  CHECK(video("vmad.u32.u32.u32.po %r0, %r1, %r2, %r3", 2, 3, 10) == 17);
  CHECK(video("vmad.u32.u32.u32.shr7 %r0, %r1, %r2, %r3", 0x100, 0x100, 0x80) == 0x201);
  CHECK(video("vmad.u32.u32.u32.sat %r0, %r1, %r2, %r3", 0x10000, 0x10000, 0) == 0xffffffff);
  // 32 bits count as signed: -1 * 1, and -1 as c.
  CHECK(video("vmad.u32.u32.u32.sat %r0, %r1, %r2, %r3", 0xffffffff, 1, 0) == 0);
  CHECK(video("vmad.u32.u32.u32.shr7 %r0, %r1, %r2, %r3", 0x100, 1, 0xffffff80) == 1);
  CHECK(video("vmad.u32.u32.u32.sat.shr7 %r0, %r1, %r2, %r3", 0xffffffff, 1, 0) == 0xffffffff);
  CHECK(video("vmad.s32.s32.s32.sat.shr15 %r0, %r1, %r2, %r3", 0x80000000, 0x7fffffff, 0) == 0x80000000);
}

TEST_CASE("two and four at once") {
  CHECK(video("vadd2.s32.s32.s32 %r0, %r1, %r2, %r3", 0x00010002, 0x00030004) == 0x00040006);
  CHECK(video("vadd2.s32.s32.s32.sat %r0, %r1, %r2, %r3", 0x7fff8000, 0x0001ffff) == 0x7fff8000);
  CHECK(video("vadd2.s32.s32.s32 %r0.h0, %r1, %r2, %r3", 0x00010002, 0x00030004, 0xaaaabbbb) == 0xaaaa0006);
  CHECK(video("vadd2.u32.u32.u32.add %r0, %r1, %r2, %r3", 0x00010002, 0x00030004, 5) == 15);
  CHECK(video("vsub2.u32.u32.u32 %r0, %r1.h00, %r2.h32, %r3", 0x00010009, 0x00030004) == 0x00060005);
  CHECK(video("vavrg2.s32.s32.s32 %r0, %r1, %r2, %r3", 0x0001ffff, 0x0002fffe) == 0x0002fffe);
  CHECK(video("vmax4.u32.u32.u32 %r0, %r1, %r2, %r3", 0x01ff0380, 0x02010481) == 0x02ff0481);
  CHECK(video("vmin4.s32.s32.s32 %r0, %r1, %r2, %r3", 0x01ff0380, 0x02010481) == 0x01ff0380);
  CHECK(video("vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3", 0x01020304, 0x04030201, 10) == 18);
  CHECK(video("vset4.u32.u32.eq %r0, %r1, %r2, %r3", 0x01020304, 0x01000300) == 0x01000100);
  CHECK(video("vset2.u32.u32.ge.add %r0, %r1, %r2, %r3", 0x00050001, 0x00020002, 7) == 8);
  CHECK(video("vadd4.u32.u32.u32 %r0, %r1.b0123, %r2.b7654, %r3", 0x01020304, 0x10101010) == 0x14131211);
}

}  // namespace heddle::exec::test
