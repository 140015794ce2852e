// Barrier objects (mbarrier). Values by hand from ptx.md 2.11.
#include <catch2/catch.hpp>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {

constexpr const char* kObject =
    ".shared .align 8 .b64 bar; .shared .align 8 .b64 other; .shared .u32 word;\n";

uint32_t one(std::string_view statements) { return stored(statements, {1}, {1}, kObject)[0]; }

std::string wrong(std::string_view statements) {
  return Case(storing(statements, kObject)).error("k", {1}, {1}, {0});
}

TEST_CASE("a phase ends with its last arrival") {
  // The state before the second arrival is of the phase that ends with it; two more begin and end the next.
  CHECK(one("mbarrier.init.shared::cta.b64 [bar], 2; mbarrier.arrive.shared::cta.b64 %rd0, [bar];\n"
            "mbarrier.test_wait.shared::cta.b64 %p0, [bar], %rd0; selp.u32 %r0, 1, 0, %p0;\n"
            "mbarrier.arrive.shared::cta.b64 %rd1, [bar]; mbarrier.test_wait.shared::cta.b64 %p0, [bar], "
            "%rd1;\n"
            "@%p0 add.u32 %r0, %r0, 2; mbarrier.arrive.shared::cta.b64 %rd2, [bar], 2;\n"
            "mbarrier.test_wait.shared::cta.b64 %p0, [bar], %rd2; @%p0 add.u32 %r0, %r0, 4;") == 6);
}

TEST_CASE("parity: a fresh object has passed the phase before its first") {
  CHECK(one("mbarrier.init.b64 [bar], 1; mbarrier.test_wait.parity.b64 %p0, [bar], 1; selp.u32 %r0, 1, 0, "
            "%p0;\n"
            "mbarrier.try_wait.parity.b64 %p0, [bar], 0; @%p0 add.u32 %r0, %r0, 2;\n"
            "mbarrier.arrive.b64 _, [bar]; mbarrier.try_wait.parity.b64 %p0, [bar], 0, 1000;\n"
            "@%p0 add.u32 %r0, %r0, 4;") == 5);
}

TEST_CASE("bytes: a phase ends when all have come, before or after they are expected") {
  CHECK(one("mbarrier.init.shared.b64 [bar], 1; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16;\n"
            "mbarrier.arrive.expect_tx.shared.b64 %rd0, [bar], 8;\n"
            "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 20; mbarrier.test_wait.shared.b64 %p0, "
            "[bar], "
            "%rd0; selp.u32 %r0, 1, 0, %p0;\n"
            "mbarrier.complete_tx.shared::cta.b64 [bar], 4; mbarrier.test_wait.shared.b64 %p0, [bar], %rd0;\n"
            "@%p0 add.u32 %r0, %r0, 2; mbarrier.complete_tx.shared::cta.b64 [bar], 32;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32; mbarrier.test_wait.parity.shared.b64 %p0, "
            "[bar], 1;\n"
            "@%p0 add.u32 %r0, %r0, 4;") == 6);
}

TEST_CASE("dropping, arrivals that do not complete, counts of a state") {
  CHECK(one("mbarrier.init.shared.b64 [bar], 5; mbarrier.arrive.noComplete.shared.b64 %rd0, [bar], 3;\n"
            "mbarrier.pending_count.b64 %r0, %rd0; mbarrier.arrive_drop.shared.b64 %rd1, [bar];\n"
            "mbarrier.pending_count.b64 %r1, %rd1; mad.lo.u32 %r0, %r1, 10, %r0;\n"
            "mbarrier.arrive.shared.b64 %rd2, [bar]; mbarrier.arrive.shared.b64 %rd3, [bar];\n"
            "mbarrier.pending_count.b64 %r1, %rd3; mad.lo.u32 %r0, %r1, 100, %r0;") == 425);
}

TEST_CASE("the object is the bytes: a copy of it goes on where it was") {
  CHECK(one("mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %rd0, [bar]; ld.shared.b64 %rd1, "
            "[bar];\n"
            "st.shared.b64 [other], %rd1; mbarrier.arrive.shared.b64 %rd2, [other];\n"
            "mbarrier.test_wait.shared.b64 %p0, [bar], %rd0; mbarrier.test_wait.shared.b64 %p1, [other], "
            "%rd0;\n"
            "selp.u32 %r0, 1, 0, %p0; @%p1 add.u32 %r0, %r0, 2; mbarrier.inval.shared.b64 [bar];\n"
            "ld.shared.b64 %rd3, [bar]; setp.eq.b64 %p2, %rd3, 0; @%p2 add.u32 %r0, %r0, 4;") == 6);
}

TEST_CASE("warps wait for a thread that is slow, in one block and in several") {
  const auto out = stored(
      "setp.eq.u32 %p1, %r31, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;\n"
      "setp.ne.u32 %p1, %r31, 70; @%p1 bra wait; mov.u32 %r1, 0;\n"
      "slow: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 300000; @%p2 bra slow;\n"
      "st.shared.u32 [word], 77; mbarrier.arrive.shared.b64 _, [bar];\n"
      "wait: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra wait; ld.shared.u32 %r0, [word];",
      {3}, {96}, kObject, 2);
  CHECK(out[0] == 77);
  CHECK(out[2 * 96 + 95] == 77);
}

TEST_CASE("what is wrong with a barrier object") {
  CHECK(wrong("mbarrier.arrive.shared.b64 _, [bar];")
            .find("t.ptx:8: there is no barrier object at 0x400 in shared") == 0);
  CHECK(wrong("mbarrier.init.shared.b64 [bar], 0;").find("for 0 arrivals (legal: 1 to 1048575)") !=
        std::string::npos);
  CHECK(wrong("mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 _, [bar], 3;")
            .find("3 arrivals at the barrier object at 0x400 (legal: 1 to 2") != std::string::npos);
  CHECK(wrong("mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.noComplete.shared.b64 %rd0, [bar], 2;")
            .find(".noComplete ends the phase") != std::string::npos);
  CHECK(wrong("mbarrier.init.shared.b64 [bar+4], 2;").find("misaligned (legal: multiples of 8)") !=
        std::string::npos);
  CHECK(wrong("mbarrier.init.shared.b64 [bar], 1; mbarrier.expect_tx.shared.b64 [bar], 2000000;")
            .find("2000000 bytes under way") != std::string::npos);
  CHECK(wrong("ld.param.u64 %rd0, [out]; mov.u64 %rd1, out; mbarrier.init.b64 [%rd1], 1;")
            .find("which cannot be written") != std::string::npos);
}

TEST_CASE("a wait that never ends is reported with its place") {
  const std::string e = wrong(
      "mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %rd0, [bar];\n"
      "w: mbarrier.try_wait.shared.b64 %p0, [bar], %rd0; @!%p0 bra w;");
  CHECK(e.find("wait in loops for something that does not come; warp 0: lanes 0x1 at t.ptx:9") !=
        std::string::npos);
}

}  // namespace heddle::exec::test
