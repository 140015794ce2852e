// Streams that stop before an EXIT (a tracer that was ended, a trap), and warps and blocks that exit before
// the others: whoever waits goes on, and nothing issues past the end of a stream.
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

Op warpgroup_arrive() { return make(OpClass::kWarpgroupArrive, "WARPGROUP.ARRIVE"); }
Op cluster_arrive() { return make(OpClass::kClusterBarrier, "UCGABAR_ARV").flags(isa::kFlagBarrierArrive); }
Op cluster_wait() { return make(OpClass::kClusterWait, "UCGABAR_WAIT"); }

TEST_CASE("a fence behind a store as the last instruction: the warp ends when the fence does") {
  Kernel ended{stg().at(0, 128), membar(), nop()};
  Kernel k{stg().at(0, 128), membar()};
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kInstExecuted] == 2);
  CHECK(o.cycles(0) == Cycles{0, 1});
  CHECK(o.stall_sum() == o[Counter::kWarpsActive]);
  Outcome e = run(test_gpu(), ended);
  CHECK(o[Stall::kMembar] == e[Stall::kMembar]);
  CHECK(o[Counter::kWarpsActive] + 1 == e[Counter::kWarpsActive]);
}

TEST_CASE("such a fence behind a reduction, with other warps and blocks around") {
  Kernel k{red().at(0, 0), membar()};
  k.warps(4).blocks(6);
  Outcome o = run(test_gpu(2), k);
  CHECK(o[Counter::kInstExecuted] == 48);  // six blocks of four warps
  CHECK(o.stall_sum() == o[Counter::kWarpsActive]);
}

TEST_CASE("WARPGROUP.ARRIVE as the last instruction") {
  Kernel k{nop().stall(11), warpgroup_arrive()};
  k.warps(4).order(0, {0, 1}).order(1, {1}).order(2, {1}).order(3, {1});
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kInstExecuted] == 5);
  CHECK(o.stall_sum() == o[Counter::kWarpsActive]);
  // Three wait for the first, which arrives at 11.
  CHECK(o[Stall::kGmma] >= 30);
}

TEST_CASE("WARPGROUP.ARRIVE does not wait for warps that have exited") {
  Kernel k{warpgroup_arrive(), mufu(), nop().stall(11), nop().stall(11), exit_op()};
  SECTION("before the others come") {
    k.warps(4).order(0, {4}).order(1, {2, 0, 1}).order(2, {2, 0, 1}).order(3, {2, 0, 1});
    CHECK(run(test_gpu(), k).cycles_of(1) == Cycles{12, 12, 12});
  }
  SECTION("while the others wait") {
    k.warps(4).order(0, {2, 3, 4}).order(1, {0, 1}).order(2, {0, 1}).order(3, {0, 1});
    // EXIT at 22; the warp is gone at 23.
    CHECK(run(test_gpu(), k).cycles_of(1) == Cycles{24, 24, 24});
  }
}

TEST_CASE("BAR.SYNC as the last instruction: the warp stays until the barrier opens") {
  // One block at a time on the SM: the warps of the next take the places of those that have gone.
  Kernel k{bar(), nop().stall(11), nop().stall(11), mufu()};
  k.warps(2).blocks(3).order(0, {0}).order(1, {1, 2, 0, 3});
  k.shape().dynamic_shared_bytes = 200000;
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kInstExecuted] == 15);
  CHECK(o[Stall::kBarrier] >= 66);
  CHECK(o.stall_sum() == o[Counter::kWarpsActive]);
}

TEST_CASE("a barrier that opens when its block has gone does nothing to the block behind it") {
  // Both warps only arrive, and exit before the release; the unit takes its time.
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_barrier()->set_release_latency(400);
  Kernel k{bar_arrive(1, 64), nop().stall(11), bar(1, 64), mufu(), exit_op()};
  k.warps(2).blocks(2).shape().dynamic_shared_bytes = 200000;
  k.order(0, {0, 4}).order(1, {0, 4});
  k.stream_of_block(1, 0, {{2}, {3}, {4}}).stream_of_block(1, 1, {{1}, {1}, {1}, {1}, {1}, {2}, {3}, {4}});
  Outcome o = run(g, k);
  Cycles passed = o.cycles_of(3), came = o.cycles_of(2);
  REQUIRE(passed.size() == 2);
  CHECK(passed.front() == came.back() + 2 + 400 + 1);
}

