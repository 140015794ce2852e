// Blocks on an SM: start, warps, end, and the next block.
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

TEST_CASE("the first warp issues start_cycles + block_interval + block_start_latency after the launch") {
  Kernel k{nop()};
  Outcome o = run(test_gpu(), k);
  CHECK(o.first == 1000 + 1 + 10);
  CHECK(o.result.sm_active_cycles_max == 1);
  CHECK(o.result.cycles == o.first + 1 + 500);
}

TEST_CASE("the warps of a block start warp_start_interval apart") {
  spec::GpuConfig g = test_gpu();
  g.mutable_launch()->set_warp_start_interval(2);
  Kernel k{nop()};
  k.warps(6);
  Outcome o = run(g, k);
  CHECK(o.cycles_of(0) == Cycles{0, 2, 4, 6, 8, 10});
  CHECK(o[Stall::kNoInstruction] == 2 + 4 + 6 + 8 + 10);
}

TEST_CASE("warp i of a block runs on sub-core i modulo 4") {
  Kernel k{nop()};
  k.warps(9);
  for (const Issue& i : run(test_gpu(), k).issues) {
    CHECK(i.subcore == i.warp % 4);
  }
}

// FINDINGS.md 56.
TEST_CASE("a block begins behind the last warp of the one before it, or one further to be elsewhere") {
  const auto first_subcores = [](uint32_t warps) {
    Kernel k;
    k.add(nop(), 2);
    for (uint32_t w = 1; w < warps; ++w) {
      k.order(w, {0});
    }
    k.warps(warps).blocks(5);  // only first warps come to the second instruction
    spec::GpuConfig g = test_gpu();
    g.mutable_launch()->set_block_interval(50);
    std::vector<uint32_t> subcores;
    for (const Issue& i : run(g, k).issues) {
      if (i.index == 1) {
        subcores.push_back(i.subcore);
      }
    }
    return subcores;
  };
  using Subcores = std::vector<uint32_t>;
  CHECK(first_subcores(1) == Subcores{0, 1, 2, 3, 0});
  CHECK(first_subcores(2) == Subcores{0, 2, 0, 2, 0});
  CHECK(first_subcores(3) == Subcores{0, 3, 2, 1, 0});
  CHECK(first_subcores(4) == Subcores{0, 1, 2, 3, 0});
  CHECK(first_subcores(6) == Subcores{0, 2, 0, 2, 0});
  CHECK(first_subcores(8) == Subcores{0, 1, 2, 3, 0});
}

TEST_CASE("small blocks fill the sub-cores evenly") {
  Kernel k;
  k.add(nop(), 50);
  k.blocks(8).warps(1);
  Outcome o = run(test_gpu(), k);
  for (uint32_t s = 0; s < 4; ++s) {
    CHECK(o.sequence(s).size() == 100);
  }
}

TEST_CASE(
    "the next block's first instruction: retire 20, hand out 1, start 10 after the last warp has gone") {
  Kernel k{nop().stall(5), exit_op()};
  k.blocks(3).shape().dynamic_shared_bytes = 200000;  // one block at a time
  Outcome o = run(test_gpu(), k);
  CHECK(o.result.occupancy.blocks_per_sm == 1);
  // EXIT at 5, gone at 6, next block 31 later.
  CHECK(o.cycles_of(0) == Cycles{0, 37, 74});
  CHECK(o.cycles_of(1) == Cycles{5, 42, 79});
  CHECK(o[Counter::kBlocksLaunched] == 3);
  CHECK(o[Counter::kWarpsActive] == 3 * 6);
}

TEST_CASE("a block ends with its slowest warp") {
  Kernel k;
  k.add(nop().stall(11), 10);
  k.warps(2).blocks(2).order(0, {0}).shape().dynamic_shared_bytes = 200000;
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles_of(9).at(0) == 99);
  CHECK(o.cycles_of(0) == Cycles{0, 0, 99 + 11 + 31, 99 + 11 + 31});
}

