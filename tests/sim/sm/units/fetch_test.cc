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

spec::ConstantCache cached_constants() {
  spec::ConstantCache c = test_gpu().sm().constants();
  c.set_model(spec::ConstantCache::CACHED);
  return c;
}

constexpr auto kOther = sm::ConstantLine::kOther, kShape = sm::ConstantLine::kShape,
               kParameter = sm::ConstantLine::kParameter;

// Those of an SM with four sub-cores, in a GPC of 18 SMs, cold.
struct Constants : Wires {
  explicit Constants(const spec::ConstantCache& c = cached_constants(), uint32_t place = 0)
      : cache(c, 4, place, 18, counters, port) {
    cache.reset();
  }
  sm::ConstantCache cache;
};

TEST_CASE("a line comes from the GCC, then from the L1, then it is in the sub-core's L0") {
  Wires w;
  spec::InstructionFetch c = test_gpu().sm().fetch();
  c.set_model(spec::InstructionFetch::CACHED);
  sm::InstructionSupply supply(c, 4, w.counters, w.port);
  supply.reset();
  supply.add(0, 4, 1);
  const Cycle cold = supply.want(0, 2, 1000) - 1000;
  CHECK(w.outbox.next() != kNever);  // asked for beyond the SM
  const Cycle from_l1 = supply.want(1, 2, 5000) - 5000;
  CHECK(from_l1 == 20);
  CHECK(cold > 100);
  CHECK(supply.want(0, 2, 6000) == 6000);
}

TEST_CASE("parameters are near, other constants come from memory the first time") {
  Constants w;
  w.cache.add(0, {kParameter, kOther}, 1, 0);
  CHECK(w.cache.load(0, 1000) == 1000 + 300 + 50);
  CHECK(w.cache.load(1, 1000) == 1000 + 600 + 50);
  CHECK(w.cache.read(1, 1, 5000) == 5000 + 40);
  CHECK(w.cache.load(1, 6000) == 6000);
  CHECK(w.counters[Counter::kConstMisses] == 3);
  // The same kernel again: its parameters are in the GPC's cache.
  w.cache.add(0, {kParameter, kOther}, 1, 0);
  CHECK(w.cache.load(0, 7000) == 7000 + cached_constants().gcc_latency() + 50);
  CHECK(w.cache.load(1, 7000) == 7000 + 600 + 50);
}

