// Instruction supply and constant caches alone.
#include "sim/sm/fetch/instruction_supply.h"

#include <catch2/catch.hpp>

#include "sim/sm/fetch/constant_cache.h"
#include "tests/sim/support/unit_bench.h"

namespace heddle::simtest {
namespace {

struct Wires {
  stats::CounterSet counters;
  memory::Outbox outbox;
  sm::FetchPort port{outbox, 0};
};

config::ConstantCache cached_constants() {
  config::ConstantCache c = test_gpu().sm().constants();
  c.set_model(config::ConstantCache::CACHED);
  return c;
}

// Those of an SM with four sub-cores, cold.
struct Constants : Wires {
  explicit Constants(const config::ConstantCache& c = cached_constants(), uint32_t place = 0)
      : cache(c, 4, place, counters, port) {
    cache.reset();
  }
  sm::ConstantCache cache;
};

TEST_CASE("a line comes from the GCC, then from the L1, then it is in the sub-core's L0") {
  Wires w;
  config::InstructionFetch c = test_gpu().sm().fetch();
  c.set_model(config::InstructionFetch::CACHED);
  sm::InstructionSupply supply(c, 4, w.counters, w.port);
  supply.reset();
  supply.add(0, 4);
  const Cycle cold = supply.want(0, 2, 1000) - 1000;
  CHECK(w.outbox.next() != kNever);  // asked for beyond the SM
  const Cycle from_l1 = supply.want(1, 2, 5000) - 5000;
  CHECK(from_l1 == 20);
  CHECK(cold > 100);
  CHECK(supply.want(0, 2, 6000) == 6000);
}

TEST_CASE("parameters are near, other constants come from memory the first time") {
  Constants w;
  w.cache.add(0, {true, false}, 1, 0);
  CHECK(w.cache.load(0, 1000) == 1000 + 300 + 50);
  CHECK(w.cache.load(1, 1000) == 1000 + 600 + 50);
  CHECK(w.cache.read(1, 1, 5000) == 5000 + 40);
  CHECK(w.cache.load(1, 6000) == 6000);
  CHECK(w.counters[Counter::kConstMisses] == 3);
  // The same kernel again: its parameters are in the GPC's cache.
  w.cache.add(0, {true, false}, 1, 0);
  CHECK(w.cache.load(0, 7000) == 7000 + cached_constants().gcc_latency() + 50);
  CHECK(w.cache.load(1, 7000) == 7000 + 600 + 50);
}

TEST_CASE("the second level gives a line in each 16 cycles, the other SM of the TPC takes its turns, too") {
  config::ConstantCache c = cached_constants();
  c.set_l1_interval(16);
  for (const uint32_t sharers : {1u, 2u}) {
    Constants w(c);
    w.cache.add(0, {true, true}, sharers, 0);
    CHECK(w.cache.load(0, 0) == 350);
    CHECK(w.cache.load(1, 0) == 350 + 16 * sharers);  // both have come from the GPC
    CHECK(w.cache.read(0, 0, 1000) == 1040);
    CHECK(w.cache.read(1, 0, 1000) == 1040 + 16 * sharers);
    CHECK(w.cache.read(0, 1, 1000) == 1040 + 32 * sharers);
    CHECK(w.cache.load(1, 1000) == 1000);
    CHECK(w.cache.read(2, 0, 2000) == 2040);
  }
}

TEST_CASE("parameters come all at once") {
  Constants w;
  w.cache.add(0, {true, true, true}, 1, 0);
  CHECK(w.cache.load(0, 0) == 350);
  CHECK(w.cache.load(1, 50) == 351);  // 1 behind the first
  CHECK(w.cache.load(2, 1000) == 1250);
}

TEST_CASE(
    "the parameters of a kernel with much code come later, and to the SMs of a GPC one after the other") {
  config::ConstantCache c = cached_constants();
  c.set_launch_code_bytes(8192);
  c.set_launch_code_latency(400);
  c.set_gcc_sms(6);
  c.set_gcc_interval(16);
  for (const uint32_t place : {0u, 5u, 6u, 13u}) {
    Constants w(c, place);
    w.cache.add(0, {true}, 1, 8192);
    const Cycle turn = place % 6 * 16;
    CHECK(w.cache.load(0, 0) == turn + 350);
    w.cache.reset();
    w.cache.add(0, {true}, 1, 8193);
    CHECK(w.cache.load(0, 0) == turn + 750);
    w.cache.add(0, {true}, 1, 8193);  // launched again
    CHECK(w.cache.load(0, 1000) == 1250);
  }
}

TEST_CASE("a constant on its way keeps none that is there") {
  Constants w;
  w.cache.add(0, {true, false}, 1, 0);
  CHECK(w.cache.load(0, 0) == 350);
  CHECK(w.cache.load(1, 1000) == 1650);
  CHECK(w.cache.read(0, 0, 1000) == 1040);
}

TEST_CASE("a line of code on its way comes to all sub-cores that wait for it at once") {
  Wires w;
  config::InstructionFetch c = test_gpu().sm().fetch();
  c.set_model(config::InstructionFetch::CACHED);
  c.set_prefetch_lines(2);
  sm::InstructionSupply supply(c, 4, w.counters, w.port);
  supply.reset();
  supply.add(0, 8);
  const Cycle first = supply.want(0, 0, 1000);
  CHECK(supply.want(1, 0, 1002) == first);
  CHECK(supply.want(2, 0, 1100) == first);
}

}  // namespace
}  // namespace heddle::simtest
