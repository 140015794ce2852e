// Warps without independent threads (below compute capability 7.0): one path at a time, the newest first.
#include <catch2/catch.hpp>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {

constexpr const char* kOld = "sm_61";

// Each lane takes the lock in a loop and gives it back behind the loop: where it waits for the others.
constexpr const char* kLockOfLanes =
    ".entry k(.param .u64 lock) {\n"
    ".reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;\n"
    "ld.param.u64 %rd0, [lock];\n"
    "spin: atom.global.cas.b32 %r0, [%rd0], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra spin;\n"
    "membar.gl; atom.global.exch.b32 %r2, [%rd0], 0; ret; }";

TEST_CASE("a spin lock among the lanes of a warp is a live lock, and said to be one") {
  Case old(kLockOfLanes, kOld);
  const std::string error = old.error("k", {1}, {32}, {old.buffer<uint32_t>({0})});
  CHECK(error.find("wait in loops for something that does not come") != std::string::npos);
  CHECK(error.find("lanes 0xfffffffe at t.ptx:5 (looking) while lanes 0x1 of the same warp wait for these to "
                   "meet them: a "
                   "live lock") != std::string::npos);
}

TEST_CASE("the same lock is taken by every lane from 7.0 on, by one lane a warp before") {
  Case volta(kLockOfLanes, "sm_70");
  CHECK(volta.error("k", {1}, {32}, {volta.buffer<uint32_t>({0})}).empty());
  Case old(kLockOfLanes, kOld);
  CHECK(old.error("k", {8}, {1}, {old.buffer<uint32_t>({0})}).empty());
}

TEST_CASE("a GPU without independent threads, whatever the code was made for") {
  Case c(kLockOfLanes);
  const ptx::Function& f = c.program().kernel("k");
  const uint64_t lock = c.buffer<uint32_t>({0});
  ptx::Program program(
      ptx::parse("t.ptx", ".version 8.8 .target sm_90 .address_size 64\n" + std::string(kLockOfLanes)),
      c.memory);
  Launch launch = program.launch(program.kernel("k"));
  launch.grid = {1, 1, 1};
  launch.block = {32, 1, 1};
  ptx::set_parameter(ptx::parameter(c.program().module(), f, 0), lock, launch);
  CHECK_NOTHROW(execute(launch, {}));
  launch.reconvergence_stack = true;
  CHECK_THROWS_AS(execute(launch, {}), Error);
  CHECK(reconverges_by_stack(62));
  CHECK_FALSE(reconverges_by_stack(70));
}

// What each lane stores: its place in the order in which paths take numbers, one number for a path.
std::vector<uint32_t> order_of(std::string_view statements, std::string_view target) {
  Case c(
      ".entry k(.param .u64 out, .param .u64 next) {\n"
      ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<8>;\n"
      "mov.u32 %r7, %tid.x; ld.param.u64 %rd0, [next]; mov.u32 %r0, 99;\n" +
          std::string(statements) +
          "\nld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r7, 4; add.u64 %rd1, %rd1, %rd2;\n"
          "st.global.u32 [%rd1], %r0; ret; }",
      target);
  const uint64_t next = c.buffer<uint32_t>({0}), out = c.buffer(std::vector<uint32_t>(32));
  c.run("k", {1}, {32}, {out, next});
  return c.get<uint32_t>(out, 32);
}

// ld, add 1, st: the lanes of a path all read the same.
const std::string kTake =
    "ld.volatile.global.u32 %r0, [%rd0]; add.u32 %r1, %r0, 1; st.volatile.global.u32 [%rd0], %r1;\n";

TEST_CASE("nested: the newest path runs to where both meet, then the one below it") {
  // Lanes 16 to 31 jump and so go first; of these 24 to 31 jump again.
  const auto order = order_of("setp.ge.u32 %p0, %r7, 16; setp.ge.u32 %p1, %r7, 24;\n@%p0 bra upper;\n" +
                                  kTake + "bra.uni meet;\nupper: @%p1 bra top;\n" + kTake +
                                  "bra.uni meet;\ntop:\n" + kTake + "meet:",
                              kOld);
  CHECK(order[24] == 0);
  CHECK(order[31] == 0);
  CHECK(order[16] == 1);
  CHECK(order[0] == 2);
}

TEST_CASE("lanes that have parted and met are one path again") {
  const auto order =
      order_of("setp.ge.u32 %p0, %r7, 16; @%p0 bra meet;\n" + kTake + "meet: activemask.b32 %r0;", "sm_60");
  CHECK(order == std::vector<uint32_t>(32, 0xffffffff));
}

TEST_CASE("a barrier counts a warp when any of its lanes come (SI20)") {
  // Half of each warp at one barrier, half at another instruction with the same one: two phases.
  const std::string text = storing(
      "mov.u32 %r0, 1; and.b32 %r1, %r31, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra even;\n"
      "bar.sync 0; add.u32 %r0, %r0, 1; bra.uni meet;\neven: bar.sync 0; add.u32 %r0, %r0, 2;\nmeet:");
  Case old(text, kOld);
  const uint64_t out = old.buffer(std::vector<uint32_t>(64));
  old.run("k", {1}, {64}, {out});
  const auto values = old.get<uint32_t>(out, 64);
  CHECK(values[0] == 3);
  CHECK(values[63] == 2);
}

TEST_CASE("a shuffle for lanes that have parted is an error") {
  const std::string text = storing(
      "mov.u32 %r0, 1; setp.lt.u32 %p1, %r31, 16; @%p1 bra low; bra.uni meet;\n"
      "low: shfl.sync.idx.b32 %r0, %r31, 0, 31, 0xffffffff;\nmeet:");
  Case old(text, kOld);
  const std::string error = old.error("k", {1}, {32}, {old.buffer(std::vector<uint32_t>(32))});
  CHECK(
      error.find("lanes 0xffff wait for others of 0xffffffff, which have parted from them and cannot come") !=
      std::string::npos);
}

}  // namespace heddle::exec::test
