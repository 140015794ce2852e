// Asynchronous copies: LDGSTS groups, bulk copies with mbarriers, warp-group MMA.
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

// A copy of one sector: a cold load's 411 cycles (global_memory_test.cc), 5 more to be complete, 1 to the
// waiter.
Op copy(uint64_t address) { return ldgsts().at(address, 0); }

TEST_CASE("LDGDEPBAR's counter falls when the group is complete") {
  Kernel k{copy(0), ldgdepbar(0), nop().waits(0b1)};
  Cycles c = run(test_gpu(), k).cycles(0);
  CHECK(c == Cycles{0, 1, 411 + 5 + 1});
}

TEST_CASE("copies after LDGDEPBAR belong to the next group") {
  Kernel k{copy(0), ldgdepbar(0), copy(4096).stall(11), nop().waits(0b1)};
  CHECK(run(test_gpu(), k).cycles(0).at(3) == 417);
}

TEST_CASE("DEPBAR.LE SB0, n leaves the n newest groups alone") {
  // Four groups that go to four slices, 4 cycles apart out of the queue.
  auto wait_for_all_but = [](int n) {
    Kernel k;
    for (uint64_t i = 0; i < 4; ++i) {
      k.add(copy(128 * i));
      k.add(ldgdepbar(0));
    }
    k.add(depbar(0, n));
    return run(test_gpu(), k).cycles(0).back();
  };
  for (int n = 0; n <= 3; ++n) {
    CAPTURE(n);
    CHECK(wait_for_all_but(n) == Cycle(417 + 4 * (3 - n)));
  }
  CHECK(wait_for_all_but(4) == 8);
}

TEST_CASE("groups complete in order") {
  // The second group hits L1 and is there long before the first.
  Kernel k{ldg(1).at(8192, 0).writes_barrier(1),
           copy(0).waits(0b10),
           ldgdepbar(0),
           copy(8192),
           ldgdepbar(0),
           depbar(0, 1)};
  Cycles c = run(test_gpu(), k).cycles(0);
  CHECK(c[5] - c[1] == 411 + 5 + 1);
}

TEST_CASE("63 groups on one counter, the most it can hold, and the open group behind them") {
  // The copies leave the queue every 4 cycles, so the last one is under way at about 10 + 63 x 4, before the
  // first is complete.
  SECTION("to one sector: it comes for all of them at once, and not before") {
    Kernel k;
    for (int i = 0; i < 63; ++i) {
      k.add(copy(0));
      k.add(ldgdepbar(0));
    }
    k.add(copy(0));
    uint32_t last = k.add(nop().waits(0b1));
    Outcome o = run(test_gpu(), k);
    CHECK(o.cycles_of(last) == Cycles{417});
  }
  SECTION("to 63 lines: the first is there at 417, whatever the 62 newer ones do") {
    Kernel k;
    for (uint64_t i = 0; i < 63; ++i) {
      k.add(copy(128 * i));
      k.add(ldgdepbar(0));
    }
    uint32_t last = k.add(depbar(0, 62));
    CHECK(run(test_gpu(), k).cycles_of(last) == Cycles{417});
  }
}

TEST_CASE("a wait for LDGDEPBAR's counter is a long scoreboard") {
  Kernel k{copy(0), ldgdepbar(0), nop().waits(0b1)};
  Outcome o = run(test_gpu(), k);
  // The NOP could issue at 2 and does at 417.
  CHECK(o[Stall::kLongScoreboard] == 415);
  CHECK(o[Stall::kShortScoreboard] == 0);
}

TEST_CASE("LDGSTS writes its shared-memory passes when its data has come") {
  // 32 lanes in one bank: 32 passes. An unhindered LDS reaches the array 10 cycles after its issue, and its
  // reader issues 21 cycles after that.
  SECTION("from L2: the last line comes at t and the passes end at t + 32") {
    // The waiter issues at t + 6, its LDS reaches the array at t + 16 and waits 16 cycles. (L1 is bypassed,
    // so that no fills come in between.)
    Kernel k{ldgsts().at(0, 128).flags(isa::kFlagBypassL1), ldgdepbar(0), lds(1).waits(0b1).writes_barrier(1),
             nop().waits(0b10)};
    Cycles c = run(test_gpu(), k).cycles(0);
    CHECK(c[3] - c[2] == 31 + 16);
  }
  SECTION("from L1: behind the copy's own reads") {
    // From the issue of the copy: array at 10, 32 sectors read in 8 cycles, 32 passes, the LDS at 50.
    Kernel k{ldg(2).at(0, 128).writes_barrier(1), ldgsts().at(0, 128).waits(0b10), lds(1).writes_barrier(0),
             nop().waits(0b1)};
    Cycles c = run(test_gpu(), k).cycles(0);
    CHECK(c[3] - c[1] == 50 + 21);
  }
}

