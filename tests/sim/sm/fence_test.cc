// MEMBAR: 50 cycles at block scope, 400 at device scope, 1000 at system scope when nothing is outstanding;
// NANOSLEEP 100 ns = 100 cycles.
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

Cycles issue_cycles(std::initializer_list<Op> ops) {
  Kernel k(ops);
  return run(test_gpu(), k).cycles(0);
}

TEST_CASE("a fence with nothing outstanding takes its scope's time") {
  CHECK(issue_cycles({membar(isa::kFlagScopeCta), nop()}) == Cycles{0, 50});
  CHECK(issue_cycles({membar(), nop()}) == Cycles{0, 400});
  CHECK(issue_cycles({membar(isa::kFlagScopeSys), nop()}) == Cycles{0, 1000});
}

TEST_CASE("a device-scope fence waits for the warp's stores") {
  // 40 stores of 32 lines each, far longer than the fence's own round trip.
  Kernel k;
  k.add(stg().at(0, 128), 40);
  k.add(membar());
  k.add(nop());
  Outcome o = run(test_gpu(), k);
  Cycles c = o.cycles(0);
  // 1280 packets, at least 2 cycles each in the SM's port.
  CHECK(c[41] > c[0] + 2560);
  CHECK(o[Stall::kMembar] > 400);
}

TEST_CASE("a device-scope fence takes 30 cycles from the last acknowledgement") {
  spec::GpuConfig g = test_gpu();
  Kernel k;
  k.add(stg().at(0, 128), 40);
  k.add(membar());
  k.add(nop());
  Cycle with = run(g, k).cycles(0)[41];
  g.mutable_sm()->mutable_barrier()->set_membar_behind_stores(130);
  CHECK(run(g, k).cycles(0)[41] == with + 100);
}

TEST_CASE("a block-scope fence does not wait for them") {
  Kernel k{stg().at(0, 128), membar(isa::kFlagScopeCta), nop()};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 51});
}

TEST_CASE("another warp's stores do not count") {
  Kernel k{membar(), nop(), stg().at(0, 128), stg().at(0, 128)};
  k.warps(2).order(0, {0, 1}).order(1, {2, 3});
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 400});
}

TEST_CASE("a fence whose predicate is false costs nothing") {
  Kernel k{membar(), nop()};
  k.stream(0, {{0, 0}, {1}});
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1});
}

TEST_CASE("NANOSLEEP") {
  Op sleep = make(OpClass::kNanosleep, "NANOSLEEP");
  CHECK(issue_cycles({sleep, nop()}) == Cycles{0, 100});
  spec::GpuConfig g = test_gpu();
  g.mutable_clocks()->set_core_mhz(2000);
  Kernel k{sleep, nop()};
  CHECK(run(g, k).cycles(0) == Cycles{0, 200});
}

TEST_CASE("while a warp sleeps others issue") {
  Kernel k{make(OpClass::kNanosleep, "NANOSLEEP"), nop(), nop()};
  k.warps(5).order(1, {}).order(2, {}).order(3, {}).order(0, {0, 1}).order(4, {1, 2});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 100});
  CHECK(o.cycles(4) == Cycles{1, 2});
}

}  // namespace
}  // namespace heddle::simtest
