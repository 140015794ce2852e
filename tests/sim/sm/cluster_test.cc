// Clusters: blocks on the SMs of one GPC, the cluster barrier (200 cycles), distributed shared memory (200
// cycles).
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

Op cluster_arrive() { return make(OpClass::kClusterBarrier, "UCGABAR_ARV").flags(isa::kFlagBarrierArrive); }
Op cluster_wait() { return make(OpClass::kClusterWait, "UCGABAR_WAIT"); }

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

// Generic accesses to the shared window of block `rank`: 16 MiB each.
constexpr uint64_t kShared = 0x7f0000000000, kWindow = 1 << 24;

Op remote(Op op, OpClass as) {
  op.in.op = as;
  op.in.space = isa::MemSpace::kGeneric;
  return op;
}

Op to_block(Op op, OpClass as, uint64_t rank, int stride = 4) {
  return remote(std::move(op), as).at(kShared + rank * kWindow, stride);
}

void set_network(spec::GpuConfig& g, double slice_cycles) {
  g.mutable_sm()->mutable_async_copy()->set_dsm_slice_cycles(slice_cycles);
  g.mutable_sm()->mutable_async_copy()->set_dsm_answer_cycles(slice_cycles / 2);
}

// Issue cycles of block 0, which alone runs the code, of two blocks of a cluster on two SMs of one GPC. The
// SM's port takes 2 cycles a packet; a slice of the network `slice_cycles`, half of it for an answer.
Outcome run_cluster(std::initializer_list<Op> ops, double slice_cycles = 0) {
  Kernel k(ops);
  k.shape().shared_base = kShared;
  k.blocks(2).cluster(2).shape().dynamic_shared_bytes = 200000;
  k.stream_of_block(1, 0, {});
  spec::GpuConfig g = test_gpu(2);
  set_network(g, slice_cycles);
  return run(g, k);
}

TEST_CASE("a load from another block's shared memory: a packet to ask, one back for each sector") {
  Outcome o = run_cluster({to_block(ldg(1), OpClass::kLdGeneric, 1).writes_barrier(0), nop().waits(0b1)});
  // 10 to the head of the queue, 5 packets, 200 on the way, and a cycle to the reader.
  CHECK(o.cycles(0, 0) == Cycles{0, 10 + 5 * 2 + 200 + 1});
  CHECK(o[Counter::kDsmRequests] == 1);
  CHECK(o[Counter::kSharedRequests] == 0);
  // 32 sectors of 32 lines: 32 questions, and the other SM's answer to the last.
  o = run_cluster({to_block(ldg(1), OpClass::kLdGeneric, 1, 128).writes_barrier(0), nop().waits(0b1)});
  CHECK(o.cycles(0, 0) == Cycles{0, 10 + 32 * 2 + 2 + 200 + 1});
}

TEST_CASE("a store to another block sends 16 bytes a packet, a whole line four") {
  for (auto [stride, packets] : {std::pair{4, 4}, {8, 16}, {16, 32}, {32, 32}, {0, 1}}) {
    Outcome o =
        run_cluster({to_block(stg(), OpClass::kStGeneric, 1, stride).reads_barrier(0), nop().waits(0b1)});
    CHECK(o.cycles(0, 0) == Cycles{0, Cycle(10 + packets * 2 + 1)});
  }
}

TEST_CASE("a remote atomic: lanes that meet in a word go one after the other") {
  // 4 sectors and the head of their pass, there and back; one word; two lanes in each of 16 words, two
  // sectors.
  for (auto [stride, packets] : {std::pair{4, 5 + 4}, {0, 32 + 32}}) {
    Outcome o = run_cluster(
        {to_block(atom(1), OpClass::kAtomGeneric, 1, stride).writes_barrier(0), nop().waits(0b1)});
    CHECK(o.cycles(0, 0) == Cycles{0, Cycle(10 + packets * 2 + 200 + 1)});
  }
  Op pairs = remote(atom(1).each([](int lane) { return kShared + kWindow + 4 * (lane / 2); }),
                    OpClass::kAtomGeneric);
  Outcome o = run_cluster({pairs.writes_barrier(0), nop().waits(0b1)});
  CHECK(o.cycles(0, 0) == Cycles{0, 10 + (6 + 4) * 2 + 200 + 1});
}

TEST_CASE(
    "the network takes what the port sends while it comes, and longer when a slice takes longer than the "
    "port") {
  // An atomic on one word: 32 packets of 2 cycles in either port.
  const Op word = to_block(atom(1), OpClass::kAtomGeneric, 1, 0).writes_barrier(0);
  CHECK(run_cluster({word, nop().waits(0b1)}, 1).cycles(0, 0) == Cycles{0, 10 + 64 + 64 + 200 + 1});
  CHECK(run_cluster({word, nop().waits(0b1)}, 8).cycles(0, 0) == Cycles{0, 10 + 256 + 128 + 200 + 1});
}

