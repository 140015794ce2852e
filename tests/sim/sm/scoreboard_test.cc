// Without control bits the registers themselves are tracked. ALU 5 cycles, IMAD 6, FP64 16, MUFU 20, uniform
// 8, predicates 12.
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

using isa::RegFile;

Outcome run_tracked(Kernel& k) {
  k.without_control();
  Outcome o = run(test_gpu(), k);
  CHECK_FALSE(o.result.used_control_bits);
  return o;
}

TEST_CASE("the control bits are ignored") {
  Kernel k{alu(1).stall(11).writes_barrier(0), imad(2).waits(0b1)};
  CHECK(run_tracked(k).cycles(0) == Cycles{0, 1});
}

TEST_CASE("SCOREBOARD in the configuration overrides the encoding") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_issue()->set_dependences(spec::Issue::SCOREBOARD);
  Kernel k{alu(1).stall(11), imad(2)};
  Outcome o = run(g, k);
  CHECK(o.cycles(0) == Cycles{0, 1});
  CHECK_FALSE(o.result.used_control_bits);
}

TEST_CASE("read after write waits for the latency of the producer") {
  Kernel a{alu(1), alu(2, {1})};
  CHECK(run_tracked(a).cycles(0) == Cycles{0, 5});
  Kernel b{imad(1), alu(2, {3, 4, 1})};
  CHECK(run_tracked(b).cycles(0) == Cycles{0, 6});
  Kernel c{mufu(1), alu(2, {1})};
  CHECK(run_tracked(c).cycles(0) == Cycles{0, 20});
}

TEST_CASE("independent instructions issue as soon as their pipes allow") {
  Kernel k{alu(1), imad(2), alu(3), imad(4)};
  CHECK(run_tracked(k).cycles(0) == Cycles{0, 1, 2, 3});
}

TEST_CASE("write after write waits, write after read does not") {
  Kernel waw{mufu(1), alu(1)};
  CHECK(run_tracked(waw).cycles(0) == Cycles{0, 20});
  Kernel war{mufu(1, {2}), alu(2)};
  CHECK(run_tracked(war).cycles(0) == Cycles{0, 1});
}

TEST_CASE("wide values cover all their registers") {
  for (int reader : {1, 2, 3, 4}) {
    Kernel k{make(OpClass::kFp64, "DFMA").dst(RegFile::kGpr, 2, 2), alu(9, {reader})};
    CAPTURE(reader);
    CHECK(run_tracked(k).cycles(0).at(1) == (reader == 2 || reader == 3 ? 16u : 1u));
  }
  Kernel k{alu(5), make(OpClass::kFp64, "DFMA").src(RegFile::kGpr, 4, 2)};
  CHECK(run_tracked(k).cycles(0) == Cycles{0, 5});
}

TEST_CASE("uniform registers and predicates are tracked apart from R registers of the same number") {
  Op uniform = make(OpClass::kUniform, "UIADD3").dst(RegFile::kUniform, 4);
  Op setp = make(OpClass::kAluPredicate, "ISETP").dst(RegFile::kPredicate, 0);
  Op usetp = make(OpClass::kUniform, "UISETP").dst(RegFile::kUniformPredicate, 0);
  SECTION("UR") {
    Kernel k{uniform, alu(1, {4}), alu(1).src(RegFile::kUniform, 4)};
    CHECK(run_tracked(k).cycles(0) == Cycles{0, 1, 8});
  }
  SECTION("UR write after write") {
    Kernel k{uniform, uniform};
    CHECK(run_tracked(k).cycles(0) == Cycles{0, 8});
  }
  SECTION("P") {
    Kernel k{setp, imad(9, {0}), imad(8).src(RegFile::kPredicate, 0)};
    CHECK(run_tracked(k).cycles(0) == Cycles{0, 1, 12});
  }
  SECTION("P write after write") {
    Kernel k{setp, setp};
    CHECK(run_tracked(k).cycles(0) == Cycles{0, 12});
  }
  SECTION("UP") {
    Kernel k{usetp, imad(9).src(RegFile::kPredicate, 0), imad(8).src(RegFile::kUniformPredicate, 0)};
    CHECK(run_tracked(k).cycles(0) == Cycles{0, 1, 8});
  }
}

TEST_CASE(
    "a result of variable latency releases its register when it is there, one cycle before the reader "
    "issues") {
  Kernel k{lds(1), imad(9), alu(2, {1})};
  CHECK(run_tracked(k).cycles(0) == Cycles{0, 1, 31});
}

TEST_CASE("a second load into the same register waits for the first") {
  Kernel k{lds(1), lds(1)};
  CHECK(run_tracked(k).cycles(0) == Cycles{0, 31});
}

TEST_CASE("each warp has registers of its own") {
  Kernel k{mufu(1), alu(2, {1})};
  k.warps(5).order(4, {1});
  Outcome o = run_tracked(k);
  CHECK(o.cycles(4) == Cycles{1});
  CHECK(o.cycles(0) == Cycles{0, 20});
}

TEST_CASE("registers are free again in the next block") {
  Kernel k{lds(1), alu(2, {1})};
  k.blocks(2).shape().dynamic_shared_bytes = 200000;  // one block at a time
  Outcome o = run_tracked(k);
  const Cycles load = o.cycles_of(0), use = o.cycles_of(1);
  REQUIRE(load.size() == 2);
  CHECK(use == Cycles{load[0] + 31, load[1] + 31});
}

TEST_CASE("a warp does not retire with a result outstanding") {
  // 32 passes over one bank: the result is there at 30 + 31 x 2 = 92, long after the LSU is done with the
  // load. The next block starts 31 cycles later (blocks_test.cc).
  Kernel k{lds(1).at(0, 128)};
  k.blocks(2).shape().dynamic_shared_bytes = 200000;  // one block at a time
  Outcome o = run_tracked(k);
  CHECK(o.cycles_of(0) == Cycles{0, 92 + 31});
  CHECK(o[Counter::kWarpsActive] == 2 * 92);
}

TEST_CASE("a wait for the XU is a short scoreboard, one for the ALU a fixed latency") {
  Kernel xu{mufu(1), alu(2, {1})};
  Outcome o = run_tracked(xu);
  CHECK(o[Stall::kShortScoreboard] == 19);
  CHECK(o[Stall::kWait] == 0);
  Kernel arithmetic{alu(1), alu(2, {1})};
  o = run_tracked(arithmetic);
  CHECK(o[Stall::kShortScoreboard] == 0);
  CHECK(o[Stall::kWait] == 4);
}

}  // namespace
}  // namespace heddle::simtest
