// What --check finds besides errors.
#include <catch2/catch.hpp>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {
namespace {

constexpr const char* kShared =
    ".shared .align 16 .u32 v[32]; .global .u32 g[4]; .shared .align 8 .b64 bar;\n";

std::string found(const std::string& statements, Checks checks, isa::Dim3 block = {1}) {
  Case c(storing(statements, kShared));
  c.checks = checks;
  const uint64_t out = c.buffer(std::vector<uint32_t>(64));
  return c.error("k", {1}, block, {out});
}

}  // namespace

TEST_CASE("init: shared memory that nobody wrote") {
  const Checks init{true, false, false};
  CHECK(found("ld.shared.u32 %r0, [v+8];", init)
            .find("t.ptx:8: load of 4 bytes at 0x408 in shared memory, of which some were never written; "
                  "kernel k, thread "
                  "(0, 0, 0) of block (0, 0, 0)") == 0);
  CHECK(found("ld.shared.u32 %r0, [v+8];", {}).empty());
  CHECK(found("st.shared.u16 [v+8], 1; ld.shared.u16 %r0, [v+8];", init).empty());
  CHECK_FALSE(found("st.shared.u16 [v+8], 1; ld.shared.u32 %r0, [v+8];", init).empty());
  CHECK_FALSE(found("atom.shared.add.u32 %r0, [v], 1;", init).empty());
  CHECK(found("cp.async.ca.shared.global [v+4], [g], 4; ld.shared.u32 %r0, [v+4];", init).empty());
  CHECK(
      found("mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.shared.b64 %rd0, [bar];\n"
            "cp.async.bulk.global.shared::cta.bulk_group [g], [v], 16;",
            init)
          .find(
              "t.ptx:9: bulk copy of 16 bytes at 0x400 in shared memory, of which some were never written") ==
      0);
}

TEST_CASE("init: global memory that was allocated and not written") {
  const std::string text =
      ".global .u32 g[4];\n.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>; ld.param.u64 %rd0, "
      "[p];\n"
      "ld.global.u32 %r0, [g];\n"
      "st.global.u32 [%rd0], 1; ld.global.u32 %r0, [%rd0]; ld.u32 %r0, [%rd0+4]; ret; }";
  auto module = [&] { return ptx::parse("t.ptx", ".version 8.8 .target sm_90 .address_size 64\n" + text); };
  Memory memory;
  memory.track_writes();
  ptx::Program program(module(), memory);
  const ptx::Function& k = program.kernel("k");
  Launch launch = program.launch(k);
  launch.checks.init = true;
  const uint64_t p = memory.allocate(64);
  ptx::set_parameter(ptx::parameter(program.module(), k, 0), p, launch);
  std::string what;
  try {
    execute(launch, {});
  } catch (const Error& e) {
    what = e.what();
  }
  CHECK(what.find("t.ptx:5: load of 4 bytes at 0x") == 0);
  CHECK(what.find("in global memory, of which some were never written") != std::string::npos);
  memory.write(p + 4, std::vector<uint8_t>(4));
  execute(launch, {});
}

TEST_CASE("sync: an aligned barrier that a warp comes to at two places") {
  const std::string code =
      "mov.u32 %r0, 0; setp.lt.u32 %p1, %r31, 8; @%p1 bra low;\nbar.sync 0; bra.uni end;\nlow: bar.sync 0;";
  CHECK(found(code, {}, {32}).empty());
  const std::string what = found(code, {false, false, true}, {32});
  CHECK(what.find("aligned barrier 0 in diverged code: lanes 0x") != std::string::npos);
  CHECK(what.find("t.ptx:9") != std::string::npos);
  CHECK(what.find("t.ptx:10") != std::string::npos);
  CHECK(found("mov.u32 %r0, 0; setp.lt.u32 %p1, %r31, 8; @%p1 bra low;\nbarrier.sync 0; bra.uni end;\nlow: "
              "barrier.sync 0;",
              {false, false, true}, {32})
            .empty());
  CHECK(found("mov.u32 %r0, 0; setp.lt.u32 %p1, %r31, 8; @%p1 mov.u32 %r0, 1; bar.sync 0;",
              {false, false, true}, {32})
            .empty());
}

TEST_CASE("race: warps that use a place with nothing between") {
  const Checks race{false, true, false};
  const std::string own =
      "mov.u32 %r1, v; and.b32 %r2, %r31, 31; shl.b32 %r2, %r2, 2; add.u32 %r1, %r1, %r2;\n";
  // Warp 1 reads what warp 0 writes.
  const std::string first =
      own + "mov.u32 %r0, 0; setp.lt.u32 %p1, %r31, 32;\n@%p1 st.shared.u32 [%r1], 5;\n";
  CHECK(found(first + "ld.shared.u32 %r0, [%r1];", race, {64})
            .find("t.ptx:11: race in shared memory: load of 4 bytes at 0x400, which warp 0 stores at "
                  "t.ptx:10 with nothing "
                  "between that orders them; kernel k, thread (32, 0, 0)") == 0);
  CHECK(found(first + "bar.sync 0; ld.shared.u32 %r0, [%r1];", race, {64}).empty());
  CHECK(found(first + "ld.shared.u32 %r0, [%r1];", race, {32}).empty());
  // And the other way round: warp 1 writes what warp 0 has read.
  const std::string second = own + "ld.shared.u32 %r0, [%r1]; setp.ge.u32 %p1, %r31, 32;\n";
  CHECK(found(second + "@%p1 st.shared.u32 [%r1], 5;", race, {64}).find("which warp 0 loads at t.ptx:9") !=
        std::string::npos);
  CHECK(
      found(second + "barrier.cluster.arrive; barrier.cluster.wait; @%p1 st.shared.u32 [%r1], 5;", race, {64})
          .empty());
  // Other bytes of a word.
  CHECK(
      found("mov.u32 %r1, v; shr.u32 %r2, %r31, 5; add.u32 %r1, %r1, %r2; st.shared.u8 [%r1], 1;", race, {64})
          .empty());
}

TEST_CASE("race: what orders warps besides barriers of the block") {
  const Checks race{false, true, false};
  const std::string flag =
      "mov.u32 %r0, 0; setp.lt.u32 %p1, %r31, 32; @%p1 bra wait; st.shared.u32 [v], 5; bar.warp.sync -1;\n";
  CHECK(found(flag + "atom.shared.exch.b32 %r1, [v+4], 1; bra.uni end;\n"
                     "wait: ld.volatile.shared.u32 %r1, [v+4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait; "
                     "ld.shared.u32 %r0, [v];",
              race, {33})
            .empty());
  CHECK_FALSE(found(flag + "st.shared.u32 [v+4], 1; bra.uni end;\n"
                           "wait: ld.volatile.shared.u32 %r1, [v+4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait; "
                           "ld.shared.u32 %r0, [v];",
                    race, {33})
                  .empty());
  CHECK(found("setp.eq.u32 %p3, %r31, 0; @%p3 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;\n" + flag +
                  "mbarrier.arrive.shared.b64 %rd0, [bar]; bra.uni end;\n"
                  "wait: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra wait; ld.shared.u32 "
                  "%r0, [v];",
              race, {33})
            .empty());
  CHECK(found(flag + "bar.arrive 1, 64; bra.uni end;\nwait: bar.sync 1, 64; ld.shared.u32 %r0, [v];", race,
              {33})
            .empty());
}

}  // namespace heddle::exec::test