TEST_CASE("a slice of the network is shared by the SMs of a CPC") {
  // Both blocks ask each other: 32 packets of 8 cycles in one slice; the answers need not wait for questions.
  const Op there = to_block(atom(1), OpClass::kAtomGeneric, 1, 0).writes_barrier(0);
  const Op here = to_block(atom(1), OpClass::kAtomGeneric, 0, 0).writes_barrier(0);
  Kernel k{there, here, nop().waits(0b1)};
  k.shape().shared_base = kShared;
  k.blocks(2).cluster(2).shape().dynamic_shared_bytes = 200000;
  k.stream_of_block(0, 0, {{0}, {2}});
  k.stream_of_block(1, 0, {{1}, {2}});
  spec::GpuConfig g = test_gpu(2);
  set_network(g, 8);
  const Outcome o = run(g, k);
  CHECK(o.cycles(0, 0).at(1) == 10 + 256 + 128 + 200 + 1);
  CHECK(o.cycles(0, 1).at(1) == 10 + 2 * 256 + 128 + 200 + 1);
}

TEST_CASE("what others ask of an SM takes its turn in that SM's port") {
  // Block 1 answers 32 packets of 2 cycles, and asks for 32 itself, which its port has to send first.
  const Op there = to_block(atom(1), OpClass::kAtomGeneric, 1, 0).writes_barrier(0);
  const Op here = to_block(atom(1), OpClass::kAtomGeneric, 0, 0).writes_barrier(0);
  Kernel k{nop().stall(9), there, here, nop().waits(0b1)};
  k.shape().shared_base = kShared;
  k.blocks(2).cluster(2).shape().dynamic_shared_bytes = 200000;
  k.stream_of_block(0, 0, {{1}, {3}});
  std::vector<Kernel::Step> late(16, {0});  // 10 cycles each; its port is to answer from cycle 174 on
  late.push_back({2});
  late.push_back({3});
  k.stream_of_block(1, 0, late);
  spec::GpuConfig g = test_gpu(2);
  set_network(g, 0);
  CHECK(run(g, k).cycles(0, 0).at(1) == (1 + 160 + 10 + 64) + 64 + 99 + 2);
}

TEST_CASE("a block's own window is its shared memory, also for some of the lanes") {
  Op own = to_block(ldg(1), OpClass::kLdGeneric, 0).writes_barrier(0);
  Outcome o = run_cluster({own, nop().waits(0b1)});
  CHECK(o[Counter::kDsmRequests] == 0);
  CHECK(o[Counter::kSharedRequests] == 1);
  // Lanes 16-31 go to the other block: two sectors.
  Op some = remote(ldg(1).each([](int lane) { return kShared + (lane >= 16) * kWindow + 4 * lane; }),
                   OpClass::kLdGeneric);
  o = run_cluster({some.writes_barrier(0), nop().waits(0b1)});
  CHECK(o.cycles(0, 0) == Cycles{0, 10 + 3 * 2 + 200 + 1});
  CHECK(o[Counter::kDsmRequests] == 1);
}

TEST_CASE("a fence waits for remote atomics, also for those that have not left the queue") {
  Op word = to_block(atom(-1), OpClass::kAtomGeneric, 1, 0);
  // The first comes to the other SM after 64 cycles in the port; each takes 64 passes of 4 cycles there, so
  // the last is answered behind two others. The answer is there a cycle before its value would be in a
  // register, and a fence behind posted work takes 30 from there.
  Outcome o = run_cluster({word, word, word, membar(), nop()});
  CHECK(o.cycles(0, 0).at(4) == 10 + 64 + 100 + 2 * 256 + 64 + 99 + 30);
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

TEST_CASE("a store to a block that has ended keeps its places in the SM for its way there and back") {
  const Op store = to_block(stg(), OpClass::kStGeneric, 1, 128);
  spec::GpuConfig g = test_gpu(2);
  set_network(g, 0);
  g.mutable_sm()->mutable_l1()->set_posted_entries(128);  // a line and a sector for each lane: two stores
  // When the third store has been sent, which the first cluster makes as well, or the next one. The
  // distributor hears of a block's end at the end of a quantum.
  const auto third = [&](bool by_next_cluster, uint64_t quantum) {
    Kernel k{store, store, Op(store).reads_barrier(0), nop().waits(0b1)};
    k.shape().shared_base = kShared;
    k.blocks(4).cluster(2).shape().dynamic_shared_bytes = 200000;  // one block on each SM
    for (const uint32_t other : {1, 3}) {
      k.stream_of_block(other, 0, {});
    }
    if (by_next_cluster) {
      k.stream_of_block(0, 0, {{0}, {1}}).stream_of_block(2, 0, {{2}, {3}});
    } else {
      k.stream_of_block(2, 0, {});
    }
    device::RunOptions options;
    options.quantum = quantum;
    return run(g, k, options).cycles_of(3).at(0);
  };
  for (const uint64_t quantum : {0, 20}) {
    CAPTURE(quantum);
    // 10 to the head of the queue; half of the third store's places suffice for it to begin, so it is the
    // first one's 16th packet of 2 cycles that counts, whose answer comes 200 later; then 32 packets.
    CHECK(third(false, quantum) == 10 + 32 + 200 + 64 + 1);
    // Of a block that is there no more, without the cycle in which its SM takes the packet.
    CHECK(third(true, quantum) == 10 + 32 + 199 + 64 + 1);
  }
}

}  // namespace
}  // namespace heddle::simtest