TEST_CASE("a bulk copy whose block has gone is no news for the block behind it") {
  Op copy = make(OpClass::kBulkCopy, "UBLKCP").copies(isa::AsyncKind::kBulkLoad);
  copy.in.space = isa::MemSpace::kGlobal;
  copy.in.mem_refs = 1;
  copy.addresses.values = {0, 64, 0x100000, 0, 4096 / 16};
  Op wait = make(OpClass::kMbarrier, "SYNCS.PHASECHK.TRANS64.TRYWAIT").waits_for_phase();
  wait.in.space = isa::MemSpace::kShared;
  wait.in.mem_refs = 1;
  wait.at(64, 0).writes_barrier(0);
  Op far = copy;
  far.addresses.values = {0, 64, 0x900000, 0, 4096 / 16};
  Kernel alone{far, wait, nop().waits(0b1)};
  const Cycles undisturbed = run(test_gpu(), alone).cycles(0);
  Kernel k{copy, far, wait, nop().waits(0b1), exit_op()};
  k.blocks(2).shape().dynamic_shared_bytes = 200000;
  k.stream_of_block(0, 0, {{0}, {4}}).stream_of_block(1, 0, {{1}, {2}, {3}, {4}});
  Outcome o = run(test_gpu(), k);
  // The second copy goes behind the first, never before it.
  CHECK(o.cycles_of(3).at(0) - o.cycles_of(1).at(0) >= undisturbed.at(2));
}

TEST_CASE("a cluster barrier does not wait for a warp that has exited") {
  Kernel k;
  k.add(cluster_arrive());
  k.add(cluster_wait());
  k.add(mufu());
  k.add(nop().stall(11), 3);
  k.add(exit_op());
  k.warps(2).blocks(2).cluster(2).shape().dynamic_shared_bytes = 200000;
  SECTION("before the others come") {
    k.order(0, {3, 4, 5, 0, 1, 2}).order(1, {6});
    Outcome o = run(test_gpu(2), k);
    Cycle arrived = o.cycles_of(0).back();
    CHECK(o.cycles_of(2) == Cycles{arrived + 201, arrived + 201});
  }
  SECTION("while they wait: the exit counts as the arrival") {
    k.order(0, {0, 1, 2}).order(1, {3, 4, 5, 6});
    Outcome o = run(test_gpu(2), k);
    Cycle gone = o.cycles_of(6).back() + 1;
    CHECK(o.cycles_of(2) == Cycles{gone + 201, gone + 201});
  }
  SECTION("a warp that has arrived and left does not stand for one that has not arrived") {
    k.order(0, {0, 6}).order(1, {3, 4, 5, 0, 1, 2});
    Outcome o = run(test_gpu(2), k);
    Cycle arrived = o.cycles_of(0).back();
    CHECK(o.cycles_of(2) == Cycles{arrived + 201, arrived + 201});
  }
}

TEST_CASE("a cluster barrier does not wait for a block that has ended") {
  Kernel k;
  k.add(cluster_arrive());
  k.add(cluster_wait());
  k.add(mufu());
  k.add(nop().stall(11), 3);
  k.add(exit_op());
  k.blocks(2).cluster(2).shape().dynamic_shared_bytes = 200000;
  SECTION("without arriving") {
    k.stream_of_block(0, 0, {{0}, {1}, {2}, {6}}).stream_of_block(1, 0, {{3}, {4}, {5}, {6}});
    Outcome o = run(test_gpu(2), k);
    Cycle gone = o.cycles(0, 1).back() + 1;
    CHECK(o.cycles_of(2) == Cycles{gone + 201});
  }
  SECTION("after arriving: its arrival counts, not its end") {
    k.stream_of_block(0, 0, {{0}, {1}, {2}, {6}}).stream_of_block(1, 0, {{0}, {3}, {4}, {5}, {6}});
    Outcome o = run(test_gpu(2), k);
    CHECK(o.cycles_of(2) == Cycles{o.cycles(0, 1).front() + 201});
  }
  SECTION("and the barrier is used again by those that are left") {
    k.stream_of_block(0, 0, {{0}, {1}, {0}, {1}, {2}, {6}}).stream_of_block(1, 0, {{0}, {1}, {6}});
    Outcome o = run(test_gpu(2), k);
    CHECK(o.cycles_of(2).size() == 1);
    CHECK(o.cycles_of(2).front() > 400);
  }
}

TEST_CASE("a block that arrives and ends is not released in the place of the block behind it") {
  // Clusters of two blocks that only arrive; the release comes when later clusters have taken the slots.
  spec::GpuConfig g = test_gpu(2);
  g.mutable_sm()->mutable_barrier()->set_cluster_barrier(400);
  Kernel k;
  k.add(cluster_arrive());
  k.add(cluster_wait());
  k.add(mufu());
  k.add(nop().stall(11), 3);
  k.add(exit_op());
  k.blocks(4).cluster(2).shape().dynamic_shared_bytes = 200000;
  for (uint32_t b : {0u, 1u}) {
    k.stream_of_block(b, 0, {{0}, {6}});
  }
  k.stream_of_block(2, 0, {{0}, {1}, {2}, {6}}).stream_of_block(3, 0, {{3}, {4}, {5}, {0}, {1}, {2}, {6}});
  Outcome o = run(g, k);
  Cycle arrived = o.cycles_of(0).back();
  CHECK(o.cycles_of(2) == Cycles{arrived + 401, arrived + 401});
}

}  // namespace
}  // namespace heddle::simtest
