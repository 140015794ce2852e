// A memory side, and an L2, that has been used and reset is as one that has just been made.
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "sim/engine/archive.h"
#include "tests/sim/support/memory.h"
#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

// Lines that persist, that are dirty, of before the kernel too, and that are known in part; few of each.
spec::GpuConfig with_everything() {
  spec::GpuConfig g = simtest::two_partition_gpu();
  g.mutable_tlb()->set_enabled(true);
  g.mutable_noc()->set_merge_entries(16);
  g.mutable_l2()->set_total_bytes(64 << 10);
  g.mutable_l2()->set_max_persisting_bytes(4 << 10);
  g.mutable_l2()->set_max_partial_bytes(4 << 10);
  g.mutable_l2()->set_max_dirty_bytes(16 << 10);
  g.mutable_launch()->set_dirty_bytes(4 << 10);
  return g;
}

Request any(std::mt19937& random, Cycle at) {
  Request r;
  r.sm = static_cast<uint16_t>(random() % 4);
  r.line = random() % 2000;
  r.time = at;
  r.operations = 1;
  r.kind = static_cast<RequestKind>(random() % 5);
  r.sectors = static_cast<uint8_t>(1 + random() % 15);
  r.persisting = random() % 8 == 0;
  r.partial = r.kind == RequestKind::kWrite && random() % 2 == 0;
  r.words = r.partial ? random() : 0;
  return r;
}

template <class T>
std::vector<uint8_t> saved(T& x) {
  Archive ar;
  x.serialize(ar);
  return ar.take();
}

// When each request is answered.
std::vector<Ticks> serve(simtest::WholeL2& l2, uint32_t seed, Cycle from) {
  std::mt19937 random(seed);
  std::vector<Ticks> out;
  for (Cycle t = from; t < from + 20'000; t += random() % 10) {
    const Request r = any(random, t);
    out.push_back(l2.serve(r, r.sm / 2, to_ticks(t)));
  }
  return out;
}

TEST_CASE("an L2 that has been reset has no line, no limit that is used up, and nobody in its ports") {
  const spec::GpuConfig g = with_everything();
  constexpr Cycle kLater = 1 << 20;
  stats::CounterSet a, b;
  simtest::WholeL2 used(g, a), fresh(g, b);
  serve(used, 1, 0);
  CHECK(used.persisting_lines() > 0);
  used.reset(to_ticks(kLater));
  fresh.reset(to_ticks(kLater));
  CHECK(used.persisting_lines() == 0);
  CHECK((saved(used) == saved(fresh)));
  a = {};
  CHECK(serve(used, 2, kLater) == serve(fresh, 2, kLater));
  CHECK(a.count == b.count);
  CHECK(used.persisting_lines() == fresh.persisting_lines());
}

TEST_CASE("what crosses the fabric when an L2 is reset fills no line") {
  const spec::GpuConfig g = simtest::two_partition_gpu();
  stats::CounterSet n;
  simtest::WholeL2 whole(g, n);
  L2& l2 = whole;  // which does not wait for the fabric
  uint64_t asked = 0;
  for (uint64_t line = 0; line < 16; ++line) {
    Request r;
    r.line = line;
    r.sectors = 0b1111;
    const Home home = l2.map().home(line);
    asked += l2.serve(r, home, 1 - home.partition, to_ticks(1000)).transfer != 0;
  }
  CHECK(asked == 16);
  CHECK(l2.transfers().size() == 16);
  l2.reset();
  CHECK(l2.transfers().empty());
  l2.settle();
  stats::CounterSet of_fresh;
  simtest::WholeL2 fresh(g, of_fresh);
  CHECK((saved(whole) == saved(fresh)));
}

void send(simtest::MemorySide& m, uint32_t seed, Cycle from) {
  std::mt19937 random(seed);
  for (Cycle t = from; t < from + 20'000; t += random() % 10) {
    const Request r = any(random, t);
    if (r.kind == RequestKind::kFetch) {
      m.outbox(r.sm).fetch(r);
    } else {
      m.outbox(r.sm).send(r);
    }
  }
  m.exchange(kNever);
}

TEST_CASE("a memory side that has been reset is saved as a new one is, and answers as it does") {
  spec::GpuConfig g = with_everything();
  SECTION("but for the TLBs' clocks, which go on") { g.mutable_tlb()->set_enabled(false); }
  SECTION("with TLBs") {}
  simtest::MemorySide used(g), fresh(g);
  send(used, 1, 1000);
  CHECK((saved(used) != saved(fresh)));
  for (uint32_t sm = 0; sm < 4; ++sm) {
    used.inbox(sm).clear();
  }
  std::vector<std::vector<std::array<uint64_t, 3>>> answers;
  for (simtest::MemorySide* m : {&used, &fresh}) {
    m->reset({}, /*warm=*/false);
    CHECK(m->changes() == 0);
    CHECK(m->counters().count == stats::CounterSet().count);
  }
  if (!g.tlb().enabled()) {
    CHECK((saved(used) == saved(fresh)));
  }
  for (simtest::MemorySide* m : {&used, &fresh}) {
    send(*m, 2, 100'000);
    auto& all = answers.emplace_back();
    for (uint32_t sm = 0; sm < 4; ++sm) {
      for (Cycle t = m->inbox(sm).next(); t != kNever; t = m->inbox(sm).next()) {
        m->inbox(sm).run(t, [&](const Inbox::Answer& a) { all.push_back({t, a.sectors, sm}); });
      }
    }
  }
  CHECK(answers[0].size() > 1000);
  CHECK(answers[0] == answers[1]);
  CHECK(used.counters().count == fresh.counters().count);
}

}  // namespace
}  // namespace heddle::memory
