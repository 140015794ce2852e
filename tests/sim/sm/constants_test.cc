// Constant caches of 64-byte lines: 2 lines per sub-core for operands and ULDC, 2 per SM for LDC, L1 4 lines
// per SM (40 cycles for operands, 50 for LDC), then 200 from the GCC, 600 from memory, 300 for kernel
// parameters (bank 0).
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

spec::GpuConfig cached_gpu() {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_constants()->set_model(spec::ConstantCache::CACHED);
  return g;
}

Op operand(int bank, int offset) { return imad().stall(2).constant(bank, offset); }
Op ldc(int bank, int offset, int barrier) {
  return make(OpClass::kLdc, "LDC", 1).constant(bank, offset).writes_barrier(barrier);
}

// Issue cycles with a NOP in front, so that the first wait shows.
Outcome after_nop(std::initializer_list<Op> ops) {
  Kernel k{nop()};
  for (const Op& o : ops) {
    k.add(o);
  }
  return run(cached_gpu(), k);
}

TEST_CASE("a perfect constant cache never waits") {
  Kernel k{nop(), operand(3, 0), operand(3, 64)};
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 1, 3});
  CHECK(o[Counter::kConstMisses] == 0);
}

TEST_CASE("the first use of a line comes from memory: 600 + 40 cycles before the instruction issues") {
  Outcome o = after_nop({operand(3, 0)});
  CHECK(o.cycles(0) == Cycles{0, 641});
  CHECK(o[Counter::kConstMisses] == 1);
  CHECK(o[Stall::kImcMiss] == 640);
}

TEST_CASE("the line is there from then on, for all its 64 bytes") {
  CHECK(after_nop({operand(3, 0), operand(3, 4), operand(3, 60)}).cycles(0) == Cycles{0, 641, 643, 645});
  CHECK(after_nop({operand(3, 0), operand(3, 64)}).cycles(0) == Cycles{0, 641, 643 + 640});
  CHECK(after_nop({operand(3, 0), operand(4, 0)}).cycles(0) == Cycles{0, 641, 643 + 640});
}

TEST_CASE("kernel parameters are near, and come all together") {
  CHECK(after_nop({operand(0, 0x210), operand(0, 0x250)}).cycles(0) == Cycles{0, 341, 343 + 240});
}

TEST_CASE("warps that need more lines than the L0 has take each other's, and go on all the same") {
  for (const bool control : {true, false}) {
    CAPTURE(control);
    Kernel k;
    for (int i = 0; i < 6; ++i) {
      k.add(ldg(1).at(0x100000 + 4096 * static_cast<uint64_t>(i), 4).per_warp(1 << 14).writes_barrier(0));
      k.add(imad(3, {1}).constant(3, 64 * i).waits(0b1));
    }
    k.warps(32).blocks(2);
    if (!control) {
      k.without_control();
    }
    const Outcome o = run(cached_gpu(), k);
    CHECK(o[Counter::kInstExecuted] == uint64_t{2} * 32 * 12);
  }
}

TEST_CASE("a line that has left the L0 is in the L1") {
  // Three lines in turn in an L0 of two.
  Outcome o = after_nop({operand(3, 0), operand(3, 64), operand(3, 128), operand(3, 0)});
  Cycles c = o.cycles(0);
  CHECK(c[4] - c[3] == 2 + 40);
  CHECK(o[Counter::kConstMisses] == 4);
}

TEST_CASE("a line that has left the L1 is in the GCC") {
  Kernel k;
  for (int i : {0, 1, 2, 3, 4, 0}) {  // five lines in an L1 of four
    k.add(operand(3, 64 * i));
  }
  Cycles c = run(cached_gpu(), k).cycles(0);
  CHECK(c[5] - c[4] == 2 + 200 + 40);
}

