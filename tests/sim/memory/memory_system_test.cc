// NoC, TLB, L2 and DRAM together: what process() answers.
#include "sim/memory/memory_system.h"

#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "tests/sim/support/memory.h"
#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

using stats::Counter;

struct Fixture {
  spec::GpuConfig gpu = simtest::test_gpu(4);
  std::vector<std::vector<Response>> responses = std::vector<std::vector<Response>>(4);

  static Request request(RequestKind kind, uint64_t line, uint8_t sectors, uint16_t sm, Cycle time,
                         uint32_t id) {
    Request r;
    r.kind = kind;
    r.line = line;
    r.sectors = sectors;
    r.sm = sm;
    r.time = time;
    r.id = id;
    r.operations = 1;
    return r;
  }
};

TEST_CASE_METHOD(Fixture, "a read: 100 to L2, 177 miss, 3 ports of one cycle and 100 back") {
  simtest::MemorySide m(gpu);
  m.process({request(RequestKind::kRead, 0, 1, 2, 1000, 77)}, responses);
  REQUIRE(responses[2].size() == 1);
  CHECK(responses[2][0].time == 1000 + 100 + 177 + 3 + 100);
  CHECK(responses[2][0].id == 77);
  CHECK(responses[2][0].sectors == 1);
  CHECK(responses[0].empty());
  responses[2].clear();
  m.process({request(RequestKind::kRead, 0, 1, 2, 5000, 78)}, responses);
  CHECK(responses[2][0].time == 5000 + 100 + 51 + 3 + 100);
}

TEST_CASE_METHOD(Fixture,
                 "what comes from a slice takes up to distance_spread longer, each GPC's slice the same") {
  gpu.mutable_noc()->set_distance_spread(64);
  simtest::MemorySide m(gpu);
  // The hit of the test before, from two GPCs; twice each.
  std::set<Cycle> longer, of_other;
  bool same = true, twice = true;
  for (uint64_t line = 0; line < 64; ++line) {
    std::array<Cycle, 5> took{};
    const std::array<uint16_t, 5> sms = {0, 0, 0, 1, 2};
    for (size_t i = 0; i < sms.size(); ++i) {
      const Cycle at = 10000 * (5 * line + i + 1);
      responses[sms[i]].clear();
      m.process({request(RequestKind::kRead, line, 1, sms[i], at, 1)}, responses);
      took[i] = responses[sms[i]][0].time - at;
    }
    twice &= took[1] == took[2];
    same &= took[1] == took[3];  // SMs 0 and 1 are of one GPC
    longer.insert(took[1] - (100 + 51 + 3 + 100));
    of_other.insert(took[4] - (100 + 51 + 3 + 100));
  }
  CHECK(twice);
  CHECK(same);
  CHECK(*longer.rbegin() <= 64);
  CHECK(*of_other.rbegin() <= 64);
  CHECK(longer.size() > 1);
  CHECK(longer != of_other);
}

TEST_CASE_METHOD(Fixture, "a write sends its data and gets an acknowledgement without payload") {
  simtest::MemorySide m(gpu);
  m.process({request(RequestKind::kWrite, 0, 0b1111, 0, 1000, 5)}, responses);
  REQUIRE(responses[0].size() == 1);
  // 128 bytes: 4 + 4 cycles in the request ports, 100; port 4 + look-up 50; 100.
  CHECK(responses[0][0].time == 1000 + 8 + 100 + 54 + 100);
}

TEST_CASE_METHOD(Fixture, "an atomic sends and returns its sectors, a reduction returns nothing") {
  simtest::MemorySide m(gpu);
  m.process({request(RequestKind::kRead, 0, 3, 0, 0, 1), request(RequestKind::kAtomic, 0, 3, 0, 5000, 2),
             request(RequestKind::kReduction, 0, 3, 0, 9000, 3)},
            responses);
  REQUIRE(responses[0].size() == 3);
  CHECK(responses[0][1].time == 5000 + 4 + 100 + 74 + 6 + 100);
  CHECK(responses[0][2].time == 9000 + 4 + 100 + 74 + 100);
}

