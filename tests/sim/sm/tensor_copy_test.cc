// Tensor copies of recordings with barrier objects that have phases, in the whole machine.
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/tensor_ops.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

constexpr uint64_t kMap = 0x2000, kRank = uint64_t{1} << 24;
constexpr uint64_t kTile = 4 * 128;
// A wait takes 25 cycles from the change that ends it, and a cycle to the waiter.
constexpr Cycle kWaitEnds = 25 + 1;

TEST_CASE("a producer and a consumer with two buffers: each waits for the other, two phases are in flight") {
  constexpr uint64_t kFull[] = {64, 72}, kEmpty[] = {80, 88};
  Kernel k;
  const auto parity0 = [&](uint64_t b, int scoreboard) {
    return k.add(mbarrier_wait(b, 0).writes_barrier(scoreboard));
  };
  const auto parity1 = [&](uint64_t b, int scoreboard) {
    return k.add(mbarrier_wait(b, 1).writes_barrier(scoreboard));
  };
  uint32_t init[4], empty[2][2], full[2][2], expect[2], load[2], arrive[2];
  for (int i = 0; i < 2; ++i) {
    init[2 * i] = k.add(mbarrier_init(kFull[i], 1));
    init[2 * i + 1] = k.add(mbarrier_init(kEmpty[i], 1));
    empty[i][0] = parity0(kEmpty[i], 0);
    empty[i][1] = parity1(kEmpty[i], 0);
    full[i][0] = parity0(kFull[i], 1);
    full[i][1] = parity1(kFull[i], 1);
    expect[i] = k.add(mbarrier_expect(kFull[i], kTile).waits(0b1));
    load[i] = k.add(tensor_load(kMap, 0, 4 * i, kFull[i]));
    arrive[i] = k.add(mbarrier_arrive(kEmpty[i]).waits(0b10));
  }
  const uint32_t all = k.add(bar());
  add_map(k, map_2d(32, 4), kMap);
  std::vector<Kernel::Step> producer, consumer;
  for (const uint32_t i : init) {
    producer.push_back({i, 1});
  }
  producer.push_back({all});
  consumer.push_back({all});
  for (uint32_t turn = 0; turn < 4; ++turn) {
    const uint32_t i = turn % 2, phase = turn / 2;
    for (const uint32_t code : {empty[i][1 - phase], expect[i], load[i]}) {
      producer.push_back({code, 1});
    }
    consumer.push_back({full[i][phase], 1});
    consumer.push_back({arrive[i], 1});
  }
  k.warps(2).stream(0, producer).stream(1, consumer);
  const Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kBulkBytes] == 4 * kTile);
  CHECK(o[Counter::kMbarrierForced] == 0);
  CHECK(o[Counter::kMbarrierAnyPhase] == 0);
  CHECK(o[Counter::kTensorCopiesUnknown] == 0);
  for (int i = 0; i < 2; ++i) {
    CAPTURE(i);
    const Cycles arrived = o.cycles_of(arrive[i]), refilled = o.cycles_of(expect[i]),
                 loaded = o.cycles_of(load[i]);
    REQUIRE(arrived.size() == 2);
    REQUIRE(refilled.size() == 2);
    // The second filling waits for the buffer to be empty.
    CHECK(refilled[1] == arrived[0] + kWaitEnds);
    // No wait ended before its own tile was there: 100 cycles until the first row leaves, 200 on the way and
    // back.
    CHECK(arrived[0] > loaded[0] + 300);
    CHECK(arrived[1] > loaded[1] + 300);
  }
  // Both buffers are on their way before the first is full.
  CHECK(o.cycles_of(load[1])[0] < o.cycles_of(arrive[0])[0]);
}

Op cluster_arrive() { return make(OpClass::kClusterBarrier, "UCGABAR_ARV").flags(isa::kFlagBarrierArrive); }
Op cluster_wait() { return make(OpClass::kClusterWait, "UCGABAR_WAIT"); }

