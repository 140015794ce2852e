// Fences and groups of copies alone.
#include "sim/sm/fences/fences.h"

#include <catch2/catch.hpp>

#include "tests/sim/support/unit_bench.h"

namespace heddle::simtest {
namespace {

struct FenceBench : UnitBench {
  explicit FenceBench(Kernel& k) : UnitBench(k), fences(state) { attach(fences, {Kind::kCopyDone}); }
  sm::Fences fences;
};

TEST_CASE("a fence of a warp with nothing in flight only takes its time") {
  Kernel k{membar(isa::kFlagScopeCta), membar(), membar(isa::kFlagScopeSys)};
  FenceBench b(k);
  CHECK(b.issue(b.fences, 0, 100) == 100 + 50);
  CHECK(b.issue(b.fences, 0, 200) == 200 + 400);
  CHECK(b.issue(b.fences, 0, 300) == 300 + 1000);
}

TEST_CASE("a fence holds its warp until what it has in flight is done, and for its own round trip") {
  Kernel k{membar(), nop()};
  FenceBench b(k);
  b.state.warp(0).stores = 1;
  b.state.warp(0).loads = 1;
  CHECK(b.issue(b.fences, 0, 100) == kNever);
  CHECK(b.state.warp(0).held);
  b.fences.memory_done(0, 150);
  CHECK(b.parked.empty());
  SECTION("the store's acknowledgement comes early: 400 cycles from the cycle after the issue") {
    b.fences.store_done(0, b.state.warp(0).age, 200);
    CHECK(b.parked == Ats{{0, 501}});
  }
  SECTION("it comes late: 30 cycles behind it") {
    b.fences.store_done(0, b.state.warp(0).age, 900);
    CHECK(b.parked == Ats{{0, 930}});
    CHECK(b.state.counters()[Stall::kMembar] == 930 - 101);
  }
  SECTION("one for a warp that was there before changes nothing") {
    b.fences.store_done(0, b.state.warp(0).age + 1, 900);
    CHECK(b.parked.empty());
    CHECK(b.state.warp(0).stores == 1);
  }
}

TEST_CASE("a group's counter falls with its last copy, and not before the groups in front of it") {
  Kernel k{ldgdepbar(0), ldgdepbar(1), nop()};
  FenceBench b(k);
  b.state.warp(0).loads = 2;
  b.fences.copy_started(0);
  b.issue(b.fences, 0, 10);
  b.fences.copy_started(0);
  b.issue(b.fences, 0, 11);
  CHECK(b.state.warp(0).busy == 0b11);
  b.fences.copy_done_at(50, 0, 1);
  b.run(60);
  CHECK(b.state.warp(0).busy == 0b11);
  b.fences.copy_done_at(70, 0, 0);
  b.run(80);
  CHECK(b.state.warp(0).busy == 0);
  CHECK(b.state.warp(0).loads == 0);
}

}  // namespace
}  // namespace heddle::simtest