TEST_CASE_METHOD(Fixture, "translation comes before the NoC") {
  gpu.mutable_tlb()->set_enabled(true);
  simtest::MemorySide m(gpu);
  m.process({request(RequestKind::kRead, 0, 1, 0, 1000, 1)}, responses);
  CHECK(responses[0][0].time == 1000 + 610 + 100 + 177 + 103);
  CHECK(m.counters()[Counter::kTlbWalks] == 1);
  CHECK(m.last_performed() == 1000 + 610 + 100 + 177);
}

TEST_CASE_METHOD(Fixture, "the SMs of GPC 1 are next to partition 1") {
  gpu = simtest::two_partition_gpu();
  simtest::MemorySide m(gpu);
  // Line 2 is at home in partition 1: near for SMs 2 and 3, far for SMs 0 and 1.
  m.process({request(RequestKind::kRead, 2, 1, 3, 1000, 1)}, responses);
  CHECK(responses[3][0].time == 1000 + 100 + 177 + 103);
  CHECK(m.counters()[Counter::kL2FromFabric] == 0);
  m.process({request(RequestKind::kRead, 2, 1, 1, 5000, 1)}, responses);
  CHECK(responses[1][0].time == 5000 + 100 + 200 + 103);
  CHECK(m.counters()[Counter::kL2FromFabric] == 2);
}

TEST_CASE_METHOD(Fixture, "reads of one line by the two SMs of a TPC go to L2 once while they overlap") {
  gpu.mutable_noc()->set_merge_entries(64);
  simtest::MemorySide m(gpu);
  m.process(
      {request(RequestKind::kRead, 9, 0b0011, 0, 1000, 1), request(RequestKind::kRead, 9, 0b0001, 1, 1010, 2),
       request(RequestKind::kRead, 9, 0b0001, 2, 1010, 3)},
      responses);
  // SM 1 joins SM 0's read; SM 2 sits in another TPC. Port 2, look-up 50, DRAM 126.
  CHECK(m.counters()[Counter::kL2Sectors] == 2 + 1);
  CHECK(responses[0][0].time == 1000 + 100 + 178 + 6 + 100);
  // With it through the GPC's port (2), behind it in the TPC's (2).
  CHECK(responses[1][0].time == 1000 + 100 + 178 + 2 + 2 + 1 + 1 + 100);
  // Sectors that the read in flight does not bring, and a read after its answer, go to L2.
  m.process({request(RequestKind::kRead, 9, 0b0100, 1, 1020, 4),
             request(RequestKind::kRead, 9, 0b0001, 1, 9000, 5)},
            responses);
  CHECK(m.counters()[Counter::kL2Sectors] == 3 + 2);
}

TEST_CASE_METHOD(Fixture,
                 "the answer to merged reads passes the GPC's port once, that to others each by itself") {
  gpu.mutable_noc()->set_merge_entries(64);
  gpu.mutable_noc()->set_merge_sms(4);
  gpu.mutable_noc()->set_gpc_response_bytes(1);
  gpu.mutable_topology()->clear_tpcs_per_gpc();
  gpu.mutable_topology()->add_tpcs_per_gpc(2);
  const auto time_of_last = [&](bool merged) {
    simtest::MemorySide m(gpu);
    for (auto& r : responses) {
      r.clear();
    }
    std::vector<Request> all;
    for (uint16_t sm = 0; sm < 4; ++sm) {
      all.push_back(request(RequestKind::kRead, merged ? 9 : 9 + sm, 0b0001, sm, 1000, sm));
    }
    m.process(all, responses);
    return responses[3][0].time;
  };
  const uint32_t bytes = 32 + gpu.noc().packet_header_bytes();
  CHECK(time_of_last(true) < 1000 + 100 + 177 + 100 + 2 * bytes);
  CHECK(time_of_last(false) > 1000 + 100 + 177 + 100 + 3 * bytes);
}

