// Global memory from issue to result, nothing else going on. A load that misses everywhere, one sector:
//   10 to the head of the queue, 20 miss detection, 1 request port, 100 NoC, 1 slice port, 50 look-up, 126
//   DRAM, 3 response ports, 100 NoC, 1 to the registers = 412; 1 to the reader. An L2 hit has no DRAM: 286.
//   An L1 hit is 40.
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

// `first` runs to its end, then `second`; returns the cycles from the issue of `second` to its reader's.
Cycle second_to_reader(Op first, Op second) {
  Kernel k{first.writes_barrier(0), second.waits(0b1).writes_barrier(1), nop().waits(0b10)};
  Cycles c = run(test_gpu(), k).cycles(0);
  return c.at(2) - c.at(1);
}
Cycle to_reader(Op op) {
  Kernel k{op.writes_barrier(0), nop().waits(0b1)};
  return run(test_gpu(), k).cycles(0).at(1);
}
Op bypass(Op op) { return op.flags(isa::kFlagBypassL1); }

TEST_CASE("a cold load") {
  CHECK(to_reader(ldg(1).at(0x1000, 0)) == 413);
  // Four sectors: slice port 4, two column commands of DRAM 2 cycles apart, 12 in the response ports.
  CHECK(to_reader(ldg(1).at(0x1000, 4)) == 413 + 3 + 2 + 9);
}

TEST_CASE("an L1 hit, by width") {
  CHECK(second_to_reader(ldg(1).at(0, 0), ldg(2).at(0, 0)) == 41);
  CHECK(second_to_reader(ldg(1).at(0, 4), ldg(2).at(0, 4)) == 41);
  CHECK(second_to_reader(ldg(1, 8).at(0, 8), ldg(2, 8).at(0, 8)) == 43);
  CHECK(second_to_reader(ldg(1, 16).at(0, 16), ldg(2, 16).at(0, 16)) == 47);
}

TEST_CASE("an L1 hit of many lines: 4 tags a cycle, and the bank conflicts of shared memory") {
  // 32 lines in 32 banks: 8 cycles of tags.
  CHECK(second_to_reader(ldg(1).at(0, 132), ldg(2).at(0, 132)) == 41 + 7);
  // 32 lines in one bank: 31 more passes of 2 cycles.
  CHECK(second_to_reader(ldg(1).at(0, 128), ldg(2).at(0, 128)) == 41 + 7 + 62);
  // Two lanes a bank.
  CHECK(second_to_reader(ldg(1).at(0, 8), ldg(2).at(0, 8)) == 41 + 2);
}

TEST_CASE("sectors, not lines, are valid") {
  // Sector 1 of the line: L1 misses, L2 hits (DRAM brought 64 bytes).
  CHECK(second_to_reader(ldg(1).at(0, 0), ldg(2).at(32, 0)) == 287);
  // Sector 2: another DRAM access, to the open row (10 less).
  CHECK(second_to_reader(ldg(1).at(0, 0), ldg(2).at(64, 0)) == 403);
}

TEST_CASE("loads that bypass L1 go to L2 and leave nothing behind") {
  CHECK(second_to_reader(bypass(ldg(1).at(0, 0)), ldg(2).at(0, 0)) == 287);
  CHECK(second_to_reader(ldg(1).at(0, 0), bypass(ldg(2).at(0, 0))) == 287);
}

TEST_CASE("a load of a sector that is on its way waits for it, without a second request") {
  Kernel k{ldg(1).at(0, 0).writes_barrier(0), ldg(2).at(0, 0).writes_barrier(1), nop().waits(0b10)};
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 1, 413});
  CHECK(o[Counter::kL2Sectors] == 1);
  CHECK(o[Counter::kGlobalLdMisses] == 1);
  CHECK(o[Counter::kGlobalLdHits] == 1);
}

