// Warp states: every reason moves, by an exact amount, and together they account for every cycle of every
// warp.
#include <catch2/catch.hpp>
#include <set>

#include "tests/sim/stats/kernels.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

struct Row {
  Stall stall;
  const char* sample;
  uint64_t expected;  // warp-cycles
  const char* why;
};

const Row kTable[] = {
    {Stall::kSelected, "stall count", 3, "three issues"},
    {Stall::kWait, "stall count", 4 + 2, "stall counts of 5 and 3"},
    {Stall::kNotSelected, "two warps", 3, "one waits while the other issues three instructions"},
    {Stall::kLongScoreboard, "load and wait", 412, "from 1 to 413"},
    {Stall::kShortScoreboard, "MUFU and wait", 20, "from 1 to 21"},
    {Stall::kMathPipeThrottle, "busy pipe", 3 + 3, "FP64 takes one every 4 cycles"},
    {Stall::kMioThrottle, "full MIO queue", 5, "the sixth, from 5 to 10"},
    {Stall::kLgThrottle, "full LG queue", 5, "the sixth, from 5 to 10"},
    {Stall::kTexThrottle, "full queue, texture", 5, "the sixth, from 5 to 10"},
    {Stall::kLgThrottle, "full queue, texture before a load", 5, "the load, from 5 to 10"},
    {Stall::kNoInstruction, "cold code", 3 * 620, "three lines from memory"},
    {Stall::kNoInstruction, "warps start apart", 2 + 4 + 6, "resident, not started"},
    {Stall::kBranchResolve, "taken branch", 8, "10 cycles, of which 2 are issue and stall count"},
    {Stall::kDispatchStall, "register ports", 6, "2 before the third, fourth and fifth"},
    {Stall::kDrain, "unfinished load", 410, "from 1 to the answer at 411"},
    {Stall::kImcMiss, "cold constant", 640, "from memory"},
    {Stall::kBarrier, "barrier", 18 + 17 + 16 + 15, "the warps come at 1, 2, 3 and 4 and go on at 19"},
    {Stall::kBarrier, "cluster barrier", 199, "from 2 to 201"},
    {Stall::kMembar, "fence", 399, "from 1 to 400"},
    {Stall::kSleeping, "sleep", 99, "from 1 to 100"},
    {Stall::kBarrier, "warp-group MMA", 82, "from 1 to 83"},
    {Stall::kGmma, "warp-group", 3 * 9, "three of four warps, from 1 to 10"},
};

TEST_CASE("warp-cycles by reason") {
  for (const Row& r : kTable) {
    CAPTURE(r.sample, r.why);
    INFO(stats::kStallInfo[static_cast<int>(r.stall)].name);
    CHECK(outcome(r.sample)[r.stall] == r.expected);
  }
}

// A load is there after 412 cycles, a shared one after 30, so both waits are the load's; the counters'
// numbers do not matter.
TEST_CASE("of several counters that a warp waits for a load's names the wait") {
  for (const int load : {0, 1}) {
    CAPTURE(load);
    Kernel k{ldg(1).at(0, 4).writes_barrier(load), lds(2).writes_barrier(1 - load), alu().waits(0b11)};
    const Outcome o = run(test_gpu(), k);
    CHECK(o[Stall::kLongScoreboard] == o.cycles(0)[2] - 2);
    CHECK(o[Stall::kShortScoreboard] == 0);
  }
  for (const int shared : {0, 1}) {
    CAPTURE(shared);
    Kernel k{lds(1).writes_barrier(shared), mufu(2).writes_barrier(1 - shared), alu().waits(0b11)};
    const Outcome o = run(test_gpu(), k);
    CHECK(o[Stall::kShortScoreboard] == o.cycles(0)[2] - 2);
    CHECK(o[Stall::kLongScoreboard] == 0);
  }
}

TEST_CASE("no reason is without a row") {
  std::set<Stall> covered;
  for (const Row& r : kTable) {
    covered.insert(r.stall);
  }
  for (int i = 0; i < stats::kStallCount; ++i) {
    INFO(stats::kStallInfo[i].name);
    CHECK(covered.count(static_cast<Stall>(i)));
  }
}

TEST_CASE("a warp is in one state in every cycle of its residency") {
  for (const auto& [name, make] : samples()) {
    const Outcome& o = outcome(name);
    std::string states;
    for (int i = 0; i < stats::kStallCount; ++i) {
      if (o.result.totals.stall[i]) {
        states +=
            std::string(stats::kStallInfo[i].name) + "=" + std::to_string(o.result.totals.stall[i]) + " ";
      }
    }
    CAPTURE(name, states);
    CHECK(o.stall_sum() == o[Counter::kWarpsActive]);
  }
}

}  // namespace
}  // namespace heddle::simtest