TEST_CASE("when there is room the next block does not wait") {
  Kernel k;
  k.add(nop().stall(11), 10);
  k.blocks(4);
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles_of(0) == Cycles{0, 1, 2, 3});  // block_interval
}

TEST_CASE("a warp without instructions is over at once") {
  Kernel k{nop(), nop()};
  k.warps(4).order(0, {}).order(1, {}).order(3, {});
  Outcome o = run(test_gpu(), k);
  CHECK(o.issues.size() == 2);
  CHECK(o[Counter::kWarpsActive] == 2);
}

TEST_CASE("a block, and a whole kernel, without instructions") {
  Kernel k{nop()};
  k.warps(2).blocks(5).order(0, {}).order(1, {});
  Outcome o = run(test_gpu(), k);
  CHECK(o.issues.empty());
  CHECK(o[Counter::kInstExecuted] == 0);
  CHECK(o[Counter::kBlocksLaunched] == 5);
  CHECK(o[Counter::kWarpsActive] == 0);
}

TEST_CASE("an empty warp does not hold a barrier") {
  Kernel k{bar(), mufu()};
  k.warps(3).order(2, {});
  CHECK(run(test_gpu(), k).cycles_of(1).size() == 2);
}

TEST_CASE("a warp that ends waits for its loads, not for its stores") {
  Kernel load{ldg(1).at(0, 0)};
  CHECK(run(test_gpu(), load)[Counter::kWarpsActive] >= 411);
  Kernel store{stg().at(0, 0)};
  CHECK(run(test_gpu(), store)[Counter::kWarpsActive] < 100);
}

TEST_CASE("the kernel ends when its last store has been performed at L2") {
  Kernel k{stg().at(0, 4)};
  Outcome o = run(test_gpu(), k);
  // 10 + 20; 128 bytes in the port 4; NoC 8 + 100; L2 port 4 and 50; end_cycles 500.
  CHECK(o.result.cycles == o.first + 30 + 4 + 108 + 54 + 500);
}

TEST_CASE("behind a kernel that has accessed memory the last GPC's answer counts, or the last store") {
  spec::GpuConfig g = test_gpu();
  g.mutable_launch()->set_flush_cycles(3000);
  auto later = [&g](Kernel& k) {
    const Outcome o = run(g, k);
    return o.result.cycles - 500 - (o.first + o.result.sm_active_cycles_max);
  };
  Kernel load{ldg(1).at(0, 0)};
  const auto from_one = later(load);
  Kernel none{nop(), alu()};
  CHECK(run(g, none).result.cycles == run(test_gpu(), none).result.cycles);
  g.mutable_launch()->set_flush_cycles(6000);
  CHECK(later(load) == from_one + 1500);  // one GPC: half of them
  g.mutable_launch()->set_flush_cycles(0);
  CHECK(later(load) == from_one - 1500);
  // A store is performed meanwhile.
  Kernel store{stg().at(0, 4)};
  const auto performed = run(g, store).result.cycles;
  g.mutable_launch()->set_flush_cycles(20);
  CHECK(run(g, store).result.cycles == performed);
  // One sector: half of what very much data takes.
  g.mutable_launch()->set_flush_cycles(3000);
  g.mutable_launch()->set_flush_data_cycles(900);
  g.mutable_launch()->set_flush_half_bytes(32);
  CHECK(later(load) == from_one + 450);
}

TEST_CASE("threads are counted by the masks") {
  Kernel k{nop(), alu().predicated(), nop()};
  k.stream(0, {{0, 0x0000ffff}, {1, 0x000000ff}, {2, 0xffffffff}});
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kInstExecuted] == 3);
  CHECK(o[Counter::kThreadInstExecuted] ==
        16 + 16 + 32);  // a predicated instruction: the active mask around it
  CHECK(o[Counter::kThreadInstPredOn] == 16 + 8 + 32);
}

}  // namespace
}  // namespace heddle::simtest