TEST_CASE_METHOD(Fixture, "multicast reads do not merge") {
  gpu.mutable_noc()->set_merge_entries(64);
  simtest::MemorySide m(gpu);
  struct Nobody final : Multicast {
    std::span<const uint16_t> targets(const Request&) override { return {}; }
    void deliver(const Request&, size_t, const Payload*, Cycle) override {}
  } nobody;
  m.set_multicast(0, nobody);
  std::vector<Request> two = {request(RequestKind::kRead, 9, 0b0011, 0, 1000, 1),
                              request(RequestKind::kRead, 9, 0b0011, 1, 1010, 2)};
  two[1].multicast = true;
  m.process(two, responses);
  CHECK(m.counters()[Counter::kL2Sectors] == 2 + 2);
}

TEST_CASE_METHOD(Fixture, "reset() makes everything cold and zero") {
  simtest::MemorySide m(gpu);
  m.process({request(RequestKind::kRead, 0, 1, 0, 1000, 1)}, responses);
  m.reset();
  CHECK(m.counters()[Counter::kL2Sectors] == 0);
  responses[0].clear();
  m.process({request(RequestKind::kRead, 0, 1, 0, 1000, 1)}, responses);
  CHECK(responses[0][0].time == 1380);
}

TEST_CASE_METHOD(Fixture,
                 "a launch: each GPC fetches the code's beginning and the constants the launch wrote") {
  gpu.mutable_sm()->mutable_fetch()->set_launch_prefetch_bytes(65536);
  gpu.mutable_launch()->set_code_beyond_bytes(256);
  gpu.mutable_launch()->set_constant_bytes(256);
  simtest::MemorySide m(gpu);
  m.launch(0, 0, 300, 0);
  m.exchange(kNever);
  // 300 bytes are 2 units of 256, one beyond, one of constants: 8 lines for each of two GPCs.
  CHECK(m.counters()[Counter::kL2FromGcc] == 2 * 8 * 4);
  CHECK(m.counters()[Counter::kL2Requests] == 2 * 8);
  CHECK(m.counters()[Counter::kDramReadBytes] == 6 * 128);  // the constants are in L2
  CHECK(m.counters()[Counter::kL2SectorHits] == 2 * 8 * 4 - 6 * 4);
}

TEST_CASE_METHOD(Fixture, "no more code is fetched at the launch than the cache is given") {
  gpu.mutable_sm()->mutable_fetch()->set_launch_prefetch_bytes(512);
  gpu.mutable_launch()->set_constant_bytes(256);
  simtest::MemorySide m(gpu);
  m.launch(0, 0, 100000, 0);
  m.exchange(kNever);
  CHECK(m.counters()[Counter::kL2Requests] == 2 * (4 + 2));
}

TEST_CASE_METHOD(Fixture, "the first SM of a GPC that wants a line fetches two, nobody is answered") {
  simtest::MemorySide m(gpu);
  auto fetch = [](uint64_t line, uint16_t sm) { return request(RequestKind::kFetch, line, 0, sm, 1000, 0); };
  m.process({fetch(kCodeLines, 0), fetch(kCodeLines + 1, 0), fetch(kCodeLines, 1)}, responses);
  CHECK(m.counters()[Counter::kL2FromGcc] == 8);
  m.process({fetch(kCodeLines + 1, 2)}, responses);  // the other GPC
  CHECK(m.counters()[Counter::kL2FromGcc] == 16);
  CHECK(m.counters()[Counter::kDramReadBytes] == 256);
  m.process({fetch(kCodeLines + 2, 0)}, responses);
  CHECK(m.counters()[Counter::kL2FromGcc] == 24);
  for (const std::vector<Response>& r : responses) {
    CHECK(r.empty());
  }
}

