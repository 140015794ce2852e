// The stack of alloca, special registers, clocks, hints that check addresses.
#include <catch2/catch.hpp>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {

TEST_CASE("alloca: each thread's own, aligned, given back by stackrestore and by a return") {
  const char* before =
      ".func (.reg .b32 sum) f(.reg .b32 n) {\n"
      ".reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
      "alloca.u64 %rd1, 64, 32; cvta.local.u64 %rd2, %rd1; st.u32 [%rd2+60], n; ld.local.u32 %r1, "
      "[%rd1+60];\n"
      "cvt.u32.u64 %r2, %rd1; and.b32 %r2, %r2, 31; shl.b32 %r2, %r2, 16; add.u32 sum, %r1, %r2; ret; }\n";
  const auto out = stored(
      "mov.u32 %r0, 0; stacksave.u64 %rd5; mov.u32 %r2, 0;\n"
      "loop: call (%r1), f, (%r31); add.u32 %r0, %r0, %r1;\n"
      "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 10; @%p1 bra loop;\n"
      "stacksave.u64 %rd6; sub.u64 %rd6, %rd6, %rd5; cvt.u32.u64 %r3, %rd6; add.u32 %r0, %r0, %r3;\n"
      "alloca.u64 %rd1, %rd5; stackrestore.u64 %rd5; stacksave.u64 %rd6; sub.u64 %rd6, %rd6, %rd5;\n"
      "cvt.u32.u64 %r3, %rd6; add.u32 %r0, %r0, %r3;",
      {1}, {40}, before);
  CHECK(out[3] == 30);
  CHECK(out[39] == 390);
  CHECK(Case(storing("mov.u64 %rd0, 600000; alloca.u64 %rd1, %rd0;"))
            .error("k", {1}, {1}, {0})
            .find("t.ptx:7: alloca of 600000 bytes, behind 0 (legal: 524288 together); kernel k") == 0);
}

TEST_CASE("alloca gives a thread all that it may have, and not a byte more") {
  const std::string all = "mov.u64 %rd0, 524288; alloca.u64 %rd1, %rd0;\n";
  CHECK(stored(all + "st.local.u32 [%rd1+524284], 9; ld.local.u32 %r0, [%rd1+524284];", {1}, {1})[0] == 9);
  CHECK(Case(storing(all + "mov.u64 %rd0, 1; alloca.u64 %rd1, %rd0;"))
            .error("k", {1}, {1}, {0})
            .find("t.ptx:8: alloca of 1 bytes, behind 524288 (legal: 524288 together); kernel k") == 0);
}

TEST_CASE("special registers as whole vectors, and as 16 bits") {
  CHECK(
      stored("mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid; mad.lo.u32 %r0, %r2, 100, %r1; add.u32 %r0, %r0, %r4;\n"
             "mad.lo.u32 %r30, %r2, 4, %r1;",
             {1}, {4, 3})[6] == 102);
  CHECK(stored("mov.v4.u32 {%r1, %r2, %r3, %r4}, %ntid; mad.lo.u32 %r0, %r2, 100, %r1;", {1}, {4, 3})[0] ==
        304);
  CHECK(stored("mov.u16 %rs0, %ntid.x; cvt.u32.u16 %r0, %rs0;", {1}, {33})[32] == 33);
}

TEST_CASE("clocks go on, and sleeping counts") {
  CHECK(stored(
            "mov.u64 %rd0, %globaltimer; nanosleep.u32 5000; mov.u64 %rd1, %globaltimer; sub.u64 %rd0, %rd1, "
            "%rd0; setp.ge.u64 %p1, %rd0, 5000; selp.u32 %r0, 1, 0, %p1;",
            {1}, {32})[7] == 1);
  for (const char* clock : {"%clock64", "%globaltimer"}) {  // 5000 of sleep and some instructions, no more
    const std::string c = clock;
    const uint32_t passed = stored("mov.u64 %rd0, " + c + "; nanosleep.u32 5000; mov.u64 %rd1, " + c +
                                       "; sub.u64 %rd0, %rd1, %rd0; cvt.u32.u64 %r0, %rd0;",
                                   {1}, {32})[7];
    CHECK(passed >= 5000);
    CHECK(passed < 5100);
  }
  CHECK(stored("mov.u32 %r0, %clock_hi;", {1}, {1})[0] == 0);
  // A loop with a time limit ends.
  CHECK(stored(
            "mov.u32 %r0, 7; mov.u64 %rd0, %globaltimer; l: nanosleep.u32 1000; mov.u64 %rd1, %globaltimer;\n"
            "sub.u64 %rd1, %rd1, %rd0; setp.lt.u64 %p1, %rd1, 1000000; @%p1 bra l;",
            {1}, {1})[0] == 7);
}

TEST_CASE("hints change nothing, but what they name has to be there") {
  const std::string data = ".global .align 128 .u32 g[64] = {5};\n";
  CHECK(stored("createpolicy.fractional.L2::evict_last.b64 %rd0, 1.0;\n"
               "prefetch.global.L2 [g]; applypriority.global.L2::evict_normal [g], 128;\n"
               "ld.global.L2::cache_hint.u32 %r0, [g], %rd0;",
               {1}, {1}, data)[0] == 5);
  Case c(storing("discard.global.L2 [g+4], 128;", data));
  CHECK(c.error("k", {1}, {1}, {0}).find("hint of 128 bytes at") != std::string::npos);
  CHECK(c.error("k", {1}, {1}, {0}).find("is misaligned (legal: multiples of 128)") != std::string::npos);
  CHECK(Case(storing("discard.global.L2 [g+256], 128;", data))
            .error("k", {1}, {1}, {0})
            .find("out of bounds (nearest allocation: 256 bytes") != std::string::npos);
}

}  // namespace heddle::exec::test
