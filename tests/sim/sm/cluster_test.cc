// Clusters: blocks on the SMs of one GPC, the cluster barrier (200 cycles), distributed shared memory (200
// cycles, 32 bytes a cycle).
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

Op cluster_arrive() { return make(OpClass::kClusterBarrier, "UCGABAR_ARV").flags(isa::kFlagBarrierArrive); }
Op cluster_wait() { return make(OpClass::kClusterBarrier, "UCGABAR_WAIT"); }

Kernel cluster_of_two() {
  Kernel k;
  k.add(nop().stall(11), 3);
  k.add(cluster_arrive());
  k.add(cluster_wait());
  k.add(mufu());
  k.blocks(2).cluster(2);
  k.shape().dynamic_shared_bytes = 200000;  // one block on each SM
  return k;
}

TEST_CASE("the blocks of a cluster sit on different SMs of one GPC when there is room") {
  Kernel k = cluster_of_two();
  k.blocks(4);
  Outcome o = run(test_gpu(4), k);
  for (uint32_t sm = 0; sm < 4; ++sm) {
    CHECK(o.cycles(0, sm).size() == 6);
  }
}

TEST_CASE("a cluster barrier opens 200 cycles after the last block's arrival") {
  Kernel k = cluster_of_two();
  k.stream_of_block(0, 0, {{3}, {4}, {5}});
  Outcome o = run(test_gpu(2), k);
  // Block 1 starts a cycle after block 0 and arrives 33 cycles later.
  Cycle arrived = o.cycles(0, 1).at(3);
  CHECK(arrived == 34);
  CHECK(o.cycles_of(5).size() == 2);
  for (Cycle c : o.cycles_of(5)) {
    CHECK(c == arrived + 200 + 1);
  }
}

TEST_CASE("a wait that comes after the release does not wait") {
  Kernel k;
  k.add(cluster_arrive());
  k.add(nop().stall(11), 30);
  k.add(cluster_wait());
  k.add(nop());
  k.blocks(2).cluster(2).shape().dynamic_shared_bytes = 200000;
  Cycles c = run(test_gpu(2), k).cycles(0, 0);
  CHECK(c[31] == 1 + 330);
  CHECK(c[32] == c[31] + 1);
}

TEST_CASE("a cluster of one block releases itself") {
  Kernel k{cluster_arrive(), cluster_wait(), mufu()};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 201});
}

TEST_CASE("every warp of a block arrives before the block does") {
  Kernel k = cluster_of_two();
  k.warps(2).stream(0, {{3}, {4}, {5}});
  Outcome o = run(test_gpu(2), k);
  Cycles all = o.cycles_of(5);
  CHECK(all.size() == 4);
  CHECK(all.front() == all.back());
  CHECK(all.front() > 33 + 200);
}

TEST_CASE("cluster barriers can be used again") {
  Kernel k{cluster_arrive(), cluster_wait(), cluster_arrive(), cluster_wait(), mufu()};
  k.blocks(2).cluster(2).shape().dynamic_shared_bytes = 200000;
  Outcome o = run(test_gpu(2), k);
  CHECK(o.cycles_of(4).size() == 2);
  CHECK(o.cycles_of(4).front() > 400);
}

TEST_CASE("more clusters than fit run one after the other") {
  Kernel k = cluster_of_two();
  k.blocks(10);
  Outcome o = run(test_gpu(4), k);
  CHECK(o[Counter::kBlocksLaunched] == 10);
  CHECK(o.cycles_of(5).size() == 10);
}

TEST_CASE("a load from another block's shared memory") {
  Op ld = ldg(1).at(0x7f0001000000, 4);  // the second block's window
  ld.in.op = OpClass::kLdGeneric;
  ld.in.space = isa::MemSpace::kGeneric;
  Kernel k{ld.writes_barrier(0), nop().waits(0b1)};
  k.shape().shared_base = 0x7f0000000000;
  k.blocks(2).cluster(2);
  Outcome o = run(test_gpu(2), k);
  // 10 to the head of the queue, 128 bytes in 4 cycles, 200 on the way, and a cycle to the reader.
  CHECK(o.cycles(0, 0) == Cycles{0, 10 + 4 + 200 + 1});
  CHECK(o[Counter::kDsmRequests] == 2);
  CHECK(o[Counter::kSharedRequests] == 0);
}

TEST_CASE("a cluster that does not fit in a GPC is refused") {
  device::Gpu gpu(test_gpu(4));  // two GPCs of two SMs
  Kernel k = cluster_of_two();   // one block on an SM
  k.blocks(4).cluster(4);
  CHECK_THROWS_WITH(run(gpu, k),
                    "too many resources requested for launch: cluster of 4 blocks, a GPC has room for 2");
  k.cluster(2);
  CHECK(run(gpu, k).cycles_of(5).size() == 4);
  k.cluster(4).shape().dynamic_shared_bytes = 100000;  // two blocks on an SM: four in a GPC
  CHECK(run(gpu, k).cycles_of(5).size() == 4);
}

}  // namespace
}  // namespace heddle::simtest