TEST_CASE("each sub-core has an L0 of its own, the L1 is shared and gives a line a cycle") {
  Kernel k{operand(3, 0)};
  k.warps(2);
  spec::GpuConfig g = cached_gpu();
  Outcome o = run(g, k);
  CHECK(o[Counter::kConstMisses] == 2);
  CHECK(o.cycles_of(0) == Cycles{0, 1});  // the second finds the line on its way
  g.mutable_sm()->mutable_constants()->set_line_interval(16);
  CHECK(run(g, k).cycles_of(0) == Cycles{0, 16});
}

TEST_CASE("where more SMs of a GPC run a kernel, each line takes the way once for each of them") {
  spec::GpuConfig g = cached_gpu();
  g.mutable_topology()->set_sms(4);
  g.mutable_topology()->set_sms_per_tpc(2);
  g.mutable_topology()->clear_tpcs_per_gpc();
  g.mutable_topology()->add_tpcs_per_gpc(2);
  g.mutable_sm()->mutable_constants()->set_line_interval(16);
  g.mutable_launch()->set_block_interval(0);
  Kernel k{operand(3, 0)};
  k.warps(2).blocks(1);
  CHECK(run(g, k).cycles_of(0) == Cycles{0, 16});
  k.blocks(3);
  CHECK(run(g, k).cycles_of(0) == Cycles{0, 0, 0, 48, 48, 48});
}

TEST_CASE("LDC has one first level for the SM: warps of other sub-cores find its lines") {
  Kernel k{ldc(3, 0, 0), nop().waits(0b1)};
  k.warps(4);
  CHECK(run(cached_gpu(), k)[Counter::kConstMisses] == 1);
}

TEST_CASE("LDC issues at once; its result takes 28 cycles, and 650 more the first time") {
  Outcome o = after_nop({ldc(3, 0, 0), nop().waits(0b1), ldc(3, 4, 1), nop().waits(0b10)});
  CHECK(o.cycles(0) == Cycles{0, 1, 1 + 650 + 28 + 1, 681, 681 + 28 + 1});
}

TEST_CASE("the ADU counts an LDC again that found its line missing or on its way") {
  // The first two repeat, the third finds the line; the operand is no ADU instruction.
  Outcome o = after_nop({ldc(3, 0, 0), ldc(3, 8, 1), nop().waits(0b11), ldc(3, 16, 0), operand(3, 64)});
  CHECK(o[Counter::kPipeAdu] == 3 + 2);
}

TEST_CASE("ULDC has no counter: it waits for its line before it issues") {
  Outcome o = after_nop({make(OpClass::kUldc, "ULDC").constant(3, 0), nop()});
  CHECK(o.cycles(0) == Cycles{0, 641, 642});
}

TEST_CASE("operands and ULDC share the first level of their sub-core, LDC has another one") {
  Op uldc = make(OpClass::kUldc, "ULDC").constant(3, 8);
  // The operand brings the line at 641 and ULDC finds it; LDC gets it from the L1, 50 cycles.
  Outcome o = after_nop({operand(3, 0), uldc, ldc(3, 4, 0), nop().waits(0b1)});
  CHECK(o.cycles(0) == Cycles{0, 641, 643, 644, 644 + 50 + 28 + 1});
  CHECK(o[Counter::kConstMisses] == 2);
}

TEST_CASE("another warp issues while one waits for its constant") {
  Kernel k{operand(3, 0), nop(), nop()};
  k.warps(5).order(1, {}).order(2, {}).order(3, {}).order(0, {0}).order(4, {1, 2});
  Outcome o = run(cached_gpu(), k);
  CHECK(o.cycles(4) == Cycles{0, 1});
  CHECK(o.cycles(0) == Cycles{640});
}

TEST_CASE("a warp does not end before what LDC reads has come, wanted or not") {
  Kernel k{make(OpClass::kLdc, "LDC", 1).constant(3, 0)};
  const uint64_t there = run(test_gpu(), k)[Stall::kDrain];
  CHECK(run(cached_gpu(), k)[Stall::kDrain] == there + 650);
}

}  // namespace
}  // namespace heddle::simtest
