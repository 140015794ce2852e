// Barriers alone: no issue stage, no other SM.
#include "sim/sm/barriers/barriers.h"

#include <catch2/catch.hpp>

#include "tests/sim/support/unit_bench.h"

namespace heddle::simtest {
namespace {

// Counts the barriers that it is told of.
struct Listener : sm::Unit {
  void reset(Cycle) override {}
  Cycle start(const sm::Issued&) override { return 0; }
  void event(const sm::UnitEvent&, Cycle) override {}
  void barrier_opened() override { ++opened; }
  int opened = 0;
};

struct NoMemory : sm::ClusterMemory {
  Cycle visit(const sm::ClusterMessage&, Cycle now) override { return now; }
  void acknowledged(uint32_t, Cycle) override {}
  void finish_remote(const sm::ClusterAccess&, Cycle) override {}
};

struct BarrierBench : UnitBench {
  explicit BarrierBench(Kernel& k)
      : UnitBench(k), fences(state), port(state), barriers(state, fences, port, lsu) {
    port.connect(memory, barriers);
    attach(barriers, {Kind::kBarrierRelease});
  }
  // As the issue stage holds a warp that comes to an instruction behind its barrier.
  void hold(uint32_t warp, Cycle since) { state.hold(warp, Stall::kBarrier, since); }

  Listener lsu;
  NoMemory memory;
  sm::Fences fences;
  sm::ClusterPort port;
  sm::Barriers barriers;
};

TEST_CASE("a block's barrier opens 10 cycles after its last arrival counts; arrivals count every 2 cycles") {
  Kernel k{bar(), nop()};
  k.warps(3);
  BarrierBench b(k);
  b.issue(b.barriers, 0, 100);
  b.issue(b.barriers, 1, 100);
  b.issue(b.barriers, 2, 100);
  for (uint32_t w = 0; w < 3; ++w) {
    b.hold(w, 101);
  }
  b.run(116);
  CHECK(b.lsu.opened == 0);
  b.run(117);
  CHECK(b.lsu.opened == 1);
  CHECK(b.parked == Ats{{0, 117}, {1, 117}, {2, 117}});
}

TEST_CASE("a barrier does not wait for a warp that has gone") {
  Kernel k{bar(), nop()};
  k.warps(2);
  BarrierBench b(k);
  b.issue(b.barriers, 0, 100);
  b.hold(0, 101);
  b.run(200);
  CHECK(b.lsu.opened == 0);
  b.state.block(0).warps_left = 1;
  b.barriers.leave(1, 200);
  b.run(300);
  CHECK(b.lsu.opened == 1);
  CHECK(b.parked == Ats{{0, 211}});  // at 210, from the cycle after
}

TEST_CASE("warps of a warp-group wait for each other, and for no other group") {
  Kernel k{make(OpClass::kWarpgroupArrive, "WARPGROUP.ARRIVE"), nop()};
  k.warps(8);
  BarrierBench b(k);
  CHECK(b.issue(b.barriers, 0, 100) == kNever);
  CHECK(b.issue(b.barriers, 4, 100) == kNever);
  CHECK(b.issue(b.barriers, 1, 110) == kNever);
  CHECK(b.issue(b.barriers, 2, 120) == kNever);
  CHECK(b.issue(b.barriers, 3, 130) == 0);
  CHECK(b.parked == Ats{{0, 131}, {1, 131}, {2, 131}});
}

TEST_CASE("a barrier object's phase: arrivals, then bytes; its waiters go when both have come") {
  using Op = isa::MbarrierOp;
  Kernel k{nop()};
  BarrierBench b(k);
  b.barriers.change_mbarrier(0, {.kind = Op::Kind::kInit, .count = 2, .address = 64}, 10);
  b.barriers.change_mbarrier(0, {.kind = Op::Kind::kArriveExpect, .count = 1, .address = 64, .bytes = 96},
                             11);
  const sm::MbarrierState& m = b.state.block(0).mbarriers.at(64);
  CHECK(m.missing == 1);
  CHECK(m.bytes == 96);
  b.barriers.bulk_arrived(0, 64, 96, 12);
  CHECK(m.phase == 0);
  b.barriers.change_mbarrier(0, {.kind = Op::Kind::kArrive, .count = 1, .address = 64}, 13);
  CHECK(m.phase == 1);
  CHECK(m.missing == 2);
  CHECK(b.state.openings() == 1);
}

TEST_CASE("alone, a cluster's barrier opens by itself; in a cluster the network is told") {
  Kernel k{make(OpClass::kClusterBarrier, "UCGABAR_ARV").flags(isa::kFlagBarrierArrive),
           make(OpClass::kClusterWait, "UCGABAR_WAIT"), nop()};
  BarrierBench b(k);
  SECTION("200 cycles, and one to the warp") {
    CHECK(b.issue(b.barriers, 0, 100) == 0);
    CHECK(b.issue(b.barriers, 0, 101) == kNever);
    CHECK(b.port.next() == 300);
    b.port.run(300);
    CHECK(b.parked == Ats{{0, 301}});
  }
  SECTION("arrived at 100") {
    b.state.block(0).in_cluster = true;
    b.issue(b.barriers, 0, 100);
    CHECK(b.port.next() == kNever);
    REQUIRE(b.port.outbox().size() == 1);
    CHECK(b.port.outbox()[0].kind == sm::ClusterMessage::Kind::kArrived);
    CHECK(b.port.outbox()[0].time == 100);
  }
}

}  // namespace
}  // namespace heddle::simtest