TEST_CASE("a copy's own scoreboard counter falls when it is complete") {
  Kernel k{copy(0).writes_barrier(1), nop().waits(0b10)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 411 + 5 + 1});
}

TEST_CASE("an empty group is complete at once") {
  Kernel k{ldgdepbar(0), nop().waits(0b1)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1});
}

TEST_CASE("a copy whose predicate is false is complete when it has passed the LSU") {
  Kernel k{copy(0), ldgdepbar(0), nop().waits(0b1)};
  k.stream(0, {{0, 0}, {1}, {2}});
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 10 + 30 + 1});
}

TEST_CASE("a warp does not retire before its copies are complete") {
  Kernel k{copy(0)};
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kWarpsActive] >= 416);
  CHECK(o[Counter::kGlobalLdRequests] == 1);
}

// UBLKCP: destination, barrier, source (low, high), size in 16-byte units.
Op bulk(uint64_t barrier, uint64_t source, uint64_t bytes) {
  Op o = make(OpClass::kBulkCopy, "UBLKCP").copies(isa::AsyncKind::kBulkLoad);
  o.in.space = isa::MemSpace::kGlobal;
  o.in.mem_refs = 1;
  o.addresses.values = {0, barrier, source & 0xffffffff, source >> 32, bytes / 16};
  return o;
}
Op try_wait(uint64_t barrier) {
  Op o = make(OpClass::kMbarrier, "SYNCS.PHASECHK.TRANS64.TRYWAIT").waits_for_phase();
  o.in.space = isa::MemSpace::kShared;
  o.in.mem_refs = 1;
  o.at(barrier, 0);
  return o.writes_barrier(0);
}

TEST_CASE("a wait on an mbarrier ends when the bulk copies that report to it have arrived") {
  Kernel k{bulk(64, 0x100000, 128), try_wait(64), nop().waits(0b1)};
  Outcome o = run(test_gpu(), k);
  // 100 until the first line is sent, 1 request port, 100 NoC, slice port 4, look-up 50, DRAM 128, response
  // 12 + 100; the wait ends 25 later, and a cycle to the waiter.
  CHECK(o.cycles(0) == Cycles{0, 1, 100 + 1 + 100 + 4 + 50 + 128 + 112 + 25 + 1});
  CHECK(o[Counter::kBulkBytes] == 128);
  CHECK(o[Counter::kL2Sectors] == 4);
}

TEST_CASE("a wait on an mbarrier without copies takes 25 cycles") {
  Kernel k{bulk(64, 0x100000, 128), try_wait(128), nop().waits(0b1)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 1 + 25 + 1});
}

TEST_CASE("a bulk copy of nothing delivers nothing and holds nobody") {
  Kernel k{bulk(64, 0x100000, 0), try_wait(64), nop().waits(0b1)};
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 1, 1 + 25 + 1});
  CHECK(o[Counter::kBulkBytes] == 0);
  CHECK(o[Counter::kL2Sectors] == 0);
}

TEST_CASE("a bulk copy up to the end of the address space, and around it") {
  for (uint64_t source : {~uint64_t{0} - 255, ~uint64_t{0} - 127}) {
    Kernel k{bulk(64, source, 256), try_wait(64), nop().waits(0b1)};
    CHECK(run(test_gpu(), k)[Counter::kL2Sectors] == 8);
  }
}

TEST_CASE("a bulk copy that does not begin or end with a line asks for the sectors it touches") {
  Kernel k{bulk(64, 0x100000 + 48, 96), try_wait(64), nop().waits(0b1)};
  CHECK(run(test_gpu(), k)[Counter::kL2Sectors] == 4);
  Kernel two{bulk(64, 0x100000 + 112, 32), try_wait(64), nop().waits(0b1)};
  CHECK(run(test_gpu(), two)[Counter::kL2Sectors] == 2);
}

TEST_CASE(
    "copies between blocks and operations on descriptors issue and move nothing, whatever their operands") {
  Op o = bulk(64, 0x100000, 128);
  o.copies(GENERATE(isa::AsyncKind::kBulkShared, isa::AsyncKind::kControl, isa::AsyncKind::kNone));
  for (uint64_t size : {0, 8}) {
    o.addresses.values[4] = size;
    Kernel k{o, try_wait(64), nop().waits(0b1)};
    Outcome out = run(test_gpu(), k);
    CAPTURE(size);
    CHECK(out[Counter::kBulkBytes] == 0);
    CHECK(out[Counter::kL2Sectors] == 0);
  }
}

