// Lanes that work together, and barriers. Values by hand from ptx.md 2.7 and 2.12.
#include <catch2/catch.hpp>

#include <bit>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {

TEST_CASE("shuffles") {
  SECTION("down: the last two lanes keep their own") {
    const auto out = stored(
        "add.u32 %r1, %r31, 100; shfl.sync.down.b32 %r0|%p1, %r1, 2, 31, -1; @!%p1 add.u32 %r0, %r0, 1000;",
        {1}, {32});
    CHECK(out[0] == 102);
    CHECK(out[29] == 131);
    CHECK(out[30] == 1130);
    CHECK(out[31] == 1131);
  }
  SECTION("up, within segments of 8") {
    // c = 0 | (0b11000 << 8)
    const auto out =
        stored("shfl.sync.up.b32 %r0|%p1, %r31, 3, 6144, -1; @!%p1 add.u32 %r0, %r0, 1000;", {1}, {32});
    CHECK(out[2] == 1002);
    CHECK(out[3] == 0);
    CHECK(out[8] == 1008);
    CHECK(out[15] == 12);
  }
  SECTION("butterfly within segments of 16: the other half's lanes give themselves") {
    // c = 15 | (16 << 8)
    const auto out =
        stored("shfl.sync.bfly.b32 %r0|%p1, %r31, 16, 4111, -1; @!%p1 add.u32 %r0, %r0, 1000;", {1}, {32});
    CHECK(out[3] == 1003);  // 19 > 15
    CHECK(out[20] == 4);    // 4 <= 31
  }
  SECTION("index: taken within the segment") {
    const auto out = stored("shfl.sync.idx.b32 %r0, %r31, 5, 6175, -1;", {1}, {32});  // 31 | 24 << 8
    CHECK(out[0] == 5);
    CHECK(out[17] == 21);
  }
}

TEST_CASE("lanes that end are waited for no longer by who came before and who comes behind") {
  // Lanes 0 to 3 come first, lanes 4 to 7 end, the others come to another place.
  const auto out = stored(
      "setp.ge.u32 %p1, %r31, 4; @%p1 bra other; bar.warp.sync -1; mov.u32 %r0, 1; bra.uni end;\n"
      "other: setp.ge.u32 %p2, %r31, 8; @%p2 bra last; ret;\n"
      "last: bar.warp.sync -1; mov.u32 %r0, 2;",
      {1}, {32});
  for (uint32_t t = 0; t < 32; ++t) {
    CHECK(out[t] == (t < 4 ? 1 : t < 8 ? 0 : 2));
  }
}

TEST_CASE("the last lanes that are waited for end: those who wait go on") {
  for (const char* wait :
       {"bar.warp.sync -1;", "vote.sync.any.pred %p2, %p1, -1;", "barrier.sync 0;", "barrier.sync 0, 32;"}) {
    CAPTURE(wait);
    const auto out = stored("setp.ge.u32 %p1, %r31, 4; @%p1 bra other; " + std::string(wait) +
                                " mov.u32 %r0, 1; bra.uni end;\nother: ret;",
                            {1}, {32});
    for (uint32_t t = 0; t < 32; ++t) {
      CHECK(out[t] == (t < 4 ? 1 : 0));
    }
  }
}

TEST_CASE("votes, matches, reductions") {
  CHECK(stored("setp.lt.u32 %p1, %r31, 3; vote.sync.ballot.b32 %r0, %p1, -1;", {1}, {32})[9] == 7);
  CHECK(stored("setp.lt.u32 %p1, %r31, 3; vote.sync.ballot.b32 %r0, !%p1, -1;", {1}, {32})[9] == 0xfffffff8);
  CHECK(stored("setp.lt.u32 %p1, %r31, 40; vote.sync.all.pred %p2, %p1, -1; selp.u32 %r0, 1, 2, %p2;", {1},
               {32})[9] == 1);
  CHECK(stored("setp.lt.u32 %p1, %r31, 3; vote.sync.any.pred %p2, %p1, -1; selp.u32 %r0, 1, 2, %p2;", {1},
               {32})[9] == 1);
  CHECK(stored("setp.lt.u32 %p1, %r31, 3; vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r0, 1, 2, %p2;", {1},
               {32})[9] == 2);
  CHECK(stored("and.b32 %r1, %r31, 3; match.any.sync.b32 %r0, %r1, -1;", {1}, {32})[6] == 0x44444444);
  CHECK(stored("and.b32 %r1, %r31, 3; match.all.sync.b32 %r0|%p1, %r1, -1; @%p1 mov.u32 %r0, 9;", {1},
               {32})[6] == 0);
  CHECK(stored("mov.u32 %r1, 3; match.all.sync.b32 %r0|%p1, %r1, -1;", {1}, {32})[6] == 0xffffffff);
  CHECK(stored("redux.sync.add.u32 %r0, %r31, -1;", {1}, {32})[31] == 496);
  CHECK(stored("sub.u32 %r1, %r31, 5; redux.sync.min.s32 %r0, %r1, -1;", {1}, {32})[0] == 0xfffffffb);
  CHECK(stored("sub.u32 %r1, %r31, 5; redux.sync.min.u32 %r0, %r1, -1;", {1}, {32})[0] == 0);
  CHECK(stored("shl.b32 %r1, 1, %r31; redux.sync.or.b32 %r0, %r1, -1;", {1}, {32})[0] == 0xffffffff);
  CHECK(stored("setp.gt.u32 %p2, %r31, 3; @%p2 elect.sync %r1|%p1, 0xf0; selp.u32 %r0, %r1, 99, %p1;", {1},
               {8})[4] == 4);
}

