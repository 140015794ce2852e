// How lanes part and meet, and who makes progress.
#include <catch2/catch.hpp>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {

TEST_CASE("both sides of a branch, and lanes meet behind it") {
  // Odd lanes 100 + lane, even ones 200 + lane; then all are active together.
  const auto out = stored(
      "and.b32 %r1, %r31, 1; setp.eq.u32 %p1, %r1, 1; @%p1 bra odd;\n"
      "add.u32 %r0, %r31, 200; bra.uni meet;\n"
      "odd: add.u32 %r0, %r31, 100;\n"
      "meet: activemask.b32 %r2; setp.eq.u32 %p2, %r2, 0xffffffff; @!%p2 mov.u32 %r0, 0;",
      {1}, {32});
  for (uint32_t i = 0; i < 32; ++i) {
    CHECK(out[i] == (i % 2 == 1 ? 100 : 200) + i);
  }
}

TEST_CASE("a loop whose lanes leave it one after the other") {
  // The sum of 0..lane; whoever leaves waits, so the instructions are those of the longest.
  Case c(
      storing("mov.u32 %r0, 0; mov.u32 %r1, 0;\n"
              "loop: add.u32 %r0, %r0, %r1; add.u32 %r1, %r1, 1; setp.le.u32 %p1, %r1, %r31;\n"
              "@%p1 bra loop;"));
  const uint64_t out = c.buffer(std::vector<uint32_t>(32));
  const ExecuteResult r = c.run("k", {1}, {32}, {out});
  const auto values = c.get<uint32_t>(out, 32);
  for (uint32_t i = 0; i < 32; ++i) {
    CHECK(values[i] == i * (i + 1) / 2);
  }
  // 4 of the head, 2 before the loop, 32 turns of 4, 5 at the end.
  CHECK(r.instructions == 4 + 2 + 32 * 4 + 5);
  // Of the loop's thread instructions, lane i has i + 1 turns of 4, but for its last branch.
  CHECK(r.thread_instructions == 32 * (4 + 2 + 5) + 4 * (32 * 33 / 2) - 32);
}

TEST_CASE("lanes that end at once hold nobody up") {
  const auto out = stored(
      "mov.u32 %r0, 7; setp.lt.u32 %p1, %r31, 10; @%p1 exit; bar.sync 0; activemask.b32 %r0;", {1}, {64});
  CHECK(out[0] == 0);
  CHECK(out[10] == 0xfffffc00);
  CHECK(out[40] == 0xffffffff);
}

TEST_CASE("nested branches meet from the inside out") {
  const auto out = stored(
      "mov.u32 %r0, 0; setp.lt.u32 %p1, %r31, 16; @!%p1 bra upper;\n"
      "setp.lt.u32 %p2, %r31, 4; @!%p2 bra inner;\n"
      "add.u32 %r0, %r0, 1;\n"
      "inner: activemask.b32 %r1; add.u32 %r0, %r0, %r1; bra.uni meet;\n"
      "upper: activemask.b32 %r0;\n"
      "meet: activemask.b32 %r2; xor.b32 %r0, %r0, %r2;",
      {1}, {32});
  CHECK(out[0] == (0x10000 ^ 0xffffffff));  // 0xffff + 1
  CHECK(out[5] == (0xffff ^ 0xffffffff));
  CHECK(out[20] == (0xffff0000 ^ 0xffffffff));
}

TEST_CASE("a spin lock among the lanes of one warp") {
  // Each lane takes the lock in a loop, adds 1 to a counter without atomics, and gives it back behind the
  // loop: where it would wait for the others, if it did wait.
  Case c(
      ".entry k(.param .u64 lock, .param .u64 counter) {\n"
      ".reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;\n"
      "ld.param.u64 %rd0, [lock]; ld.param.u64 %rd1, [counter];\n"
      "spin: atom.global.cas.b32 %r0, [%rd0], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra spin;\n"
      "ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.volatile.global.u32 [%rd1], %r1;\n"
      "membar.gl; atom.global.exch.b32 %r2, [%rd0], 0; ret; }");
  const uint64_t lock = c.buffer<uint32_t>({0}), counter = c.buffer<uint32_t>({0});
  c.options.threads = 2;
  c.run("k", {3}, {64}, {lock, counter});
  CHECK(c.get<uint32_t>(counter, 1)[0] == 3 * 64);
}

TEST_CASE("one half of a warp waits for what the other half stores") {
  // Lane 0 looks with plain loads until lane 31, which the branch sends elsewhere, has stored.
  Case c(
      ".entry k(.param .u64 flag, .param .u64 out) {\n"
      ".reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<2>;\n"
      "ld.param.u64 %rd0, [flag]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x;\n"
      "setp.eq.u32 %p0, %r0, 31; @%p0 bra stores;\n"
      "look: ld.global.u32 %r1, [%rd0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra look;\n"
      "st.global.u32 [%rd1], %r1; ret;\n"
      "stores: st.global.u32 [%rd0], 5; ret; }");
  const uint64_t flag = c.buffer<uint32_t>({0}), out = c.buffer<uint32_t>({0});
  c.run("k", {1}, {32}, {flag, out});
  CHECK(c.get<uint32_t>(out, 1)[0] == 5);
}

