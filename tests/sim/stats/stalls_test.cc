// Warp states: every reason moves, by an exact amount, and together they account for every cycle of every warp.
#include <catch2/catch.hpp>
#include <set>

#include "tests/sim/stats/kernels.h"

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
    {Stall::kNoInstruction, "cold code", 3 * 620, "three lines from memory"},
    {Stall::kNoInstruction, "warps start apart", 2 + 4 + 6, "resident, not started"},
    {Stall::kBranchResolve, "taken branch", 8, "10 cycles, of which 2 are issue and stall count"},
    {Stall::kDispatchStall, "register ports", 6, "2 before the third, fourth and fifth"},
    {Stall::kDrain, "unfinished load", 410, "from 1 to the answer at 411"},
    {Stall::kImcMiss, "cold constant", 650, "from memory"},
    {Stall::kGmma, "warp-group MMA", 82, "from 1 to 83"},
};

TEST_CASE("warp-cycles by reason") {
  for (const Row& r : kTable) {
    CAPTURE(r.sample, r.why);
    INFO(stats::kStallInfo[static_cast<int>(r.stall)].name);
    CHECK(outcome(r.sample)[r.stall] == r.expected);
  }
}

TEST_CASE("probe") {
  for (const auto& [name, make] : samples()) {
    const Outcome& o = outcome(name);
    CAPTURE(name);
    std::string text;
    for (int i = 0; i < stats::kStallCount; ++i) {
      if (o.result.totals.stall[i]) {
        text += std::string(stats::kStallInfo[i].name) + "=" + std::to_string(o.result.totals.stall[i]) + " ";
      }
    }
    INFO(text);
    CHECK(o.stall_sum() == o[Counter::kWarpsActive]);
  }
}

}  // namespace
}  // namespace heddle::simtest