TEST_CASE("lanes with other masks, and lanes that come from elsewhere") {
  // Each group of equal lanes reduces by itself.
  const auto groups = stored(
      "and.b32 %r1, %r31, 3; match.any.sync.b32 %r2, %r1, -1; redux.sync.add.u32 %r0, %r31, %r2;", {1}, {32});
  CHECK(groups[0] == 112);  // 0 + 4 + ... + 28
  CHECK(groups[3] == 136);  // 3 + 7 + ... + 31
  // The two sides of a branch exchange their values: lane 0 is in one, lane 16 in the other.
  const auto sides = stored(
      "setp.lt.u32 %p1, %r31, 16; @%p1 bra low;\n"
      "add.u32 %r1, %r31, 500; shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1; bra.uni end;\n"
      "low: add.u32 %r1, %r31, 900; shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1;",
      {1}, {32});
  CHECK(sides[0] == 516);
  CHECK(sides[16] == 900);
}

TEST_CASE("a lane that ended is waited for by nobody") {
  const auto out = stored(
      "setp.eq.u32 %p1, %r31, 1; @%p1 exit; bar.warp.sync -1; vote.sync.ballot.b32 %r0, 1, -1;", {1}, {32});
  CHECK(out[0] == 0xfffffffd);
}

TEST_CASE("a barrier for all: warps read what the others wrote") {
  // Reversal of 256 values through shared memory.
  const auto out = stored(
      "mov.u32 %r1, buf; shl.b32 %r2, %r31, 2; add.u32 %r2, %r1, %r2; st.shared.u32 [%r2], %r31; bar.sync "
      "0;\n"
      "sub.u32 %r3, 255, %r31; shl.b32 %r3, %r3, 2; add.u32 %r3, %r1, %r3; ld.shared.u32 %r0, [%r3];",
      {3}, {256}, ".shared .align 4 .b8 buf[1024];\n", 2);
  for (uint32_t i = 0; i < out.size(); ++i) {
    CHECK(out[i] == 255 - i % 256);
  }
}

TEST_CASE("barriers that reduce") {
  CHECK(stored("setp.lt.u32 %p1, %r31, 70; bar.red.popc.u32 %r0, 0, %p1;", {1}, {128})[99] == 70);
  CHECK(stored("setp.lt.u32 %p1, %r31, 70; bar.red.popc.u32 %r0, 0, !%p1;", {1}, {128})[99] == 58);
  CHECK(stored("setp.lt.u32 %p1, %r31, 70; bar.red.or.pred %p2, 0, %p1; selp.u32 %r0, 1, 0, %p2;", {1},
               {128})[99] == 1);
  CHECK(stored("setp.lt.u32 %p1, %r31, 70; bar.red.and.pred %p2, 0, %p1; selp.u32 %r0, 1, 0, %p2;", {1},
               {128})[99] == 0);
  CHECK(stored("setp.lt.u32 %p1, %r31, 128; bar.red.and.pred %p2, 3, 128, %p1; selp.u32 %r0, 1, 0, %p2;", {1},
               {128})[9] == 1);
}

TEST_CASE("producers arrive, consumers wait") {
  // Warp 1 stores and arrives; warp 0 waits for both.
  const auto out = stored(
      "mov.u32 %r0, 0; setp.lt.u32 %p1, %r31, 32; @%p1 bra consume;\n"
      "st.shared.u32 [word], 77; bar.arrive 4, 64; bra.uni end;\n"
      "consume: bar.sync 4, 64; ld.shared.u32 %r0, [word];",
      {1}, {64}, ".shared .u32 word;\n");
  CHECK(out[5] == 77);
  CHECK(out[40] == 0);
}

TEST_CASE("a barrier that is wrong") {
  const auto error = [](const std::string& statements) {
    return Case(storing(statements)).error("k", {1}, {32}, {0});
  };
  CHECK(error("mov.u32 %r1, 16; bar.sync %r1;").find("barrier 16 (legal: 0 to 15)") != std::string::npos);
  CHECK(error("mov.u32 %r1, 33; bar.sync 1, %r1;").find("barrier for 33 threads (legal: multiples of 32") !=
        std::string::npos);
}

}  // namespace heddle::exec::test