TEST_CASE("a line takes the way from the GPC for 16 cycles, the others that run the kernel take it, too") {
  spec::ConstantCache c = cached_constants();
  c.set_line_interval(16);
  for (const uint32_t sharers : {1u, 2u}) {
    Constants w(c);
    w.cache.add(0, {kParameter, kParameter}, sharers, 0);
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
  w.cache.add(0, {kParameter, kParameter, kParameter}, 1, 0);
  CHECK(w.cache.load(0, 0) == 350);
  CHECK(w.cache.load(1, 50) == 351);  // 1 behind the first
  CHECK(w.cache.load(2, 1000) == 1250);
}

TEST_CASE("a kernel's parameters are there some time behind its first read of bank 0, later with much code") {
  spec::ConstantCache c = cached_constants();
  c.set_launch_code_bytes(8192);
  c.set_launch_code_latency(400);
  Constants w(c);
  w.cache.add(0, {kShape, kParameter}, 1, 8192);
  CHECK(w.cache.load(0, 0) == 250);  // the launch's shape: 200 from the GCC
  CHECK(w.cache.load(1, 10) == 350);
  w.cache.reset();
  w.cache.add(0, {kShape, kParameter}, 1, 8193);
  CHECK(w.cache.load(0, 0) == 250);
  CHECK(w.cache.load(1, 10) == 750);
  w.cache.add(0, {kShape, kParameter}, 1, 8193);  // launched again
  CHECK(w.cache.load(1, 1000) == 1250);
}

TEST_CASE(
    "what the launch writes comes to the SMs of a CPC one after the other, all those that run the kernel") {
  spec::ConstantCache c = cached_constants();
  c.set_gcc_sms(6);
  c.set_gcc_interval(120);
  for (const uint32_t place : {0u, 5u, 6u, 13u}) {
    for (const uint32_t sharers : {9u, 18u}) {
      CAPTURE(place, sharers);
      Constants w(c, place);
      w.cache.add(0, {kShape, kParameter}, sharers, 0);
      const Cycle turn = place % 6 * 120 * sharers / 18;
      CHECK(w.cache.load(0, 0) == std::max<Cycle>(turn, 200) + 50);
      CHECK(w.cache.load(1, 0) >= std::max<Cycle>(turn, 300) + 50);
    }
  }
}

TEST_CASE("a constant on its way keeps none that is there") {
  Constants w;
  w.cache.add(0, {kParameter, kOther}, 1, 0);
  CHECK(w.cache.load(0, 0) == 350);
  CHECK(w.cache.load(1, 1000) == 1650);
  CHECK(w.cache.read(0, 0, 1000) == 1040);
}

TEST_CASE("a line of code on its way comes to all sub-cores that wait for it at once") {
  Wires w;
  spec::InstructionFetch c = test_gpu().sm().fetch();
  c.set_model(spec::InstructionFetch::CACHED);
  c.set_prefetch_lines(2);
  sm::InstructionSupply supply(c, 4, w.counters, w.port);
  supply.reset();
  supply.add(0, 8, 1);
  const Cycle first = supply.want(0, 0, 1000);
  CHECK(supply.want(1, 0, 1002) == first);
  CHECK(supply.want(2, 0, 1100) == first);
}

TEST_CASE("what the launch brings comes line by line, later the more have to get it; sooner if wanted") {
  Wires w;
  spec::InstructionFetch c = test_gpu().sm().fetch();
  c.set_model(spec::InstructionFetch::CACHED);
  c.set_launch_prefetch_bytes(4096);
  c.set_l0_bytes(8192);
  c.set_l1_bytes(8192);
  c.set_launch_lines(3);
  c.set_launch_line_wait(20);
  c.set_launch_line_interval(3.5);
  for (const uint32_t sharers : {1u, 8u}) {
    CAPTURE(sharers);
    sm::InstructionSupply supply(c, 4, w.counters, w.port);
    supply.reset();
    supply.add(0, 32, sharers);
    CHECK(supply.want(0, 0, 1000) == 1020);
    CHECK(supply.want(0, 2, 1020) == 1022);  // the first three come together
    // 20 for each who gets it, from the GCC 100.
    CHECK(supply.want(0, 4, 1000) == 1000 + std::min<Cycle>(20 * sharers, 100) + 20);
    CHECK(supply.want(0, 20, 1050) == (sharers == 1 ? 1000 + 70 + 20 : 1050 + 100 + 20));
    CHECK(supply.want(0, 30, 1250) == 1250 + 20);  // it has come long ago
  }
}

TEST_CASE("code that another SM has asked for comes from the L2, as soon as this SM can know") {
  Wires w;
  spec::InstructionFetch c = test_gpu().sm().fetch();
  c.set_model(spec::InstructionFetch::CACHED);
  c.set_l2_latency(300);
  c.set_dram_latency(1000);
  memory::CodeLines others;
  others.add(memory::kCodeLines + 5, 2000);
  const auto takes = [&](uint32_t line, Cycle now) {
    sm::InstructionSupply supply(c, 4, w.counters, w.port);
    supply.connect(others, 50);
    supply.reset();
    supply.add(0, 64, 1);
    return supply.want(0, line, now) - now;
  };
  const Cycle dram = takes(40, 4000);
  CHECK(takes(5, 2049) == dram);
  CHECK(takes(5, 2050) == dram - 50);  // it is on its way
  CHECK(takes(5, 2600) == dram - 600);
  CHECK(takes(5, 4000) == dram - 700);
  others.launch(memory::kCodeLines, 64);
  CHECK(takes(5, 4000) == dram);
}

}  // namespace
}  // namespace heddle::simtest
