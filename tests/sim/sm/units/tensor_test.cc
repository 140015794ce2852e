// The tensor arrays' asynchronous side alone.
#include "sim/sm/tensor/tensor.h"

#include <catch2/catch.hpp>

#include "tests/sim/support/unit_bench.h"

namespace heddle::simtest {
namespace {

TEST_CASE("a sub-core's products follow each other, and warps of other sub-cores do not wait") {
  Kernel k{hgmma(), hgmma()};
  k.warps(2);
  UnitBench b(k);
  sm::Tensor tensor(b.state, b);
  b.attach(tensor, {UnitBench::Kind::kGmmaDone, UnitBench::Kind::kGmmaRoom});
  CHECK(b.issue(tensor, 0, 100) == 0);
  CHECK(b.issue(tensor, 0, 101) == 0);
  CHECK(b.issue(tensor, 1, 110) == 0);
  CHECK(b.pipe_free[0] == 100 + 2 * 32);
  CHECK(b.pipe_free[1] == 110 + 32);
  const Cycle latency = b.timed.code[0].latency;
  b.run(100 + latency);
  CHECK(b.state.warp(0).gmma == 2);
  b.run(100 + latency + 1);
  CHECK(b.state.warp(0).gmma == 1);
  b.run(132 + latency + 1);
  CHECK(b.state.warp(0).gmma == 0);
  CHECK(b.state.warp(1).gmma == 0);
  CHECK(b.state.counters()[Counter::kTensorBusy] == 3 * 32);
}

TEST_CASE("a warp that has exited goes with its last product") {
  Kernel k{hgmma()};
  UnitBench b(k);
  sm::Tensor tensor(b.state, b);
  b.attach(tensor, {UnitBench::Kind::kGmmaDone, UnitBench::Kind::kGmmaRoom});
  b.issue(tensor, 0, 100);
  b.state.finish_warp(0, 101);
  CHECK(b.gone.empty());
  b.run(1000);
  CHECK(b.gone == Ats{{0, Cycle{100} + b.timed.code[0].latency}});
}

TEST_CASE("a product's first step has the port as an instruction has, the others as long as they say") {
  spec::TensorCore c = test_gpu().sm().tensor();
  const auto enter = [](sm::TensorArray& a) {
    sm::TensorArray::Product p;
    p.steps = 3;
    p.period = 8;
    a.enter(p, 0);
  };
  SECTION("three cycles") {
    c.set_gmma_port_cycles(3);
    sm::TensorArray a(c);
    enter(a);
    CHECK(a.port_until() == 1);
    CHECK_FALSE(a.wants(7));
    CHECK(a.wants(8));
    a.take(8);
    CHECK(a.port_until() == 8 + 3);
    a.advance(100);
    CHECK(a.port_until() == 16 + 3);
    CHECK(a.idle());
  }
  SECTION("or not at all") {
    c.set_gmma_port_cycles(0);
    sm::TensorArray a(c);
    enter(a);
    CHECK(a.port_until() == 0);
    CHECK_FALSE(a.wants(8));
    a.advance(100);
    CHECK(a.port_until() == 0);
    CHECK(a.idle());
  }
}

}  // namespace
}  // namespace heddle::simtest