// Two blocks that have initialised a barrier object each; what they do then is steps behind the first three
// codes.
struct TwoBlocks {
  TwoBlocks() {
    k.add(mbarrier_init(64, 1).per_block(kRank));
    k.add(cluster_arrive());
    k.add(cluster_wait());
    k.blocks(2).cluster(2).shape().dynamic_shared_bytes = 200000;  // one block on each SM
  }
  void block(uint32_t number, std::vector<Kernel::Step> then) {
    std::vector<Kernel::Step> steps = {{0, 1}, {1}, {2}};
    steps.insert(steps.end(), then.begin(), then.end());
    k.stream_of_block(number, 0, steps);
  }
  Kernel k;
};

TEST_CASE("a multicast completes the phases of the barrier objects of both blocks") {
  TwoBlocks two;
  const int32_t y = GENERATE(0, 5000);  // inside, and wholly outside
  const uint32_t expect = two.k.add(mbarrier_expect(64, kTile).per_block(kRank));
  const uint32_t load = two.k.add(tensor_load(kMap, 0, y, 64, 0b11));
  const uint32_t wait = two.k.add(mbarrier_wait(64, 0).per_block(kRank).writes_barrier(0));
  const uint32_t done = two.k.add(nop().waits(0b1));
  add_map(two.k, map_2d(32, 4), kMap);
  two.block(0, {{expect, 1}, {load, 1}, {wait, 1}, {done}});
  two.block(1, {{expect, 1}, {wait, 1}, {done}});
  const Outcome o = run(test_gpu(2), two.k);
  CAPTURE(y);
  CHECK(o[Counter::kMbarrierForced] == 0);
  CHECK(o[Counter::kMbarrierAnyPhase] == 0);
  CHECK(o[Counter::kBulkBytes] == kTile);
  CHECK(o[Counter::kL2Sectors] == (y == 0 ? 4 * 4 : 0));  // they are asked for once
  const Cycles ends = o.cycles_of(done);
  REQUIRE(ends.size() == 2);
  // 100 cycles of the copy's start, 200 of the map's first use.
  CHECK(ends[0] >= o.cycles_of(load)[0] + 300 + kWaitEnds);
  if (y == 0) {
    CHECK(ends[0] >= o.cycles_of(load)[0] + 500 + kWaitEnds);
  }
}

// Recorded of cuDNN: of a cluster of six blocks four fetch a tile for all, the others execute the same with
// an empty mask, and each barrier object expects what comes from four.
TEST_CASE("a multicast to none of the blocks moves nothing") {
  TwoBlocks two;
  const uint32_t expect = two.k.add(mbarrier_expect(64, kTile).per_block(kRank));
  const uint32_t load = two.k.add(tensor_load(kMap, 0, 0, 64, 0b11));
  Op nobody = tensor_load(kMap, 0, 0, 64);
  nobody.in.async.multicast = true;
  const uint32_t none = two.k.add(nobody);
  const uint32_t wait = two.k.add(mbarrier_wait(64, 0).per_block(kRank).writes_barrier(0));
  const uint32_t done = two.k.add(nop().waits(0b1));
  add_map(two.k, map_2d(32, 4), kMap);
  two.block(0, {{expect, 1}, {load, 1}, {wait, 1}, {done}});
  two.block(1, {{expect, 1}, {none, 1}, {wait, 1}, {done}});
  const Outcome o = run(test_gpu(2), two.k);
  CHECK(o[Counter::kMbarrierForced] == 0);
  CHECK(o[Counter::kBulkBytes] == kTile);
  CHECK(o[Counter::kL2Sectors] == 4 * 4);
}

