// Steps of warp-group products at the issue port and at shared memory (tools/microbench/FINDINGS.md 60): of
// 64 columns eight, one in four cycles.
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

spec::GpuConfig gpu() {
  spec::GpuConfig g = test_gpu();
  spec::TensorCore& t = *g.mutable_sm()->mutable_tensor();
  t.set_gmma_port_cycles(3);
  t.set_gmma_stream(3);
  t.set_gmma_turns(6);
  t.set_gmma_register_turns(9);
  t.set_gmma_queue(7);
  return g;
}

Cycles issued(const spec::GpuConfig& g, Kernel& k) { return run(g, k).cycles(0); }

TEST_CASE("instructions that cannot issue every cycle get in between two steps") {
  // The first step is the product's own issue; the others have the port at 4, 8, 12 for three cycles each.
  Kernel k{hgmma()};
  k.add(alu(), 4);
  CHECK(issued(gpu(), k) == Cycles{0, 1, 3, 7, 11});
  // Alone:
  Kernel alone{nop()};
  alone.add(alu(), 4);
  CHECK(issued(gpu(), alone) == Cycles{0, 1, 3, 5, 7});
}

TEST_CASE("a warp that issues every cycle has three turns, then the step") {
  Kernel k{hgmma()};
  k.add(ffma(), 9);
  CHECK(issued(gpu(), k) == Cycles{0, 1, 2, 3, 7, 8, 9, 13, 14, 15});
}

TEST_CASE("with A in registers it has four turns and five in turn") {
  Kernel k{hgmma().src(isa::RegFile::kGpr, 8, 4)};
  k.add(ffma(), 13);
  CHECK(issued(gpu(), k) == Cycles{0, 1, 2, 3, 4, 8, 9, 10, 11, 15, 16, 17, 18, 19});
}

TEST_CASE("a product that is delayed is complete that much later") {
  Op wait = make(OpClass::kWarpgroupDepbar, "WARPGROUP.DEPBAR.LE");
  // Eight steps, one in four cycles: the last at 28, and 4 + 50 to the result.
  Kernel alone{hgmma(), wait};
  CHECK(issued(gpu(), alone) == Cycles{0, 83});
  // Turns before the third and the fourth step, at 10 and 16, not 8 and 12.
  Kernel beside{hgmma()};
  beside.add(ffma(), 9);
  beside.add(wait);
  CHECK(issued(gpu(), beside).back() == 83 + 4);
}

TEST_CASE("a sub-core issues seven products ahead") {
  Kernel k;
  k.add(hgmma(), 9);
  // The first one's steps are at 0, 4, 10 (products go before the third) and from there every four cycles:
  // with the last at 30, whose port is free at 33, there is room; the second one's last is at 62.
  CHECK(issued(gpu(), k) == Cycles{0, 1, 2, 3, 7, 8, 9, 33, 65});
}

TEST_CASE("operands of a product keep shared memory's data array from others") {
  spec::GpuConfig g = gpu();
  spec::TensorCore& t = *g.mutable_sm()->mutable_tensor();
  t.set_gmma_port_cycles(0);
  const auto loaded = [&g] {
    Kernel k{hgmma(), hgmma()};
    k.add(lds(1, 16).at(0, 16).writes_barrier(0), 4);
    k.add(nop().waits(1));
    k.shape().static_shared_bytes = 4096;
    return issued(g, k).back();
  };
  const Cycle alone = loaded();
  // Three steps begin between the first load's turn and the last one's. Each takes two cycles:
  t.set_gmma_step_data(4);
  CHECK(loaded() == alone + 3 * 2);
  // or four.
  t.set_gmma_step_data(8);
  CHECK(loaded() == alone + 3 * 4);
}

}  // namespace
}  // namespace heddle::simtest
