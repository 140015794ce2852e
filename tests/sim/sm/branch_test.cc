// What a change of flow costs, by where it goes: 10 cycles within an instruction line and for a loop (a
// branch to an earlier line), 12 to a neighbouring line, 15 farther away. A line has 8 instructions.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

// 40 instructions, of which the warp executes `first` and then `second`.
Cycle gap(uint32_t first, uint32_t second, const Op& op = bra()) {
  Kernel k;
  k.add(op, 40);
  k.order(0, {first, second});
  return run(test_gpu(), k).cycles(0).at(1);
}

TEST_CASE("a branch that is not taken costs nothing") { CHECK(gap(3, 4) == 1); }

TEST_CASE("a taken branch within the line") {
  CHECK(gap(0, 2) == 10);
  CHECK(gap(0, 7) == 10);
}

TEST_CASE("a backward branch") {
  CHECK(gap(7, 0) == 10);
  CHECK(gap(39, 0) == 10);
  CHECK(gap(5, 5) == 10);  // to itself
}

TEST_CASE("a backward change of flow that is not a branch is no loop") {
  CHECK(gap(9, 7, nop()) == 12);
  CHECK(gap(39, 0, nop()) == 15);
  CHECK(gap(7, 0, nop()) == 10);
}

TEST_CASE("a branch to the next line") {
  CHECK(gap(0, 8) == 12);
  CHECK(gap(0, 15) == 12);
  CHECK(gap(7, 9) == 12);
}

TEST_CASE("a branch farther ahead") {
  CHECK(gap(0, 16) == 15);
  CHECK(gap(0, 39) == 15);
}

TEST_CASE("the fall-through to the next line is not a branch") { CHECK(gap(7, 8) == 1); }

TEST_CASE("a stall count beyond the branch's cost rules") {
  CHECK(gap(0, 2, bra().stall(11)) == 11);
  CHECK(gap(0, 2, bra().stall(5)) == 10);
}

TEST_CASE("a call takes as long as a far branch, wherever it goes") {
  const Op call = make(isa::OpClass::kCall, "CALL");
  CHECK(gap(0, 2, call) == 15);
  CHECK(gap(0, 8, call) == 15);
  CHECK(gap(39, 0, call) == 15);
}

TEST_CASE("a return, or a call through a register, takes its class's latency if that is more") {
  const Op ret = make(isa::OpClass::kCall, "RET", -1, {20});
  const auto after = [&](uint32_t latency, const Op& op) {
    spec::GpuConfig g = test_gpu();
    for (spec::OpTiming& o : *g.mutable_sm()->mutable_op()) {
      if (o.op() == "call") {
        o.set_latency(latency);
      }
    }
    Kernel k;
    k.add(op, 40);
    k.order(0, {0, 2});
    return run(g, k).cycles(0).at(1);
  };
  CHECK(after(28, ret) == 28);
  CHECK(after(2, ret) == 15);
  CHECK(after(28, make(isa::OpClass::kCall, "CALL")) == 15);
}

TEST_CASE("returns keep the CBU busy, direct calls do not") {
  // Two warps of a sub-core; the second's RET waits for the pipe.
  const auto second = [](const Op& op) {
    spec::GpuConfig g = test_gpu();
    for (spec::OpTiming& o : *g.mutable_sm()->mutable_op()) {
      if (o.op() == "call") {
        o.set_interval(13);
      }
    }
    Kernel k;
    k.add(op);
    k.warps(8);
    const Outcome o = run(g, k);
    const Cycle one = o.cycles(0).at(0), other = o.cycles(4).at(0);
    return std::max(one, other) - std::min(one, other);
  };
  CHECK(second(make(isa::OpClass::kCall, "RET", -1, {20})) == 13);
  CHECK(second(make(isa::OpClass::kCall, "CALL")) == 1);
}

TEST_CASE("the half of a split warp that falls through waits like a branch within the line") {
  Kernel k{nop(), bra().predicated(), nop()};
  k.stream(0, {{0}, {1, 0x0000ffff}, {2, 0xffff0000}});
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 11});
}

TEST_CASE("a loop of n instructions takes n - 1 + 10 cycles a turn") {
  Kernel k;
  k.add(nop(), 5);
  k.add(bra());
  k.order(0, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles_of(0) == Cycles{0, 15, 30});
  CHECK(o.cycles_of(5) == Cycles{5, 20, 35});
  CHECK(o[Stall::kBranchResolve] == 2 * 9);
}

TEST_CASE("another warp issues while one waits for its target") {
  Kernel k;
  k.add(bra());
  k.add(nop(), 5);
  k.warps(5).order(0, {0, 3}).order(4, {1, 2, 3, 4, 5});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 10});
  CHECK(o.cycles(4) == Cycles{1, 2, 3, 4, 5});
}

TEST_CASE("BSYNC holds its warp for 6 cycles, not longer than a change of flow does") {
  const Op plain = make(OpClass::kConverge, "BSYNC").flags(isa::kFlagReconverges);
  Op bsync = plain, bssy = make(OpClass::kConverge, "BSSY");
  CHECK(gap(0, 1, bsync) == 6);
  CHECK(gap(0, 1, bsync.stall(8)) == 8);
  CHECK(gap(0, 2, plain) == 10);
  CHECK(gap(0, 1, bssy) == 1);
  Kernel k{Op(plain).stall(2), nop()};
  CHECK(run(test_gpu(), k)[Stall::kNoInstruction] == 4);
}

}  // namespace
}  // namespace heddle::simtest