TEST_CASE("blocks that wait for each other") {
  // Each block adds itself and waits until all have.
  for (const int threads : {1, 2, 4}) {
    Case c(
        ".entry k(.param .u64 count, .param .u64 out) {\n"
        ".reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<2>;\n"
        "ld.param.u64 %rd0, [count]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r3, %nctaid.x;\n"
        "mov.u32 %r4, %ctaid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra meet;\n"
        "red.release.gpu.global.add.u32 [%rd0], 1;\n"
        "look: ld.acquire.gpu.global.u32 %r1, [%rd0]; setp.lt.u32 %p1, %r1, %r3; @%p1 bra look;\n"
        "meet: bar.sync 0; ld.global.u32 %r1, [%rd0]; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd1, %rd2;\n"
        "st.global.u32 [%rd2], %r1; ret; }");
    c.options.threads = threads;
    const uint64_t count = c.buffer<uint32_t>({0}), out = c.buffer(std::vector<uint32_t>(100));
    c.run("k", {100}, {64}, {count, out});
    CHECK(c.get<uint32_t>(out, 100) == std::vector<uint32_t>(100, 100));
  }
}

TEST_CASE("blocks beyond those that may begin are waited for in vain") {
  Case c(
      ".entry k(.param .u64 count) {\n"
      ".reg .b64 %rd; .reg .b32 %r<4>; .reg .pred %p;\n"
      "ld.param.u64 %rd, [count]; mov.u32 %r1, %nctaid.x; red.global.add.u32 [%rd], 1;\n"
      "look: ld.volatile.global.u32 %r0, [%rd]; setp.lt.u32 %p, %r0, %r1; @%p bra look; ret; }");
  c.options.resident = 4;
  const uint64_t count = c.buffer<uint32_t>({0});
  CHECK(c.error("k", {5}, {1}, {count}).find("all 4 blocks that have begun wait in loops") !=
        std::string::npos);
}

TEST_CASE("an endless loop ends at the limit") {
  Case c(".entry k() { here: bra here; }");
  c.most_instructions = 10'000'000;
  CHECK(c.error("k", {1}, {32}, {}) == "t.ptx: kernel k has executed more than 10000000 instructions");
}

TEST_CASE("a warp that has looked in vain looks again when others have written") {
  std::string work;
  for (int i = 0; i < 9; ++i) {
    work += "add.u32 %r3, %r3, 1; ";
  }
  Case c(
      ".entry k(.param .u64 flag) {\n"
      ".reg .b64 %rd; .reg .b32 %r<4>; .reg .pred %p;\n"
      "ld.param.u64 %rd, [flag]; mov.u32 %r0, %tid.x; setp.ge.u32 %p, %r0, 32; @%p bra works;\n"
      "look: ld.volatile.global.u32 %r1, [%rd]; setp.eq.u32 %p, %r1, 0; @%p bra look; ret;\n"
      "works: mov.u32 %r2, 0;\n"
      "turn: " +
      work +
      "add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 8000; @%p bra turn;\n"
      "st.volatile.global.u32 [%rd], 1; ret; }");
  const uint64_t flag = c.buffer<uint32_t>({0});
  // Warp 0: 4 of the head, 64 turns of 3, then one when warp 1 has stored, which takes this two goes of 65536
  // instructions; 1. Warp 1: 4, 1, 8000 turns of 12, 2.
  CHECK(c.run("k", {1}, {64}, {flag}).instructions == 4 + 64 * 3 + 3 + 1 + 4 + 1 + 96000 + 2);
}

TEST_CASE("lanes wait where all meet for one that stores in a loop: it waits for nobody, however long") {
  const auto out = stored(
      "ld.param.u64 %rd0, [out]; mov.u32 %r2, 0; setp.ne.u32 %p1, %r31, 0; @%p1 bra meet;\n"
      "l: st.global.u32 [%rd0], %r2; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 20000; @%p2 bra l;\n"
      "meet: activemask.b32 %r0;",
      {1}, {32});
  CHECK(out == std::vector<uint32_t>(32, ~0U));
}

TEST_CASE("branch through a table") {
  const auto out = stored(
      "ts: .branchtargets a, b; shr.u32 %r1, %r31, 4; brx.idx %r1, ts;\n"
      "a: mov.u32 %r0, 10; bra.uni meet;\n"
      "b: mov.u32 %r0, 20;\n"

      "meet: activemask.b32 %r2; add.u32 %r0, %r0, %r2;",
      {1}, {32});
  for (uint32_t i = 0; i < 32; ++i) {
    CHECK(out[i] == 10 * (i / 16 + 1) - 1);  // all meet: 0xffffffff is added
  }
}

}  // namespace heddle::exec::test