TEST_CASE("requests and sectors are counted at L1") {
  Kernel k{ldg(1).at(0, 4).writes_barrier(0), ldg(2).at(0, 32).waits(0b1), stg().at(0, 4)};
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kGlobalLdRequests] == 2);
  CHECK(o[Counter::kGlobalLdSectors] == 4 + 32);
  CHECK(o[Counter::kGlobalLdHits] == 4);
  CHECK(o[Counter::kGlobalLdMisses] == 4 + 28);
  CHECK(o[Counter::kGlobalStRequests] == 1);
  CHECK(o[Counter::kGlobalStSectors] == 4);
  CHECK(o[Counter::kGlobalStHits] == 4);
  CHECK(o[Counter::kL1Sectors] == 40);
  CHECK(o[Counter::kL1SectorHits] == 8);
}

TEST_CASE("sources of loads are read after 12 cycles, of stores after 15 and 2 per further register") {
  auto to_overwriter = [](Op op) {
    Kernel k{op.reads_barrier(0), nop().waits(0b1)};
    return run(test_gpu(), k).cycles(0).at(1);
  };
  CHECK(to_overwriter(ldg(1).at(0, 0)) == 13);
  CHECK(to_overwriter(stg(4)) == 16);
  CHECK(to_overwriter(stg(8)) == 18);
  CHECK(to_overwriter(stg(16)) == 22);
}

TEST_CASE("a store does not hold its warp") {
  Kernel k{stg(), nop(), nop()};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 2});
}

TEST_CASE("stores write through: the line stays valid, other data is not brought in") {
  CHECK(second_to_reader(ldg(1).at(0, 0), ldg(2).at(0, 0)) == 41);
  Kernel k{ldg(1).at(0, 0).writes_barrier(0), stg().at(0, 4).waits(0b1),
           ldg(2).at(0, 0).writes_barrier(1).stall(4), nop().waits(0b10)};
  Cycles c = run(test_gpu(), k).cycles(0);
  CHECK(c[3] - c[2] == 41 + 3);  // behind the store in the queue: it left at 10, the load 4 cycles later
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kGlobalStSectors] == 4);
  CHECK(o[Counter::kGlobalStHits] == 1);
}

TEST_CASE("an atomic returns its value from L2 and takes its sectors out of L1") {
  // 10 + 20; 32 lanes' 128 bytes through the request port 4; NoC 2 + 100; L2 (32 passes of 2): see l2_test.
  Kernel k{ldg(1).at(0, 0).writes_barrier(0), atom(2).at(0, 0).waits(0b1).writes_barrier(1),
           ldg(3).at(0, 0).waits(0b10).writes_barrier(2), nop().waits(0b100)};
  Outcome o = run(test_gpu(), k);
  Cycles c = o.cycles(0);
  CHECK(c[3] - c[2] == 287);  // misses L1
  CHECK(o[Counter::kGlobalAtomRequests] == 1);
  CHECK(o[Counter::kGlobalAtomSectors] == 32);
  CHECK(o[Counter::kL2Atoms] == 1);
}

TEST_CASE("each lane that meets another in a word adds a pass at L2") {
  auto time = [](uint32_t mask) {
    Kernel k{ldg(1).at(0, 0).writes_barrier(0), atom(2).at(0, 0).waits(0b1).writes_barrier(1),
             nop().waits(0b10)};
    k.stream(0, {{0}, {1, mask}, {2}});
    Cycles c = run(test_gpu(), k).cycles(0);
    return c[2] - c[1];
  };
  // One to 16 lanes: 2 cycles in the request port whatever the data; 2 cycles a pass at L2.
  CHECK(time(0xff) - time(0x1) == 7 * 2);
  // And 64 bytes take the SM's port a cycle more than 4 do.
  CHECK(time(0xffff) - time(0x1) == 15 * 2 + 1);
}

