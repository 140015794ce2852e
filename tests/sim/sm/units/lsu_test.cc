// The LSU with its L1, alone: the test is memory.
#include "sim/sm/lsu/lsu.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/sim/support/unit_bench.h"

namespace heddle::simtest {
namespace {

struct NoBarriers : sm::ClusterBarriers {
  void open_cluster_barrier(uint32_t, Cycle) override {}
  void change_mbarrier(uint32_t, const isa::MbarrierOp&, Cycle) override {}
  void bulk_arrived(uint32_t, uint64_t, uint64_t, Cycle) override {}
};

struct LsuBench : UnitBench {
  explicit LsuBench(Kernel& k, const spec::GpuConfig& g = test_gpu())
      : UnitBench(k, g), fences(state), port(state), lsu(state, fences, port, *this) {
    port.connect(lsu, barriers);
    attach(lsu, {Kind::kLsu});
    attach(fences, {Kind::kCopyDone, Kind::kMemoryDone});
    lsu.reset(0);
    lsu.resize_l1(32768);
  }
  NoBarriers barriers;
  sm::Fences fences;
  sm::ClusterPort port;
  sm::Lsu lsu;
};

TEST_CASE("a load's misses leave 10 + 20 + 1 cycles after its issue, and its data is there with the answer") {
  Kernel k{ldg(1).at(0, 4).writes_barrier(0)};
  LsuBench b(k);
  b.issue(b.lsu, 0, 100);
  CHECK(b.state.warp(0).loads == 1);
  b.run(500);
  const std::vector<memory::Request> sent = b.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].time == 100 + 10 + 20 + 1);
  CHECK(sent[0].sectors == 0b1111);
  CHECK(b.results.empty());
  b.come_to(600);
  b.lsu.answer(sent[0].id, 0b0011, nullptr, 600);
  CHECK(b.state.warp(0).loads == 1);
  b.come_to(650);
  b.lsu.answer(sent[0].id, 0b1100, nullptr, 650);
  CHECK(b.state.warp(0).loads == 0);
  b.run(1000);
  REQUIRE(b.results.size() == 1);
  CHECK(b.results[0] == At{0, 651});
}

TEST_CASE("a load that hits is there after 40 cycles") {
  Kernel k{ldg(1).at(0, 4).writes_barrier(0), ldg(2).at(0, 4).writes_barrier(0)};
  LsuBench b(k);
  b.issue(b.lsu, 0, 100);
  b.run(200);
  b.lsu.answer(b.sent().at(0).id, 0b1111, nullptr, 200);
  b.issue(b.lsu, 0, 1000);
  b.run(2000);
  CHECK(b.sent().empty());
  CHECK(b.results.back() == At{0, 1040});
}

TEST_CASE("stores leave with their sectors and are in flight until they are acknowledged") {
  Kernel k{stg().at(0, 4)};
  LsuBench b(k);
  b.issue(b.lsu, 0, 100);
  b.run(500);
  const std::vector<memory::Request> sent = b.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].kind == memory::RequestKind::kWrite);
  CHECK(b.state.warp(0).loads == 0);
  CHECK(b.state.warp(0).stores == 1);
  b.lsu.answer(sent[0].id, 0, nullptr, 600);
  CHECK(b.state.warp(0).stores == 0);
}

TEST_CASE("a queue says when it is full and when not; sub-cores have queues of their own") {
  Kernel k;
  k.add(lds(1), 6);
  k.warps(2);
  LsuBench b(k);
  for (int i = 0; i < 5; ++i) {
    b.issue(b.lsu, 0, 100);
  }
  CHECK(b.full[sm::kPortMio] == std::vector<bool>{true});
  b.issue(b.lsu, 1, 100);  // another sub-core
  b.run(111);
  CHECK(b.full[sm::kPortMio] == std::vector<bool>{true, false});
  CHECK(b.full[sm::kPortLg].empty());
  CHECK(b.full[sm::kPortTex].empty());
}

TEST_CASE("textures share the queue to the L1: it is full for both, and has room for both") {
  Kernel k;
  k.add(ldg(1).at(0, 0), 6);
  LsuBench b(k);
  for (int i = 0; i < 5; ++i) {
    b.issue(b.lsu, 0, 100);
  }
  CHECK(b.full[sm::kPortLg] == std::vector<bool>{true});
  CHECK(b.full[sm::kPortTex] == std::vector<bool>{true});
  b.run(111);
  CHECK(b.full[sm::kPortLg] == std::vector<bool>{true, false});
  CHECK(b.full[sm::kPortTex] == std::vector<bool>{true, false});
  CHECK(b.full[sm::kPortMio].empty());
}

