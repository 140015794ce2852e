// Packets take effect at their own time and in one order, however often the memory side is asked to work.
#include <catch2/catch.hpp>
#include <random>

#include "tests/sim/support/memory.h"
#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

Request read(uint64_t line, uint16_t sm, Cycle time, uint32_t id) {
  Request r;
  r.line = line;
  r.sectors = 1;
  r.sm = sm;
  r.time = time;
  r.id = id;
  r.operations = 1;
  return r;
}

TEST_CASE("a packet that leaves behind the horizon stays, and may be added to until it leaves") {
  simtest::MemorySide m(simtest::test_gpu(4));
  const uint32_t first = m.outbox(0).send(read(0, 0, 99, 1));
  const uint32_t second = m.outbox(0).send(read(8, 0, 100, 2));
  m.exchange(100);
  CHECK(m.counters()[stats::Counter::kL2Sectors] == 1);
  CHECK(m.inbox(0).next() == 99 + 100 + 177 + 3 + 100);
  CHECK(m.outbox(0).waiting(first, 50) == nullptr);
  CHECK(m.outbox(0).waiting(second, 100) == nullptr);  // it leaves in this cycle
  REQUIRE(m.outbox(0).waiting(second, 99) != nullptr);
  m.outbox(0).waiting(second, 99)->sectors |= 2;
  CHECK(m.outbox(0).next() == 100);
  CHECK(m.outbox(0).last_departure(0) == 100);
  m.exchange(101);
  CHECK(m.counters()[stats::Counter::kL2Sectors] == 3);
  CHECK(m.outbox(0).next() == kNever);
  CHECK(m.outbox(0).last_departure(0) == 0);
}

TEST_CASE("fetches leave by time, whatever the order of asking") {
  Outbox out;
  for (Cycle t : {300, 100, 200}) {
    Request r;
    r.time = t;
    out.fetch(r);
  }
  std::vector<Cycle> times;
  out.depart(201, [&](const Request& r) { times.push_back(r.time); });
  CHECK(times == std::vector<Cycle>{100, 200});
  CHECK(out.next() == 300);
}

TEST_CASE("what a launch fetches leaves with it: not in the exchange whose horizon is its cycle") {
  spec::GpuConfig gpu = simtest::test_gpu(2);
  gpu.mutable_sm()->mutable_fetch()->set_launch_prefetch_bytes(256);
  gpu.mutable_launch()->set_constant_bytes(64);
  simtest::MemorySide m(gpu);
  m.launch(0, 0, 256, 100);
  m.exchange(100);
  CHECK(m.counters()[stats::Counter::kL2FromGcc] == 0);
  m.exchange(101);
  CHECK(m.counters()[stats::Counter::kL2FromGcc] > 0);
}

// Reads, writes and atomics of four SMs at random, over two partitions, with translation and merging.
TEST_CASE("the answers do not depend on the horizons or on the number of threads") {
  spec::GpuConfig gpu = simtest::two_partition_gpu();
  gpu.mutable_tlb()->set_enabled(true);
  gpu.mutable_noc()->set_merge_entries(16);
  auto answers = [&](Cycle step, int threads) {
    simtest::MemorySide m(gpu);
    WorkerPool pool(threads);
    std::mt19937 random(7);
    uint32_t id = 0;
    for (Cycle t = 1000; t < 9000; t += random() % 5) {
      const auto sm = static_cast<uint16_t>(random() % 4);
      Request r = read((random() % 64) + (random() % 4 << 15), sm, t, ++id);
      r.kind = static_cast<RequestKind>(random() % 4);
      r.sectors = static_cast<uint8_t>(1 + random() % 15);
      m.outbox(sm).send(r);
    }
    std::vector<std::array<uint64_t, 3>> all;
    for (Cycle t = 1000 + step; t < 9000 + step; t += step) {
      m.MemorySystem::exchange(t, pool, [](uint32_t) {});
    }
    for (uint32_t sm = 0; sm < 4; ++sm) {
      for (Cycle t = m.inbox(sm).next(); t != kNever; t = m.inbox(sm).next()) {
        m.inbox(sm).run(t, [&](const Inbox::Answer& a) { all.push_back({t, a.id, sm}); });
      }
    }
    const stats::CounterSet n = m.counters();
    all.insert(all.end(), {{n[stats::Counter::kL2Sectors], n[stats::Counter::kL2SectorHits],
                            n[stats::Counter::kDramReadBytes]}});
    return all;
  };
  const auto expected = answers(8000, 1);
  CHECK(expected.size() > 1500);
  for (Cycle step : {250, 101, 64, 7}) {
    CAPTURE(step);
    CHECK(answers(step, 1) == expected);
  }
  CHECK(answers(101, 3) == expected);
}

}  // namespace
}  // namespace heddle::memory