TEST_CASE("an arrival at a neighbour's barrier object completes its phase") {
  TwoBlocks two;
  const uint32_t to_second = two.k.add(mbarrier_arrive(kRank | 64)),
                 to_first = two.k.add(mbarrier_arrive(64));
  const uint32_t wait = two.k.add(mbarrier_wait(64, 0).per_block(kRank).writes_barrier(0));
  const uint32_t done = two.k.add(nop().waits(0b1)), late = two.k.add(nop().stall(15));
  two.block(0, {{late}, {late}, {to_second, 1}, {wait, 1}, {done}});
  two.block(1, {{to_first, 1}, {wait, 1}, {done}});
  const Outcome o = run(test_gpu(2), two.k);
  CHECK(o[Counter::kMbarrierForced] == 0);
  CHECK(o[Counter::kMbarrierAnyPhase] == 0);
  // Of each the other's: the arrival is 2 cycles in the SM's port, and on its way half of the 200 there and
  // back.
  const Cycle first = o.cycles_of(to_first).at(0), second = o.cycles_of(to_second).at(0);
  CHECK(second > first);
  CHECK(o.cycles(0, 0).back() == first + 102 + kWaitEnds);
  CHECK(o.cycles(0, 1).back() == second + 102 + kWaitEnds);
}

TEST_CASE("STAS's bytes come with its data, and count at the barrier object that it names") {
  TwoBlocks two;
  const auto stas = [](uint64_t rank) {
    Op o = make(OpClass::kStShared, "STAS").flags(isa::kFlagAsyncStore).width(4);
    o.in.space = isa::MemSpace::kDistributedShared;
    o.in.mem_refs = 1;
    return o.at(rank * kRank | 0x400, 4).data(rank * kRank | 64);
  };
  const uint32_t expect = two.k.add(mbarrier_expect(64, 128).per_block(kRank));
  const uint32_t to_second = two.k.add(stas(1)), to_first = two.k.add(stas(0));
  const uint32_t wait = two.k.add(mbarrier_wait(64, 0).per_block(kRank).writes_barrier(0));
  const uint32_t done = two.k.add(nop().waits(0b1)), late = two.k.add(nop().stall(15));
  two.block(0, {{expect, 1}, {to_second}, {wait, 1}, {done}});
  two.block(1, {{expect, 1}, {late}, {to_first}, {wait, 1}, {done}});
  const Outcome o = run(test_gpu(2), two.k);
  CHECK(o[Counter::kMbarrierForced] == 0);
  CHECK(o[Counter::kMbarrierAnyPhase] == 0);
  CHECK(o[Counter::kDsmRequests] == 2);
  // 10 cycles to the LSU, four packets of 2 cycles each, 100 on their way.
  CHECK(o.cycles(0, 0).back() == o.cycles_of(to_first).at(0) + 118 + kWaitEnds);
  CHECK(o.cycles(0, 1).back() == o.cycles_of(to_second).at(0) + 118 + kWaitEnds);
}

TEST_CASE(
    "a wait that nothing completes ends when nothing else goes on, at the same time whatever the quantum") {
  // 512 bytes are expected and 256 come.
  Kernel k{mbarrier_init(64, 1), mbarrier_expect(64, 512), tensor_load(kMap, 0, 0, 64),
           mbarrier_wait(64, 0).writes_barrier(0), nop().waits(0b1)};
  add_map(k, map_2d(32, 2), kMap);
  k.stream(0, one_lane({0, 1, 2, 3, 4}));
  const Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kMbarrierForced] == 1);
  CHECK(o.cycles_of(4).size() == 1);
  for (const uint64_t quantum : {1, 7, 50}) {
    device::RunOptions options;
    options.quantum = quantum;
    CHECK(run(test_gpu(), k, options).cycles(0) == o.cycles(0));
  }
}

TEST_CASE("later waits for an object that was given up end at once") {
  Kernel k{mbarrier_init(64, 1),
           mbarrier_expect(64, 512),
           tensor_load(kMap, 0, 0, 64),
           mbarrier_wait(64, 0).writes_barrier(0),
           mbarrier_wait(64, 0).waits(0b1).writes_barrier(0),
           nop().waits(0b1)};
  add_map(k, map_2d(32, 2), kMap);
  k.stream(0, {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 3}, {5}});  // of other lanes, so not a turn of a loop
  const Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kMbarrierForced] == 1);
  CHECK(o.cycles_of(5).at(0) == o.cycles_of(4).at(0) + kWaitEnds);
}

}  // namespace
}  // namespace heddle::simtest