TEST_CASE("a reduction is posted: nobody waits for it") {
  Kernel k{red().at(0, 0), nop(), nop()};
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 1, 2});
  CHECK(o[Counter::kGlobalRedRequests] == 1);
  CHECK(o[Counter::kGlobalRedSectors] == 32);
  CHECK(o[Counter::kL2Reds] == 1);
}

TEST_CASE(
    "a reduction on its way takes two entries for each pass over a sector, however many lanes that are") {
  const auto time = [](const Op& op, uint32_t entries) {
    spec::GpuConfig g = test_gpu();
    g.mutable_sm()->mutable_l1()->set_posted_entries(entries);
    Kernel k;
    k.add(op, 10);
    return run(g, k).result.cycles;
  };
  const auto check = [&](const Op& op, uint32_t entries) {
    CHECK(time(op, 10 * entries) == time(op, 65536));
    // Two at a time: four more round trips of more than 200 cycles; one at a time: nine.
    CHECK(time(op, 2 * entries) > time(op, 65536) + 4 * 200);
    CHECK(time(op, entries) > time(op, 65536) + 9 * 200);
  };
  check(red().at(0, 4), 2 * 4);
  check(red().at(0, 128), 2 * 32);
  check(red().each([](int i) { return i / 2 * 4; }), 2 * 2 * 2);
}

TEST_CASE("a reduction's sectors: one for each of the lanes that meet in a word") {
  auto sectors = [](const Op& op) {
    Kernel k{op};
    return run(test_gpu(), k)[Counter::kGlobalRedSectors];
  };
  CHECK(sectors(red().at(0, 4)) == 4);
  CHECK(sectors(red().at(0, 0)) == 32);
  CHECK(sectors(red().each([](int i) { return i / 2 * 4; })) == 2 * 2);
  CHECK(sectors(red().each([](int i) { return i == 31 ? 0 : i * 4; })) == 5);
  CHECK(sectors(red().each([](int i) { return i == 5 ? 4 : 0; })) == 31);
}

TEST_CASE("global instructions whose predicate is false pass through the LSU like a shared load of 32 bits") {
  for (const Op& op : {ldg(1), stg(), red(), atom(1)}) {
    Kernel k{Op(op).writes_barrier(0), nop().waits(0b1)};
    k.stream(0, {{0, 0}, {1}});
    Outcome o = run(test_gpu(), k);
    CAPTURE(op.text);
    CHECK(o.cycles(0) == Cycles{0, 31});
    CHECK(o[Counter::kL1Sectors] == 0);
    CHECK(o[Counter::kL2Sectors] == 0);
  }
}

TEST_CASE("local memory is interleaved: word k of the 32 lanes is one line") {
  Kernel k{stl().at(0x10, 0), ldl(1).at(0x10, 0).writes_barrier(0), ldl(1, 16).at(0x20, 0).writes_barrier(1),
           nop().waits(0b11)};
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kLocalStRequests] == 1);
  CHECK(o[Counter::kLocalStSectors] == 4);
  CHECK(o[Counter::kLocalLdRequests] == 2);
  CHECK(o[Counter::kLocalLdSectors] == 4 + 16);
  CHECK(o[Counter::kGlobalLdRequests] == 0);
}

TEST_CASE("128-bit local accesses of 32 lanes to words of their own: 128 lines of a sector") {
  // Lane i has words 4i to 4i + 3, and every word of the 128 is a line.
  Kernel load{ldl(1, 16).at(0, 16)};
  Outcome o = run(test_gpu(), load);
  CHECK(o[Counter::kLocalLdRequests] == 1);
  CHECK(o[Counter::kLocalLdSectors] == 128);
  CHECK(o[Counter::kLocalLdHits] == 0);
  CHECK(o[Counter::kL1Sectors] == 128);
  CHECK(o[Counter::kL2Sectors] == 128);
  CHECK(o[Counter::kL2FromSm] == 128);
  Kernel store{stl(16).at(0, 16)};
  o = run(test_gpu(), store);
  CHECK(o[Counter::kLocalStRequests] == 1);
  CHECK(o[Counter::kLocalStSectors] == 128);
  CHECK(o[Counter::kL1Sectors] == 128);
  CHECK(o[Counter::kL2Sectors] == 128);
}

