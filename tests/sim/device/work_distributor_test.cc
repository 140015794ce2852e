// Which SM gets which block, and when.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

// SMs in the order in which the blocks' first instructions issue.
std::vector<uint32_t> block_order(const Outcome& o) {
  std::vector<uint32_t> out;
  for (const Issue& i : o.issues) {
    if (i.index == 0) {
      out.push_back(i.sm);
    }
  }
  return out;
}

Kernel long_blocks(uint32_t n, uint32_t instructions = 40) {
  Kernel k;
  k.add(nop().stall(11), static_cast<int>(instructions));
  k.blocks(n);
  return k;
}

TEST_CASE("the first wave goes over all SMs before any gets a second block") {
  Kernel k = long_blocks(8);
  Outcome o = run(test_gpu(4), k);
  CHECK(block_order(o) == std::vector<uint32_t>{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(o.cycles_of(0) == Cycles{0, 1, 2, 3, 4, 5, 6, 7});  // block_interval
}

TEST_CASE("fewer blocks than SMs leave the others idle") {
  Kernel k = long_blocks(2);
  Outcome o = run(test_gpu(4), k);
  CHECK(o.cycles(0, 2).empty());
  CHECK(o.cycles(0, 3).empty());
  CHECK(o.result.sm_active_cycles_sum == 2 * o.result.sm_active_cycles_max);
}

TEST_CASE("an SM takes blocks up to its occupancy, then one for each that ends") {
  Kernel k = long_blocks(12);
  k.shape().dynamic_shared_bytes = 100000;  // two blocks on an SM
  Outcome o = run(test_gpu(2), k);
  CHECK(o.result.occupancy.blocks_per_sm == 2);
  Cycles starts = o.cycles_of(0);
  REQUIRE(starts.size() == 12);
  // A block takes 40 x 11 cycles; four run at a time.
  CHECK(starts[3] == 3);
  CHECK(starts[4] >= 429 + 1 + 31);
  CHECK(starts[7] < 500);
  CHECK(starts[8] >= 2 * 460);
  CHECK(starts[11] < 2 * 500);
}

TEST_CASE("no SM is ever above its occupancy") {
  Kernel k = long_blocks(50, 5);
  k.shape().dynamic_shared_bytes = 70000;  // three blocks
  Outcome o = run(test_gpu(2), k);
  REQUIRE(o.result.occupancy.blocks_per_sm == 3);
  for (uint32_t sm : {0u, 1u}) {
    uint32_t open = 0, most = 0;
    for (const Issue& i : o.issues) {
      if (i.sm == sm) {
        open += i.index == 0;
        most = std::max(most, open);
        open -= i.index == 4;
      }
    }
    CHECK(most == 3);
  }
}

TEST_CASE("a free SM gets the next block whatever the others do") {
  Kernel k;
  k.add(nop().stall(11), 100);
  k.blocks(5).shape().dynamic_shared_bytes = 200000;
  // Block 1 is short: its SM gets blocks 2, 3 and 4 while block 0 still runs.
  for (uint32_t b = 1; b < 5; ++b) {
    k.stream_of_block(b, 0, {{0}, {1}, {2}});
  }
  Outcome o = run(test_gpu(2), k);
  CHECK(block_order(o) == std::vector<uint32_t>{0, 1, 1, 1, 1});
}

TEST_CASE("blocks are handed out block_interval apart") {
  spec::GpuConfig g = test_gpu(4);
  g.mutable_launch()->set_block_interval(2.5);
  Kernel k = long_blocks(8);
  // Block i at 2.5 (i + 1), rounded up: 3, 5, 8, 10, ...
  CHECK(run(g, k).cycles_of(0) == Cycles{0, 2, 5, 7, 10, 12, 15, 17});
}

TEST_CASE("one SM takes blocks sm_block_interval apart") {
  spec::GpuConfig g = test_gpu(1);
  g.mutable_launch()->set_sm_block_interval(50);
  Kernel k = long_blocks(4);
  CHECK(run(g, k).cycles_of(0) == Cycles{0, 50, 100, 150});
}

TEST_CASE("... and later behind a block of many warps") {
  spec::GpuConfig g = test_gpu(1);
  g.mutable_launch()->set_sm_block_interval(50);
  g.mutable_launch()->set_sm_warp_interval(3);
  Kernel k = long_blocks(3);
  k.warps(8);
  Cycles starts = run(g, k).cycles_of(0);
  CHECK(starts[8] == 50);
  k.warps(20);
  starts = run(g, k).cycles_of(0);
  CHECK(starts[20] == 60);
}

TEST_CASE("the SMs of a TPC get their blocks in turn, other TPCs at the same time") {
  spec::GpuConfig g = test_gpu(4);
  g.mutable_topology()->set_sms_per_tpc(2);
  g.mutable_topology()->clear_tpcs_per_gpc();
  g.mutable_topology()->add_tpcs_per_gpc(2);
  g.mutable_launch()->set_block_interval(0);
  g.mutable_launch()->set_sm_block_interval(50);
  Kernel k = long_blocks(8);
  const Outcome o = run(g, k);
  for (uint32_t sm = 0; sm < 4; ++sm) {
    CAPTURE(sm);
    Cycles starts;
    for (const Issue& i : o.issues) {
      if (i.sm == sm && i.index == 0) {
        starts.push_back(i.cycle);
      }
    }
    const Cycle first = o.first + sm % 2 * 25;
    CHECK(starts == Cycles{first, first + 50});
  }
}

TEST_CASE("blocks that end at the same time are noted one after the other") {
  spec::GpuConfig g = test_gpu(4);
  g.mutable_launch()->set_block_interval(0);
  Kernel k = long_blocks(8);
  k.shape().dynamic_shared_bytes = 200000;  // one block on an SM
  // All four end together; the places of the first ones are free when that has been noted.
  const Outcome at_once = run(g, k);
  const Cycle next = at_once.cycles_of(0)[4];
  CHECK(at_once.cycles_of(0) == Cycles{0, 0, 0, 0, next, next, next, next});
  g.mutable_launch()->set_retire_interval(5);
  const Outcome o = run(g, k);
  CHECK(o.cycles_of(0) == Cycles{0, 0, 0, 0, next, next + 5, next + 10, next + 15});
  // Their ends are 5 apart, too, so nothing queues; the last one's is the kernel's.
  CHECK(o.result.cycles == at_once.result.cycles + 15);
  k.blocks(4);
  g.mutable_launch()->set_retire_interval(0);
  const uint64_t alone = run(g, k).result.cycles;
  g.mutable_launch()->set_retire_interval(5);
  CHECK(run(g, k).result.cycles == alone + 15);
}

// Two GPCs of 8 and 4 SMs; the first two TPCs of the first one are singletons. One block fits on an SM.
spec::GpuConfig singletons() {
  spec::GpuConfig g = test_gpu(12);
  g.mutable_topology()->set_sms_per_tpc(2);
  g.mutable_topology()->clear_tpcs_per_gpc();
  g.mutable_topology()->add_tpcs_per_gpc(4);
  g.mutable_topology()->add_tpcs_per_gpc(2);
  g.mutable_topology()->set_singleton_tpcs(2);
  return g;
}

TEST_CASE("clusters as large as a TPC: the singleton TPCs, then the GPCs in turn") {
  Kernel k = long_blocks(12);
  k.cluster(2).shape().dynamic_shared_bytes = 200000;
  CHECK(block_order(run(singletons(), k)) == std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 8, 9, 6, 7, 10, 11});
}

TEST_CASE("larger clusters leave singleton TPCs alone") {
  Kernel k = long_blocks(12);
  k.cluster(4).shape().dynamic_shared_bytes = 200000;
  const Outcome o = run(singletons(), k);
  // The third one comes when the first has gone.
  CHECK(block_order(o) == std::vector<uint32_t>{4, 5, 6, 7, 8, 9, 10, 11, 4, 5, 6, 7});
  Kernel large = long_blocks(8);
  large.cluster(8).shape().dynamic_shared_bytes = 200000;
  CHECK_THROWS_WITH(run(singletons(), large), Catch::Contains("cluster of 8 blocks, a GPC has room for 4"));
}

TEST_CASE("every block of a large grid runs once") {
  Kernel k{nop(), nop()};
  k.blocks(1000).warps(2);
  Outcome o = run(test_gpu(4), k);
  CHECK(o[Counter::kBlocksLaunched] == 1000);
  CHECK(o[Counter::kInstExecuted] == 4000);
}

// SM 1's first block ends when the stall count of its last instruction has run out, which is known 11 cycles
// before; SM 0's when a load from shared memory is there, which is known in that cycle only. The end of a
// quantum can lie between the two.
TEST_CASE("of places that are free in the same cycle the first SM's is given first, at a quantum's end too") {
  bool first = false, second = false;
  for (int stall = 1; stall <= 15; ++stall) {
    CAPTURE(stall);
    Kernel k;
    k.add(nop().stall(11), 4);
    k.add(nop().stall(stall));
    k.add(lds(1).writes_barrier(0));
    k.blocks(4).shape().dynamic_shared_bytes = 200000;  // one block on an SM
    k.order(0, {0, 1, 2, 3});
    k.stream_of_block(0, 0, {{0}, {4}, {5}});
    const Outcome whole = run(test_gpu(2), k);
    const std::vector<uint32_t> order = block_order(whole);
    first |= order == std::vector<uint32_t>{0, 1, 0, 1};
    second |= order == std::vector<uint32_t>{0, 1, 1, 0};
    for (uint64_t quantum = 5; quantum < 30; ++quantum) {
      CAPTURE(quantum);
      device::RunOptions options;
      options.quantum = quantum;
      const Outcome o = run(test_gpu(2), k, options);
      CHECK(block_order(o) == order);
      CHECK(o.cycles_of(0) == whole.cycles_of(0));
    }
  }
  CHECK(first);  // SM 0's block ends before SM 1's, or with it
  CHECK(second);
}

}  // namespace
}  // namespace heddle::simtest
