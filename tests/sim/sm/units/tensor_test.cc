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

}  // namespace
}  // namespace heddle::simtest