TEST_CASE("a fill occupies the data array for its bytes") {
  // The sector comes at 411 and its fill at a byte a cycle ends at 443. The LDS issues at 413 and reaches the
  // array at 423: 20 cycles late. A load that bypasses L1 fills nothing.
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_l1()->set_fill_bytes_per_cycle(1);
  Kernel k{ldg(1).at(0, 0).writes_barrier(0), lds(2).waits(0b1).writes_barrier(1), nop().waits(0b10)};
  CHECK(run(g, k).cycles(0) == Cycles{0, 413, 413 + 31 + 20});
  Kernel past{bypass(ldg(1).at(0, 0)).writes_barrier(0), lds(2).waits(0b1).writes_barrier(1),
              nop().waits(0b10)};
  CHECK(run(g, past).cycles(0) == Cycles{0, 413, 413 + 31});
}

TEST_CASE("local memory of two warps does not overlap") {
  Kernel k{ldl(1).at(0x10, 0).writes_barrier(0), nop().waits(0b1)};
  k.warps(2);
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kLocalLdHits] == 0);
  CHECK(o[Counter::kL2FromSm] == 8);
}

TEST_CASE("CCTL.IVALL empties the L1") {
  Kernel k{ldg(1).at(0, 0).writes_barrier(0), make(OpClass::kCctl, "CCTL.IVALL").waits(0b1).stall(11),
           nop().stall(11), ldg(2).at(0, 0).writes_barrier(1), nop().waits(0b10)};
  Cycles c = run(test_gpu(), k).cycles(0);
  CHECK(c[4] - c[3] == 287);
}

}  // namespace
TEST_CASE("a sector that is wanted before the request for its line has left the L1 goes with it") {
  // The request leaves 20 cycles after its look-up; the second load is looked up 4 cycles after the first.
  Kernel together{ldg(1).at(0, 0), ldg(2).at(32, 0)};
  Outcome o = run(test_gpu(), together);
  CHECK(o[Counter::kL2Requests] == 1);
  CHECK(o[Counter::kL2FromSm] == 2);
  Kernel apart{ldg(1).at(0, 0).stall(11), nop().stall(11), nop().stall(11), ldg(2).at(32, 0)};
  o = run(test_gpu(), apart);
  CHECK(o[Counter::kL2Requests] == 2);
  CHECK(o[Counter::kL2FromSm] == 2);
  CHECK(o[Counter::kL2FromSmHits] == 1);  // it came along from DRAM
  Kernel bypass{ldg(1).at(0, 0).flags(isa::kFlagBypassL1), ldg(2).at(32, 0).flags(isa::kFlagBypassL1)};
  CHECK(run(test_gpu(), bypass)[Counter::kL2Requests] == 2);
}

TEST_CASE("a store allocates: whole sectors can be read, parts are hit by further stores only") {
  Kernel whole{stg().at(0, 4).stall(15), ldg(1).at(0, 4)};
  Outcome o = run(test_gpu(), whole);
  CHECK(o[Counter::kGlobalStHits] == 0);
  CHECK(o[Counter::kGlobalLdHits] == 4);
  CHECK(o[Counter::kL2Reads] == 0);
  Kernel part{stg().at(0, 32).stall(15), stg().at(4, 32).stall(15), ldg(1).at(0, 32)};
  o = run(test_gpu(), part);
  CHECK(o[Counter::kGlobalStSectors] == 64);
  CHECK(o[Counter::kGlobalStHits] == 32);
  CHECK(o[Counter::kGlobalLdHits] == 0);
  CHECK(o[Counter::kL2Reads] == 32);
}

}  // namespace heddle::simtest
