// Control bits: stall counts, yield, scoreboard counters and wait masks (reference/microarchitecture.md 3.1).
#include <catch2/catch.hpp>
#include <tuple>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

TEST_CASE("stall n: the warp's next instruction issues n cycles later") {
  for (int n = 1; n <= 11; ++n) {
    Kernel k{nop().stall(n), nop().stall(n), nop()};
    CAPTURE(n);
    Cycle c = static_cast<Cycle>(n);
    CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, c, 2 * c});
  }
}

TEST_CASE("the odd encodings of the stall count") {
  auto gap = [](const Op& op) {
    Kernel k{op, nop()};
    return run(test_gpu(), k).cycles(0).at(1);
  };
  CHECK(gap(nop().stall(0)) == 2);
  CHECK(gap(nop().stall(0).yield()) == 45);  // stall_zero_cycles
  for (int n = 12; n <= 15; ++n) {
    CHECK(gap(nop().stall(n)) == 2);
    CHECK(gap(nop().stall(n).yield()) == Cycle(n));
  }
  CHECK(gap(nop().stall(1).yield()) == 2);  // no issue in the next cycle
  CHECK(gap(nop().stall(2).yield()) == 2);
  CHECK(gap(nop().stall(5).yield()) == 5);
}

TEST_CASE("in the cycle that a warp yields another one issues") {
  Kernel k;
  k.add(nop().yield(), 3);
  k.warps(5);  // warps 0 and 4 share sub-core 0
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 2, 4});
  CHECK(o.cycles(4) == Cycles{1, 3, 5});
}

TEST_CASE("a write barrier falls when the result is written; a waiting warp issues one cycle after that") {
  // MUFU: 20 cycles.
  Kernel k{mufu(1).writes_barrier(0), nop().waits(0b1)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 21});
}

TEST_CASE("scoreboard_wakeup_cycles is the time from the counter to the issue") {
  for (uint32_t wakeup : {0u, 1u, 4u}) {
    spec::GpuConfig g = test_gpu();
    g.mutable_sm()->mutable_issue()->set_scoreboard_wakeup_cycles(wakeup);
    Kernel k{mufu(1).writes_barrier(0), nop().waits(0b1)};
    CHECK(run(g, k).cycles(0) == Cycles{0, 20 + wakeup});
  }
}

TEST_CASE("without a wait mask nothing waits: the hardware does not check") {
  Kernel k{mufu(1).writes_barrier(0), alu(2, {1}), alu(1)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 3});
}

TEST_CASE("a wait mask holds for its own counters only") {
  Kernel k{mufu(1).writes_barrier(0), nop().waits(0b111110), nop().waits(0b000001)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 21});
}

TEST_CASE("a read barrier falls when the sources have been read, 6 cycles after the issue") {
  Kernel k{mufu(1, {2}).reads_barrier(3), nop().waits(0b001000)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 7});
}

TEST_CASE("the read barrier falls before the write barrier of the same instruction") {
  Kernel k{mufu(1, {2}).writes_barrier(0).reads_barrier(1), nop().waits(0b10), nop().waits(0b01)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 7, 21});
}

TEST_CASE("with several counters in the mask the last one decides") {
  // The XU takes a MUFU every 8 cycles; the second result is there at 28.
  Kernel k{mufu(1).writes_barrier(0), mufu(2).writes_barrier(5), nop().waits(0b100001)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 8, 29});
}

TEST_CASE("a counter counts: it is zero when all its instructions are done") {
  Kernel k{mufu(1).writes_barrier(2), mufu(2).writes_barrier(2), mufu(3).writes_barrier(2),
           nop().waits(0b100)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 8, 16, 37});
}

TEST_CASE("DEPBAR.LE SBx, n waits until at most n are left") {
  for (int left : {0, 1, 2, 3}) {
    Kernel k{mufu(1).writes_barrier(2), mufu(2).writes_barrier(2), mufu(3).writes_barrier(2),
             depbar(2, left)};
    // Results at 20, 28 and 36.
    Cycle expected = left == 3 ? 17 : Cycle(20 + 8 * (2 - left) + 1);
    CAPTURE(left);
    CHECK(run(test_gpu(), k).cycles(0).back() == expected);
  }
}

TEST_CASE("DEPBAR's further counters must be zero") {
  Op d = depbar(2, 1);
  d.in.depbar_mask = 0b01;
  Kernel k{mufu(1).writes_barrier(2), mufu(2).writes_barrier(0), mufu(3).writes_barrier(2), d};
  // SB2 is at most 1 from 20 on, SB0 is zero at 28.
  CHECK(run(test_gpu(), k).cycles(0).back() == 29);
}

TEST_CASE("an instruction can wait for one counter and set another, or set the one it waits for") {
  Kernel k{mufu(1).writes_barrier(0), mufu(2, {1}).waits(0b1).writes_barrier(0), nop().waits(0b1)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 21, 42});
}

TEST_CASE("the stall count holds even when the wait is over") {
  Kernel k{mufu(1).writes_barrier(0).stall(11), nop().stall(11), nop().waits(0b1)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 11, 22});
}

TEST_CASE("counters belong to a warp") {
  Kernel k{mufu(1).writes_barrier(0), nop().waits(0b1), nop()};
  k.warps(5).order(4, {1, 2});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(4) == Cycles{1, 2});
  CHECK(o.cycles(0) == Cycles{0, 21, 22});
}

TEST_CASE("a warp that ends with counters up stays until they are zero") {
  Kernel k{mufu(1).writes_barrier(0)};
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kWarpsActive] == 20);
  CHECK(o.result.sm_active_cycles_max == 20);
  CHECK(o.result.used_control_bits);
}

TEST_CASE(
    "what no unit takes has read its sources before the next one issues, and its result 2 cycles later") {
  // A warp that has waited looks again a cycle later.
  const std::tuple<OpClass, Cycle, Cycle> cases[] = {
      {OpClass::kNop, 3, 1},           {OpClass::kErrbar, 3, 1},
      {OpClass::kDepbar, 3, 1},        {OpClass::kWarpgroupDepbar, 3, 1},
      {OpClass::kNanosleep, 100, 100},  // goes on then, if there is nothing else
  };
  for (const auto& [op, result, read] : cases) {
    CAPTURE(static_cast<int>(op));
    Kernel writes{make(op, "OP").writes_barrier(2), nop().waits(0b100)};
    CHECK(run(test_gpu(), writes).cycles(0) == Cycles{0, result});
    Kernel reads{make(op, "OP").reads_barrier(3), nop().waits(0b1000)};
    CHECK(run(test_gpu(), reads).cycles(0) == Cycles{0, read});
    Kernel registers{make(op, "OP", 1), alu(2, {1})};
    CHECK(run(test_gpu(), registers.without_control()).cycles(0) == Cycles{0, result});
  }
}

}  // namespace
}  // namespace heddle::simtest