TEST_CASE_METHOD(Fixture, "a GPC's cache forgets the least recently used") {
  simtest::MemorySide m(gpu);  // 2048 bytes: 8 units
  for (uint64_t line = 0; line < 18; line += 2) {
    m.process({request(RequestKind::kFetch, kCodeLines + line, 0, 0, 1000, 0)}, responses);
  }
  CHECK(m.counters()[Counter::kL2FromGcc] == 9 * 8);
  m.process({request(RequestKind::kFetch, kCodeLines + 16, 0, 0, 1000, 0)}, responses);
  CHECK(m.counters()[Counter::kL2FromGcc] == 9 * 8);
  m.process({request(RequestKind::kFetch, kCodeLines, 0, 0, 1000, 0)}, responses);
  CHECK(m.counters()[Counter::kL2FromGcc] == 10 * 8);
}

TEST_CASE_METHOD(
    Fixture, "at the end each SM sends a barrier to the slices it used, passed on to the other partition") {
  gpu = simtest::two_partition_gpu();
  gpu.mutable_launch()->set_slice_membars(6);
  gpu.mutable_launch()->set_idle_membars(160);
  simtest::MemorySide m(gpu);
  // 4 SMs, 2 x 2 slices. SM 0 uses slices 0 and 1 of partition 0, SM 3 slice 0 of partition 1, twice.
  m.process({request(RequestKind::kRead, 0, 0b1111, 0, 1000, 1),
             request(RequestKind::kWrite, 1, 0b1111, 0, 1000, 2),
             request(RequestKind::kRead, 2, 0b0011, 3, 1000, 3),
             request(RequestKind::kRead, 2, 0b1100, 3, 1000, 4)},
            responses);
  const stats::CounterSet before = m.counters();
  m.finish();
  auto more = [&](Counter c) {
    return m.counters().count[static_cast<size_t>(c)] - before.count[static_cast<size_t>(c)];
  };
  CHECK(more(Counter::kL2Membars) == 6 * 4 + 3 + 3);
  CHECK(more(Counter::kL2Sectors) == 30);
  CHECK(more(Counter::kL2FromGpc) == 3);
  CHECK(more(Counter::kL2FromFabric) == 3);
  CHECK(more(Counter::kL2Requests) == 30 + 160 * 13 / 16);
  CHECK(more(Counter::kL2SectorHits) == 30 + 160 * 13 / 16);
}

TEST_CASE("SMs that share a port towards L2: consecutive ones of a GPC") {
  CHECK(sm_groups({0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, 4) == std::vector<uint32_t>{0, 0, 0, 0, 1, 1, 2, 2, 2, 2});
  CHECK(sm_groups({0, 0, 1, 1}, 2) == std::vector<uint32_t>{0, 0, 1, 1});
}

TEST_CASE("one line read by all SMs of the H200's layout at once: 34 requests") {
  spec::GpuConfig g = simtest::test_gpu(132);
  g.mutable_topology()->clear_tpcs_per_gpc();
  for (uint32_t tpcs : {9, 9, 8, 8, 8, 8, 8, 8}) {
    g.mutable_topology()->add_tpcs_per_gpc(tpcs);
  }
  g.mutable_noc()->set_merge_sms(4);
  g.mutable_noc()->set_merge_entries(16);
  simtest::MemorySide m(g);
  std::vector<Request> all;
  for (uint16_t sm = 0; sm < 132; ++sm) {
    Request r;
    r.time = 1000;
    r.sm = sm;
    r.line = 5;
    r.sectors = 1;
    all.push_back(r);
  }
  std::vector<std::vector<Response>> responses(132);
  m.process(all, responses);
  CHECK(m.counters()[Counter::kL2FromSm] == 34);  // microbench/FINDINGS.md 17
}

}  // namespace
}  // namespace heddle::memory
