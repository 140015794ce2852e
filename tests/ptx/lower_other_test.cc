// What few programs use: its machine instructions as those of ptxas 13.0 (-arch=sm_90a), and jumps through
// tables.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/ptx/lower_case.h"

namespace heddle::ptx {
namespace {

const char* const kLoad =
    "ld.param.u64 %rd1, [p]; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; mov.b64 %rd5, {%r1, %r2}; "
    "setp.ne.u32 %p1, %r1, 0;\n";

std::vector<std::string> with(const std::string& body) {
  return code(kLoad + body + "\nst.global.u32 [%rd1], %r5; ret;");
}

}  // namespace

TEST_CASE("lower: reductions at barriers, and their results") {
  const auto counts = with("barrier.cta.red.popc.aligned.u32 %r5, 0, %p1;");
  CHECK(count(counts, "BAR.RED.POPC.DEFER_BLOCKING 0x0, P") == 1);
  CHECK(count(counts, "B2R.RESULT R") == 1);
  const auto any = with("barrier.cta.red.or.aligned.pred %p2, 0, 64, %p1; selp.u32 %r5, 1, 2, %p2;");
  CHECK(count(any, "BAR.RED.OR.DEFER_BLOCKING 0x0, 0x40, P") == 1);
  CHECK(count(any, "B2R.RESULT RZ, P") == 1);
}

TEST_CASE("lower: numbers that are packed, pending arrivals") {
  CHECK(count(with("cvt.pack.sat.u8.s32.b32 %r5, %r1, %r2, %r3;"), "I2IP.U8.S32.SAT R") == 1);
  CHECK(count(with("cvt.pack.sat.s16.s32 %r5, %r1, %r2;"), "I2IP.S16.S32.SAT R") == 1);
  const auto pending = with("mbarrier.pending_count.b64 %r5, %rd5;");
  CHECK(count(pending, "0xfffff, RZ, 0x40, !PT") == 1);
  CHECK(count(pending, "0x100000, RZ") == 1);
}

TEST_CASE("lower: which memory an address is of") {
  for (const auto& [space, machine] : {std::pair{"shared", "QSPC.E.S P"}, std::pair{"local", "QSPC.E.L P"}}) {
    CHECK(count(with(std::string("isspacep.") + space + " %p2, %rd5; selp.u32 %r5, 1, 2, %p2;"), machine) ==
          1);
  }
  const auto global = with("isspacep.global %p2, %rd5; selp.u32 %r5, 1, 2, %p2;");
  CHECK(count(global, "QSPC.E.G P") == 1);
  CHECK(count(global, "ISETP.GE.U32.AND.EX") == 2);
  CHECK(count(with("isspacep.const %p2, %rd5; selp.u32 %r5, 1, 2, %p2;"), "QSPC") == 0);
}

TEST_CASE("lower: cache policies are made by the uniform datapath, for whom a load reads them") {
  const auto c = with(
      "createpolicy.fractional.L2::evict_last.b64 %rd4, 0f3F800000; ld.global.L2::cache_hint.u32 %r5, "
      "[%rd1+64], "
      "%rd4;");
  CHECK(count(c, "USHF") == 2);
  CHECK(count(c, "UMOV") == 3);
  CHECK(count(c, "ULOP3") == 1);
  CHECK(count(with("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd4, [%rd1], 1024, 4096; "
                   "ld.global.L2::cache_hint.u32 %r5, [%rd1+64], %rd4;"),
              "USHF") == 8);
}

TEST_CASE("lower: a stack that grows") {
  const auto c = with(
      "stacksave.u64 %rd6; cvt.u64.u32 %rd4, %r1; alloca.u64 %rd7, %rd4, 16; st.local.u32 [%rd7], %r1; "
      "ld.local.u32 "
      "%r5, [%rd7+4]; stackrestore.u64 %rd6;");
  CHECK(count(c, "LOP3.LUT R1, R") == 1);
  CHECK(count(c, "MOV R1, R") == 1);
  CHECK(count(c, "STL") == 1);
}

TEST_CASE("timed: a jump through a table goes where each lane's number says") {
  const std::string body =
      "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; mul.wide.u32 %rd2, %r1, 4; add.s64 "
      "%rd3, "
      "%rd1, %rd2;\nts: .branchtargets zero, one;\nbrx.idx %r2, ts;\nzero: st.global.u32 [%rd3], %r1; bra "
      "end;\none: mul.lo.u32 %r3, %r1, %r1; st.global.u32 [%rd3+256], %r3;\nend: ret;";
  const Issued i(body, {1, 1, 1}, {32, 1, 1}, 0);
  const auto w = i.warp(0, 0);
  CHECK(count(w, "BRX ffffffff") == 1);
  CHECK(count(w, "STG.E 55555555") == 1);
  CHECK(count(w, "STG.E aaaaaaaa") == 1);
  CHECK(count(w, "IMAD aaaaaaaa") == 1);
}

}  // namespace heddle::ptx
