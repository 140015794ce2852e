// Three levels of TLB and page walks: 2, 4 and 8 entries of 2 MiB; 10 cycles to the second level, 100 more to
// the third, 500 for a walk, two walkers.
#include "sim/memory/tlb.h"

#include <catch2/catch.hpp>

#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

using stats::Counter;

// Two GPCs of two SMs and the walkers, one translation at a time.
struct Tlbs {
  std::vector<GpcTlb> gpcs;
  PageWalkers walkers;

  Tlbs(const spec::GpuConfig& gpu, stats::CounterSet& counters)
      : gpcs(2, GpcTlb(gpu.tlb(), 2, counters)), walkers(gpu.tlb(), counters) {}
  Ticks translate(uint32_t sm, uint64_t addr, Ticks at) {
    GpcTlb& gpc = gpcs[sm / 2];
    const GpcTlb::Translation t = gpc.translate(sm % 2, addr, at, to_cycles_down(at));
    for (GpcTlb::Fill& f : gpc.fills()) {
      f.ready = walkers.walk(f.region, f.at);
    }
    gpc.settle();
    const Ticks known = gpc.known(t);
    gpc.forget_fills();
    return known;
  }
  void reset() {
    for (GpcTlb& g : gpcs) {
      g.reset();
    }
    walkers.reset();
  }
};

struct Fixture {
  spec::GpuConfig gpu = simtest::test_gpu(4);
  stats::CounterSet counters;
  Tlbs tlb;

  Fixture() : tlb((gpu.mutable_tlb()->set_enabled(true), gpu), counters) {}
  Cycle translate(uint32_t sm, uint64_t page, Cycle at) {
    return to_cycles_up(tlb.translate(sm, page * 2097152 + 4096, to_ticks(at)));
  }
  uint64_t misses() const { return counters[Counter::kTlbL1Misses]; }
  uint64_t walks() const { return counters[Counter::kTlbWalks]; }
};

TEST_CASE_METHOD(Fixture, "the first touch of a page walks: 10 + 100 + 500 cycles") {
  CHECK(translate(0, 0, 0) == 610);
  CHECK(misses() == 1);
  CHECK(walks() == 1);
  // While the walk is under way the page is known but not usable.
  CHECK(translate(0, 0, 20) == 610);
  CHECK(translate(0, 0, 700) == 700);
  CHECK(misses() == 1);
  CHECK(walks() == 1);
}

TEST_CASE_METHOD(Fixture,
                 "another SM of the GPC finds the page in the second level, another GPC in the third") {
  translate(0, 0, 0);
  CHECK(translate(1, 0, 700) == 710);
  CHECK(translate(2, 0, 700) == 810);
  CHECK(translate(3, 0, 900) == 910);  // SM 2 brought it to its GPC
  CHECK(misses() == 4);
  CHECK(walks() == 1);
}

TEST_CASE_METHOD(Fixture, "an SM that comes during the walk waits for it") {
  translate(0, 0, 0);
  CHECK(translate(1, 0, 100) == 610);
  CHECK(translate(2, 0, 100) == 610);
  CHECK(walks() == 1);
}

TEST_CASE_METHOD(Fixture, "each level replaces its least recently used page") {
  for (uint64_t page : {0, 1, 2}) {
    translate(0, page, 10000 * page);
  }
  CHECK(walks() == 3);
  CHECK(translate(0, 1, 50000) == 50000);  // first level: pages 1 and 2
  CHECK(translate(0, 0, 51000) == 51010);  // replaces 2
  CHECK(translate(0, 2, 52000) == 52010);  // replaces 1
  CHECK(translate(0, 0, 53000) == 53000);
  // Pages 3 and 4 push page 1 out of the second level (used in the order 1, 0, 2).
  translate(0, 3, 60000);
  translate(0, 4, 61000);
  CHECK(walks() == 5);
  CHECK(translate(0, 1, 70000) == 70110);  // in the third level
  CHECK(walks() == 5);
}

TEST_CASE_METHOD(Fixture, "two walks at a time") {
  CHECK(translate(0, 0, 0) == 610);
  CHECK(translate(1, 1, 0) == 610);
  CHECK(translate(2, 2, 0) == 1110);
  CHECK(translate(3, 3, 0) == 1110);
  CHECK(translate(0, 4, 0) == 1610);
  CHECK(walks() == 5);
}

TEST_CASE("one walk makes a whole region known to the shared levels") {
  spec::GpuConfig g = simtest::test_gpu(4);
  g.mutable_tlb()->set_enabled(true);
  g.mutable_tlb()->set_walk_bytes(8 << 20);  // four pages
  stats::CounterSet counters;
  Tlbs tlb(g, counters);
  auto translate = [&](uint64_t page, Cycle at) {
    return to_cycles_up(tlb.translate(0, page << 21, to_ticks(at)));
  };
  CHECK(translate(0, 0) == 610);
  CHECK(translate(3, 1000) == 1010);  // another page of the region: the SM's own TLB misses only
  CHECK(translate(4, 2000) == 2610);  // the next region
  CHECK(counters[Counter::kTlbL1Misses] == 3);
  CHECK(counters[Counter::kTlbWalks] == 2);
}

TEST_CASE_METHOD(Fixture, "reset() forgets pages and walks") {
  translate(0, 0, 0);
  translate(0, 1, 0);
  tlb.reset();
  CHECK(translate(0, 0, 0) == 610);
  CHECK(walks() == 3);
}

TEST_CASE("what is asked for while a walk has not been done yet waits for it, too") {
  spec::GpuConfig g = simtest::test_gpu(4);
  g.mutable_tlb()->set_enabled(true);
  stats::CounterSet counters;
  GpcTlb tlb(g.tlb(), 2, counters);
  const GpcTlb::Translation first = tlb.translate(0, 0, to_ticks(100), 100);
  const GpcTlb::Translation same = tlb.translate(0, 64, to_ticks(120), 120);  // the SM's own TLB has the page
  const GpcTlb::Translation other = tlb.translate(1, 128, to_ticks(130), 130);  // the GPC's has it
  REQUIRE(tlb.fills().size() == 2);
  CHECK(tlb.fills()[0].behind == 0);
  CHECK(tlb.fills()[0].at == to_ticks(100 + 10 + 100));
  CHECK(tlb.fills()[1].behind == 1);
  tlb.fills()[0].ready = to_ticks(5000);
  tlb.settle();
  for (const GpcTlb::Translation& t : {first, same, other}) {
    CHECK(tlb.known(t) == to_ticks(5000));
  }
  tlb.forget_fills();
  CHECK(tlb.known(tlb.translate(1, 0, to_ticks(6000), 6000)) == to_ticks(6000));
  CHECK(counters[Counter::kTlbL1Misses] == 2);
}

TEST_CASE("a TLB that is switched off takes no time") {
  spec::GpuConfig g = simtest::test_gpu(1);
  stats::CounterSet counters;
  Tlbs tlb(g, counters);
  CHECK(tlb.translate(0, 123456789, Ticks(77)) == Ticks(77));
  CHECK(counters[Counter::kTlbL1Misses] == 0);
}

}  // namespace
}  // namespace heddle::memory