TEST_CASE("an opening barrier counts as a wavefront when the LSU has worked since the last one") {
  Kernel k{lds(1)};
  LsuBench b(k);
  b.lsu.barrier_opened();
  CHECK(b.state.counters()[Counter::kSharedMiscWavefronts] == 0);
  b.issue(b.lsu, 0, 100);
  b.run(500);
  b.lsu.barrier_opened();
  b.lsu.barrier_opened();
  CHECK(b.state.counters()[Counter::kSharedMiscWavefronts] == 1);
}

TEST_CASE("an access of another SM takes its turn over the shared memory") {
  Kernel k{lds(1).writes_barrier(0)};
  LsuBench b(k);
  sm::ClusterMessage m;
  m.passes = 10;
  CHECK(b.lsu.visit(m, 105) == 105);  // until 125
  b.issue(b.lsu, 0, 100);
  b.run(500);
  CHECK(b.results == Ats{{0, 130 + 15}});  // would begin at 110
}

// One lane's access, so that nothing but the width counts.
TEST_CASE("a load of up to 4 bytes, of up to 8 and of more has three latencies, shared and of the L1") {
  for (int width = 1; width <= 16; ++width) {
    CAPTURE(width);
    Kernel k{ldg(1).at(0, 0).width(width).writes_barrier(0), ldg(1).at(0, 0).width(width).writes_barrier(0),
             lds(1).at(0, 0).width(width).writes_barrier(0)};
    k.stream(0, {{0, 1}, {1, 1}, {2, 1}});
    LsuBench b(k);
    b.issue(b.lsu, 0, 100);
    b.run(200);
    b.lsu.answer(b.sent().at(0).id, 0b0001, nullptr, 200);
    b.issue(b.lsu, 0, 1000);
    b.issue(b.lsu, 0, 2000);
    b.run(3000);
    const Cycle longer = width <= 4 ? 0 : width <= 8 ? 2 : 6;
    REQUIRE(b.results.size() == 3);
    CHECK(b.results[1] == At{0, 1040 + longer});
    CHECK(b.results[2] == At{0, 2030 + longer});
  }
}

// The load's lanes are 32 bytes apart: four banks of eight lanes each, 8 passes from 110 on. A shared load
// comes to the array at 112, a cycle late; it has its result 30 cycles behind its issue and what it waits.
TEST_CASE(
    "a load that finds nothing takes the data array a cycle a pass, one that hits as long as its bytes") {
  for (const uint32_t bytes_per_cycle : {128u, 64u, 32u}) {
    CAPTURE(bytes_per_cycle);
    spec::GpuConfig g = test_gpu();
    g.mutable_sm()->mutable_l1()->set_data_bytes_per_cycle(bytes_per_cycle);
    Kernel k;
    k.add(ldg(1).at(0, 32).writes_barrier(0), 2);
    k.add(lds(1).writes_barrier(1), 2);
    k.warps(2).order(0, {0, 1}).order(1, {2, 3});
    LsuBench b(k, g);
    b.issue(b.lsu, 0, 100);
    b.issue(b.lsu, 1, 101);
    b.run(300);
    CHECK(b.results == Ats{{1, 101 + 1 + 30 + (110 + 8 - 112)}});
    for (const memory::Request& r : b.sent()) {
      b.lsu.answer(r.id, r.sectors, nullptr, 300);
    }
    b.run(1000);
    b.results.clear();
    b.issue(b.lsu, 0, 1000);
    b.issue(b.lsu, 1, 1001);
    b.run(2000);
    std::erase_if(b.results, [](const At& a) { return a.warp == 0; });
    const Cycle passes = Cycle{8} * 128 / bytes_per_cycle;
    CHECK(b.results == Ats{{1, 1001 + 1 + 30 + (1010 + passes - 1012)}});
  }
}

// 32 lines and banks: two loads take the tags from 110 to 118 and to 126, two stores (parts of sectors: 2
// cycles a line) from 110 to 174 and to 238. The second one leaves its sub-core's queue at 112 and keeps the
// only place until its turn comes. Operands of loads are read 2 cycles behind that, of others 5.
TEST_CASE("who waits for the tags: loads and atomics behind loads, stores and reductions behind stores") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_memory()->set_lg_places(1);
  g.mutable_sm()->mutable_l1()->set_posted_queue(1);
  const auto read_behind = [&](const Op& filler, Op probe) {
    Kernel k{Op(filler).at(0, 132), Op(filler).at(1 << 16, 132), probe.at(1 << 20, 4).reads_barrier(0)};
    k.warps(3).order(0, {0}).order(1, {1}).order(2, {2});
    LsuBench b(k, g);
    for (uint32_t w = 0; w < 3; ++w) {
      b.issue(b.lsu, w, 100 + w);
    }
    b.run(1000);
    REQUIRE(b.reads.size() == 1);
    return b.reads[0].cycle;
  };
  CHECK(read_behind(ldg(1), ldg(1)) == 118 + 2);
  CHECK(read_behind(ldg(1), atom(1)) == 118 + 5);
  CHECK(read_behind(ldg(1), stg()) == 114 + 5);
  CHECK(read_behind(ldg(1), red()) == 114 + 5);
  CHECK(read_behind(stg(), ldg(1)) == 114 + 2);
  CHECK(read_behind(stg(), atom(1)) == 114 + 5);
  CHECK(read_behind(stg(), stg()) == 174 + 5);
  CHECK(read_behind(stg(), red()) == 174 + 5);
}

