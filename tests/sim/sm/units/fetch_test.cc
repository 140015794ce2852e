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
  Wires w;
  config::ConstantCache c = test_gpu().sm().constants();
  c.set_model(config::ConstantCache::CACHED);
  sm::ConstantCache constants(c, 4, w.counters, w.port);
  constants.reset();
  constants.add(0, {true, false});
  CHECK(constants.read(0, 0, 1000) == 1000 + 100 + 50);
  CHECK(constants.read(0, 1, 1000) == 1000 + 600 + 50);
  CHECK(constants.read(1, 1, 5000) == 5000 + 50);
  CHECK(constants.read(0, 1, 6000) == 6000);
  CHECK(w.counters[Counter::kConstMisses] == 3);
  // The same kernel again: its parameters are in the GPC's cache.
  constants.add(0, {true, false});
  CHECK(constants.read(0, 0, 7000) == 7000 + c.gcc_latency() + 50);
  CHECK(constants.read(0, 1, 7000) == 7000 + 600 + 50);
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