TEST_CASE("an instruction without operands does not take those of the one before") {
  Op flush = make(OpClass::kBulkCopy, "UTMACMDFLUSH");
  Kernel copied{bulk(64, 0x100000, 128), flush, try_wait(64), nop().waits(0b1)};
  CHECK(run(test_gpu(), copied)[Counter::kBulkBytes] == 128);
  // An arrival behind a wait, at the same object, waits for nothing.
  Op arrive = make(OpClass::kMbarrier, "SYNCS.ARRIVE.TRANS64").writes_barrier(1);
  Kernel arrived{bulk(64, 0x100000, 128), try_wait(64), arrive, nop().waits(0b10)};
  CHECK(run(test_gpu(), arrived).cycles(0) == Cycles{0, 1, 2, 2 + 30 + 1});
}

TEST_CASE("an arrival takes 30 cycles") {
  Op arrive = make(OpClass::kMbarrier, "SYNCS.ARRIVE.TRANS64");
  Kernel k{arrive.writes_barrier(0), nop().waits(0b1)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 31});
}

TEST_CASE("a bulk copy sends a line every 2 cycles") {
  auto time = [](uint64_t bytes) {
    Kernel k{bulk(64, 0x100000, bytes), try_wait(64), nop().waits(0b1)};
    return run(test_gpu(), k).cycles(0).back();
  };
  // 12 cycles of a line in the response ports of this GPU are the limit: 32 bytes a cycle, 4 cycles a line.
  CHECK(time(64 * 128) - time(32 * 128) == 32 * 4);
}

TEST_CASE("bulk copies are limited to the requests in flight") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_async_copy()->set_tma_requests_in_flight(1);
  Kernel k{bulk(64, 0x100000, 1024), try_wait(64), nop().waits(0b1)};
  // Eight round trips of more than 300 cycles.
  CHECK(run(g, k).cycles(0).back() > 8 * 300);
}

TEST_CASE(
    "a warp group's operands: 4 rows of 32 bytes in a wavefront, A's only when it is not in registers") {
  Kernel both{hgmma()}, b_only{hgmma().src(isa::RegFile::kGpr, 8, 4)};
  both.warps(4), b_only.warps(4);
  CHECK(run(test_gpu(), both)[Counter::kSharedGmmaWavefronts] == (64 + 64) / 4);
  CHECK(run(test_gpu(), b_only)[Counter::kSharedGmmaWavefronts] == 64 / 4);
}

Op gmma_wait(int n) {
  Op o = make(OpClass::kWarpgroupDepbar, "WARPGROUP.DEPBAR.LE");
  o.in.depbar_count = static_cast<uint8_t>(n);
  return o;
}

TEST_CASE("a warp-group MMA runs beside its warp: 32 cycles in the array and 50 to the result") {
  Kernel k{hgmma(), nop(), gmma_wait(0), nop()};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 82 + 1, 84});
}

TEST_CASE("warp-group MMAs follow one another in the array without holding the warp") {
  Kernel k{hgmma(), hgmma(), hgmma(), gmma_wait(0)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 2, 3 * 32 + 50 + 1});
}

TEST_CASE("a warp-group MMA keeps the array for the minimum interval, which its result does not wait for") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_tensor()->set_gmma_min_interval(40);
  Kernel one{hgmma(), gmma_wait(0)};
  CHECK(run(g, one).cycles(0) == Cycles{0, 32 + 50 + 1});
  Kernel three{hgmma(), hgmma(), hgmma(), gmma_wait(0)};
  CHECK(run(g, three).cycles(0) == Cycles{0, 1, 2, 2 * 40 + 32 + 50 + 1});
}

TEST_CASE("WARPGROUP.DEPBAR.LE gsb0, n waits for all but n") {
  for (int n : {0, 1, 2}) {
    Kernel k{hgmma(), hgmma(), hgmma(), gmma_wait(n)};
    CAPTURE(n);
    CHECK(run(test_gpu(), k).cycles(0).back() == Cycle(32 * (3 - n) + 50 + 1));
  }
}

Op gmma_that_goes_on() {
  Op o = hgmma();
  o.in.flags |= isa::kFlagGroupGoesOn;
  return o;
}

TEST_CASE("WARPGROUP.DEPBAR waits for groups: their last MMAs have gsb0") {
  // The group of the first two, not the third, which has begun another one.
  Kernel k{gmma_that_goes_on(), hgmma(), gmma_that_goes_on(), gmma_wait(0)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 2, 2 * 32 + 50 + 1});
  Kernel open{gmma_that_goes_on(), gmma_wait(0)};
  CHECK(run(test_gpu(), open).cycles(0) == Cycles{0, 1});
  Kernel one{hgmma(), gmma_that_goes_on(), hgmma(), gmma_wait(1)};
  CHECK(run(test_gpu(), one).cycles(0) == Cycles{0, 1, 2, 32 + 50 + 1});
}

TEST_CASE("a warp ends when its MMAs are done") {
  Kernel k{hgmma()};
  CHECK(run(test_gpu(), k)[Counter::kWarpsActive] == 82);
}

}  // namespace
}  // namespace heddle::simtest