TEST_CASE("loads need no entry of the network: what is posted, however much, does not hold them up") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_l1()->set_posted_entries(2);
  Kernel k{stg().at(0, 4), ldg(1).at(1 << 16, 4).writes_barrier(0), stg().at(1 << 12, 4),
           ldg(1).at(1 << 17, 4).writes_barrier(0)};
  LsuBench b(k, g);
  b.issue(b.lsu, 0, 100);  // five entries: the network is empty
  b.issue(b.lsu, 0, 200);
  b.issue(b.lsu, 0, 300);  // no room
  b.issue(b.lsu, 0, 400);  // behind it
  b.run(500);
  std::vector<memory::Request> sent = b.sent();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].kind == memory::RequestKind::kWrite);
  CHECK(sent[1].kind == memory::RequestKind::kRead);
  CHECK(sent[1].time == 200 + 10 + 20 + 1);
  b.come_to(600);
  b.lsu.answer(sent[0].id, 0, nullptr, 600);
  b.run(700);
  sent = b.sent();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].line == (1 << 12) / 128);
  CHECK(sent[0].time == 600 + 4);
  CHECK(sent[1].time == 600 + 4 + 1);
}

TEST_CASE("the L2 is told of words that are written whole, each of a line's, and of no others") {
  Kernel k;
  const uint32_t store = k.add(stg(1).at(0, 1));  // a byte of each lane
  std::vector<Kernel::Step> steps;
  for (uint32_t word = 0; word < 32; ++word) {
    for (uint32_t bytes = 1; bytes < 16; ++bytes) {
      steps.push_back({store, bytes, uint64_t{128} * steps.size() + uint64_t{4} * word});
    }
  }
  k.stream(0, steps);
  LsuBench b(k);
  for (size_t i = 0; i < steps.size(); ++i) {
    b.issue(b.lsu, 0, 1000 * i + 100);
    b.run(1000 * i + 600);
    const std::vector<memory::Request> sent = b.sent();
    REQUIRE(sent.size() == 1);
    const auto word = static_cast<uint32_t>(i / 15);
    REQUIRE(sent[0].partial);
    REQUIRE(sent[0].sectors == 1 << word / 8);
    REQUIRE(sent[0].words == (steps[i].mask == 0b1111 ? 1u << word : 0));
    b.lsu.answer(sent[0].id, 0, nullptr, 1000 * i + 600);
  }
}

// A line that is written to another block of the cluster, and each of its sectors; of an atomic each pass
// over a sector, there and back.
TEST_CASE("what is on its way to another block keeps its entries of the network until it is acknowledged") {
  constexpr uint64_t kShared = 0x7f0000000000, kWindow = 1 << 24;
  const auto entries = [&](Op op, OpClass as, int stride) {
    op.in.op = as;
    op.in.space = isa::MemSpace::kGeneric;
    Kernel k{op.at(kShared + kWindow, stride)};
    k.blocks(2).cluster(2).shape().shared_base = kShared;
    LsuBench b(k);
    b.state.block(0).in_cluster = true;
    b.issue(b.lsu, 0, 100);
    b.run(1000);
    return b.lsu.describe();
  };
  const auto says = [](int n) {
    return "LSU: 0 queued, 0 sectors and " + std::to_string(n) + " posted entries in flight";
  };
  CHECK(entries(stg(), OpClass::kStGeneric, 4) == says(1 + 4));
  CHECK(entries(stg(), OpClass::kStGeneric, 32) == says(8 + 32));
  CHECK(entries(stg(), OpClass::kStGeneric, 128) == says(32 + 32));
  CHECK(entries(stg(), OpClass::kStGeneric, 0) == says(1 + 1));
  CHECK(entries(atom(1), OpClass::kAtomGeneric, 4) == says(2 * 4));
  CHECK(entries(atom(1), OpClass::kAtomGeneric, 128) == says(2 * 32));
  CHECK(entries(atom(1), OpClass::kAtomGeneric, 0) == says(2 * 32));
}

}  // namespace
}  // namespace heddle::simtest
