// Operand read: two banks (even and odd registers) with one read port each, three cycles to read, a reuse
// cache (reference/microarchitecture.md 3.4). FFMAs could issue every cycle, so what is slower is the ports.
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

spec::GpuConfig ports_gpu() {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_registers()->set_model(spec::RegisterFile::PORTS);
  return g;
}

Outcome repeat(const Op& op, int times, const spec::GpuConfig& g = ports_gpu()) {
  Kernel k;
  k.add(op, times);
  return run(g, k);
}

TEST_CASE("two sources in different banks: no loss") {
  Outcome o = repeat(ffma(9, {0, 1}), 8);
  CHECK(o.cycles(0) == Cycles{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(o[Counter::kRegPortStalls] == 0);
  CHECK(o[Stall::kDispatchStall] == 0);
}

TEST_CASE(
    "three sources need two reads of a bank: an instruction every 2 cycles once the window is used up") {
  // Reads of bank 0 booked up to 2, 4, 6, ...; the window allows 3 cycles after the issue.
  Outcome o = repeat(ffma(9, {0, 1, 2}), 7);
  CHECK(o.cycles(0) == Cycles{0, 1, 2, 4, 6, 8, 10});
  // Held: one cycle after the third instruction and each further one, the last included.
  CHECK(o[Counter::kRegPortStalls] == 5);
}

TEST_CASE("three sources of one bank: an instruction every 3 cycles") {
  Outcome o = repeat(ffma(9, {0, 2, 4}), 5);
  CHECK(o.cycles(0) == Cycles{0, 1, 4, 7, 10});
  CHECK(o[Counter::kRegPortStalls] == 4 * 2);
}

TEST_CASE("two sources of one bank: an instruction every 2 cycles") {
  CHECK(repeat(ffma(9, {0, 2}), 6).cycles(0) == Cycles{0, 1, 2, 4, 6, 8});
}

TEST_CASE("one register three times is one read; twice beside another of its bank, two") {
  CHECK(repeat(ffma(9, {2, 2, 2}), 6).cycles(0) == Cycles{0, 1, 2, 3, 4, 5});
  CHECK(repeat(ffma(9, {2, 2, 4}), 6).cycles(0) == Cycles{0, 1, 2, 4, 6, 8});
  CHECK(repeat(ffma(9, {2, 3, 2}), 6)[Counter::kRegPortStalls] == 0);
}

TEST_CASE("a pipe that is slower anyway hides the reads") {
  CHECK(repeat(alu(9, {0, 1, 2}), 5).cycles(0) == Cycles{0, 2, 4, 6, 8});
  CHECK(repeat(alu(9, {0, 2, 4}), 5).cycles(0) == Cycles{0, 2, 4, 7, 10});
}

TEST_CASE("the ports belong to the sub-core: its warps share them, other sub-cores have their own") {
  Kernel k;
  k.add(ffma(9, {0, 2, 4}), 2);
  k.warps(5);
  Outcome o = run(ports_gpu(), k);
  CHECK(o.cycles(1) == Cycles{0, 1});
  CHECK(o.cycles(0) == Cycles{0, 1});
  CHECK(o.cycles(4) == Cycles{4, 7});
}

TEST_CASE("a register kept by the reuse bit is not read again") {
  // The first instruction reads R0, R2 and R4; the others find R0 in slot a.
  Outcome o = repeat(ffma(9, {0, 2, 4}).reuse(0b001), 5);
  CHECK(o.cycles(0) == Cycles{0, 1, 3, 5, 7});
  CHECK(o[Counter::kReuseHits] == 4);
}

TEST_CASE("with all slots kept nothing is read") {
  Outcome o = repeat(ffma(9, {0, 2, 4}).reuse(0b111), 6);
  CHECK(o.cycles(0) == Cycles{0, 1, 2, 3, 4, 5});
  CHECK(o[Counter::kReuseHits] == 15);
}

TEST_CASE("an entry that is not asked for again is gone after its hit") {
  Kernel k{ffma(9, {0, 1}).reuse(0b01), ffma(9, {0, 1}), ffma(9, {0, 1})};
  CHECK(run(ports_gpu(), k)[Counter::kReuseHits] == 1);
}

TEST_CASE("an entry belongs to a slot, a bank and a warp") {
  SECTION("another slot") {
    Kernel k{ffma(9, {0, 1}).reuse(0b01), ffma(9, {1, 0})};
    CHECK(run(ports_gpu(), k)[Counter::kReuseHits] == 0);
  }
  SECTION("a read of the other bank in the same slot does not displace it") {
    Kernel k{ffma(9, {0}).reuse(0b01), ffma(9, {1}), ffma(9, {0})};
    CHECK(run(ports_gpu(), k)[Counter::kReuseHits] == 1);
  }
  SECTION("a read of the same bank in the same slot displaces it") {
    Kernel k{ffma(9, {0}).reuse(0b01), ffma(9, {2}), ffma(9, {0})};
    CHECK(run(ports_gpu(), k)[Counter::kReuseHits] == 0);
  }
  SECTION("another warp") {
    Kernel k{ffma(9, {0}).reuse(0b01), ffma(9, {0})};
    k.warps(5).order(0, {0}).order(1, {}).order(2, {}).order(3, {}).order(4, {1});
    CHECK(run(ports_gpu(), k)[Counter::kReuseHits] == 0);
  }
}

TEST_CASE("the reuse cache can be switched off") {
  spec::GpuConfig g = ports_gpu();
  g.mutable_sm()->mutable_registers()->set_reuse_cache(false);
  Outcome o = repeat(ffma(9, {0, 2, 4}).reuse(0b111), 3, g);
  CHECK(o.cycles(0) == Cycles{0, 1, 4});
  CHECK(o[Counter::kReuseHits] == 0);
}

TEST_CASE("an ideal register file never holds anything back") {
  Outcome o = repeat(ffma(9, {0, 2, 4}).reuse(0b111), 4, test_gpu());
  CHECK(o.cycles(0) == Cycles{0, 1, 2, 3});
  CHECK(o[Counter::kReuseHits] == 0);
}

TEST_CASE("more banks, fewer conflicts") {
  spec::GpuConfig g = ports_gpu();
  g.mutable_sm()->mutable_registers()->set_banks(4);
  CHECK(repeat(ffma(9, {0, 1, 2}), 5, g).cycles(0) == Cycles{0, 1, 2, 3, 4});
  CHECK(repeat(ffma(9, {0, 4, 8}), 4, g).cycles(0) == Cycles{0, 1, 4, 7});
}

}  // namespace
}  // namespace heddle::simtest
