// The memory side, saved between two exchanges and restored, goes on as if nothing had happened.
#include <catch2/catch.hpp>
#include <random>

#include "sim/base/error.h"
#include "sim/engine/archive.h"
#include "sim/memory/image.h"
#include "tests/sim/support/memory.h"
#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

using simtest::MemorySide;

spec::GpuConfig gpu() {
  spec::GpuConfig g = simtest::two_partition_gpu();
  g.mutable_tlb()->set_enabled(true);
  g.mutable_noc()->set_merge_entries(16);
  g.mutable_l2()->set_max_dirty_bytes(64 << 10);
  return g;
}

// Reads, writes, atomics and fetches of four SMs at random.
void send(MemorySide& m, Cycle from, Cycle to, uint32_t seed) {
  std::mt19937 random(seed);
  uint32_t id = seed << 16;
  for (Cycle t = from; t < to; t += random() % 5) {
    Request r;
    r.sm = static_cast<uint16_t>(random() % 4);
    r.line = (random() % 512) + (random() % 4 << 15);
    r.time = t;
    r.id = ++id;
    r.operations = 1;
    r.kind = static_cast<RequestKind>(random() % 5);
    r.sectors = static_cast<uint8_t>(1 + random() % 15);
    r.persisting = random() % 8 == 0;
    if (r.kind == RequestKind::kFetch) {
      m.outbox(r.sm).fetch(r);
    } else {
      m.outbox(r.sm).send(r);
    }
  }
}

std::vector<uint8_t> save(MemorySide& m) {
  Archive ar;
  m.serialize(ar);
  for (uint32_t sm = 0; sm < 4; ++sm) {
    ar(m.inbox(sm), m.outbox(sm));
  }
  return ar.take();
}

void restore(MemorySide& m, const std::vector<uint8_t>& bytes) {
  Archive ar(bytes);
  m.serialize(ar);
  for (uint32_t sm = 0; sm < 4; ++sm) {
    ar(m.inbox(sm), m.outbox(sm));
  }
  ar.end();
}

using Answers = std::vector<std::array<uint64_t, 4>>;
void take(MemorySide& m, Answers& out) {
  for (uint32_t sm = 0; sm < 4; ++sm) {
    for (Cycle t = m.inbox(sm).next(); t != kNever; t = m.inbox(sm).next()) {
      m.inbox(sm).run(t, [&](const Inbox::Answer& a) { out.push_back({t, a.id, a.sectors, sm}); });
    }
    m.inbox(sm).clear();
  }
}

TEST_CASE("a memory side that was saved and restored continues identically") {
  MemorySide m(gpu());
  m.MemorySystem::launch(0, 0, 4096, 0);
  send(m, 1000, 9000, 1);
  for (Cycle t = 1000; t < 8800; t += 100) {
    m.exchange(t);  // the last packets are still to leave
  }
  const std::vector<uint8_t> saved = save(m);
  MemorySide other(gpu());
  restore(other, saved);
  CHECK(save(other) == saved);
  CHECK(other.counters().count == m.counters().count);
  Answers a, b;
  for (auto [side, answers] : {std::pair(&m, &a), std::pair(&other, &b)}) {
    send(*side, 9000, 15000, 2);
    side->exchange(12000);
    side->exchange(kNever);
    take(*side, *answers);
  }
  CHECK(a.size() > 2000);
  CHECK(a == b);
  CHECK(other.counters().count == m.counters().count);
  CHECK(other.last_performed() == m.last_performed());
}

TEST_CASE("what a warm launch finds is restored between launches") {
  MemorySide m(gpu());
  send(m, 1000, 9000, 3);
  m.exchange(kNever);
  Answers a, b, ignored;
  take(m, ignored);
  MemorySide other(gpu());
  restore(other, save(m));
  for (auto [side, answers] : {std::pair(&m, &a), std::pair(&other, &b)}) {
    side->reset({}, /*warm=*/true);
    send(*side, 0, 4000, 4);
    side->exchange(kNever);
    take(*side, *answers);
  }
  CHECK(a == b);
  CHECK(m.counters()[stats::Counter::kL2SectorHits] == other.counters()[stats::Counter::kL2SectorHits]);
}

TEST_CASE("the state of another machine is refused") {
  MemorySide m(gpu());
  const std::vector<uint8_t> saved = save(m);
  spec::GpuConfig g = gpu();
  g.mutable_l2()->set_ways(2 * g.l2().ways());
  MemorySide other(g);
  CHECK_THROWS_WITH(restore(other, saved), Catch::Contains("saved state, byte"));
}

TEST_CASE("a device that is joined to others cannot be saved yet") {
  MemorySide m(gpu());
  const Owners owners;
  m.join(0, 2, {.latency = 1000, .bytes_per_cycle = 1, .header_bytes = 32}, owners);
  CHECK_THROWS_WITH(save(m), Catch::Contains("cannot be saved yet (legal: one device)"));
}

TEST_CASE("an image keeps its ranges and its bytes") {
  Image a;
  a.map(0x10000, 3 * Image::kPageBytes);
  a.map(0x80000, 100);
  a.put<uint64_t>(0x10000 + 2 * Image::kPageBytes + 8, 77);
  a.put<uint8_t>(0x80063, 5);
  Archive w;
  a.serialize(w);
  const std::vector<uint8_t> bytes = w.take();
  CHECK(bytes.size() < 3 * Image::kPageBytes);
  Image b;
  b.map(0x10000, Image::kPageBytes);
  Archive r(bytes);
  b.serialize(r);
  r.end();
  CHECK(b.get<uint64_t>(0x10000 + 2 * Image::kPageBytes + 8) == 77);
  CHECK(b.get<uint64_t>(0x10000) == 0);
  CHECK(b.get<uint8_t>(0x80063) == 5);
  CHECK(b.find(0x80064, 1) == nullptr);
  Archive again;
  b.serialize(again);
  CHECK(again.take() == bytes);
}

}  // namespace
}  // namespace heddle::memory
