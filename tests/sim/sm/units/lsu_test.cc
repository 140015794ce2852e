// The LSU with its L1, alone: the test is memory.
#include "sim/sm/lsu/lsu.h"

#include <catch2/catch.hpp>

#include "tests/sim/support/unit_bench.h"

namespace heddle::simtest {
namespace {

struct NoBarriers : sm::ClusterBarriers {
  void open_cluster_barrier(uint32_t, Cycle) override {}
  void change_mbarrier(uint32_t, const isa::MbarrierOp&, Cycle) override {}
  void bulk_arrived(uint32_t, uint64_t, uint64_t, Cycle) override {}
};

struct LsuBench : UnitBench {
  explicit LsuBench(Kernel& k) : UnitBench(k), fences(state), port(state), lsu(state, fences, port, *this) {
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

}  // namespace
}  // namespace heddle::simtest
