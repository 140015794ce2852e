// One L2 partition of 4 slices, 128 sets, 16 ways. Port 1 cycle a sector, look-up 50, DRAM see dram_test.cc
// (126 cycles from a closed bank). Atomics: 2 cycles a pass over a sector, latency 20. Writes and atomics
// here have at least two sectors: a single one takes the port a little longer than a cycle, which is a value
// under calibration.
#include "sim/memory/l2.h"

#include <bit>
#include <catch2/catch.hpp>

#include "tests/sim/support/memory.h"
#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

using stats::Counter;

constexpr uint64_t kSameSet = 4 * 128;  // lines from one line to the next of its slice and set

struct Fixture {
  explicit Fixture(const spec::GpuConfig& g = simtest::test_gpu()) : gpu(g) {}

  spec::GpuConfig gpu;
  stats::CounterSet n;
  simtest::WholeL2 l2{gpu, n};

  Cycle serve(RequestKind kind, uint64_t line, uint8_t sectors, Cycle at, uint8_t operations = 1) {
    Request r;
    r.line = line;
    r.kind = kind;
    r.sectors = sectors;
    r.operations = operations;
    return to_cycles_up(l2.serve(r, 0, to_ticks(at)));
  }
  Cycle read(uint64_t line, uint8_t sectors, Cycle at) {
    return serve(RequestKind::kRead, line, sectors, at);
  }
  Cycle write(uint64_t line, uint8_t sectors, Cycle at) {
    return serve(RequestKind::kWrite, line, sectors, at);
  }
};

TEST_CASE_METHOD(Fixture, "a miss: port, look-up, DRAM") {
  CHECK(read(0, 0b0001, 1000) == 1000 + 1 + 50 + 126);
  CHECK(n[Counter::kL2Sectors] == 1);
  CHECK(n[Counter::kL2FromSm] == 1);
  CHECK(n[Counter::kL2Reads] == 1);
  CHECK(n[Counter::kL2SectorHits] == 0);
  CHECK(n[Counter::kL2FromSmHits] == 0);
  CHECK(n[Counter::kL2FromSmMisses] == 2);  // both sectors of the 64 bytes that DRAM brings
  CHECK(n[Counter::kL2FromFabric] == 0);
  CHECK(n[Counter::kDramReadBytes] == 64);
}

TEST_CASE_METHOD(Fixture, "a hit: port and look-up") {
  read(0, 0b0001, 0);
  CHECK(read(0, 0b0001, 1000) == 1051);
  CHECK(n[Counter::kL2SectorHits] == 1);
  CHECK(n[Counter::kL2FromSmHits] == 1);
}

TEST_CASE_METHOD(Fixture,
                 "DRAM brings 64 bytes: the neighbouring sector hits, the other half of the line misses") {
  read(0, 0b0001, 0);
  CHECK(read(0, 0b0010, 1000) == 1051);
  CHECK(read(0, 0b0100, 2000) == 2000 + 1 + 50 + 14 + 2 + 100);  // the row is open
  CHECK(n[Counter::kDramReadBytes] == 128);
  CHECK(read(0, 0b1111, 3000) == 3000 + 4 + 50);
  CHECK(n[Counter::kL2SectorHits] == 1 + 4);
  CHECK(n[Counter::kDramRowHits] == 1);
  CHECK(n[Counter::kDramRowMisses] == 1);
}

TEST_CASE_METHOD(Fixture, "a read that comes while the line is on its way waits for it and counts as a hit") {
  Cycle filled = read(0, 0b0001, 1000);
  CHECK(read(0, 0b0001, 1010) == filled);
  CHECK(n[Counter::kL2FromSmHits] == 1);
  CHECK(n[Counter::kDramReadBytes] == 64);
}

TEST_CASE_METHOD(Fixture, "a slice's port takes a sector a cycle, the slices work side by side") {
  for (uint64_t line : {0, 1, 2, 3, 4}) {
    read(line, 0b1111, 0);
  }
  for (uint64_t i = 0; i < 40; ++i) {
    CHECK(read(i % 2 * 4, 0b1111, 10000) == 10000 + 4 * (i + 1) + 50);  // lines 0 and 4: slice 0
  }
  CHECK(read(1, 0b1111, 10000) == 10054);
  CHECK(read(2, 0b1111, 10000) == 10054);
}

TEST_CASE_METHOD(Fixture, "a write is taken without a look at DRAM") {
  CHECK(write(0, 0b1111, 1000) == 1000 + 4 + 50);
  CHECK(n[Counter::kL2Writes] == 4);
  CHECK(n[Counter::kL2SectorHits] == 4);
  CHECK(n[Counter::kL2FromSmHits] == 4);
  CHECK(n[Counter::kDramReadBytes] == 0);
  CHECK(n[Counter::kDramWriteBytes] == 0);
  CHECK(read(0, 0b1111, 2000) == 2054);  // and read back as a hit
}

spec::GpuConfig with_narrow_array() {
  spec::GpuConfig g = simtest::test_gpu();
  g.mutable_l2()->set_slice_write_bytes_per_cycle(8);  // four cycles a sector
  return g;
}
struct NarrowArray : Fixture {
  NarrowArray() : Fixture(with_narrow_array()) {}
};

// Time is given out in pieces of 16 cycles, of which one begins at 1008.
TEST_CASE_METHOD(NarrowArray, "writes go into a slice's data array one after the other") {
  for (uint64_t i = 0; i < 10; ++i) {
    // All come at 1008: the port is through with them 4 cycles apart, the array 16.
    CHECK(write(4 * i, 0b1111, 1008) == std::max<Cycle>(1012 + 4 * i + 50, 1008 + 16 * i));
  }
  CHECK(write(1, 0b1111, 1008) == 1062);  // another slice
}

TEST_CASE_METHOD(NarrowArray, "a write of parts of sectors takes the data array as long as one sector more") {
  const auto behind_eight = [&](bool partial, uint64_t line) {
    for (uint64_t i = 0; i < 8; ++i) {
      Request r;
      r.line = line + 4 * i;
      r.kind = RequestKind::kWrite;
      r.sectors = 0b1111;
      r.partial = partial;
      l2.serve(r, 0, to_ticks(1008));
    }
    return write(line + 4 * 8, 0b1111, 1008);
  };
  CHECK(behind_eight(true, 0) == 1008 + 8 * 5 * 4);
  CHECK(behind_eight(false, 1) == 1008 + 8 * 4 * 4);  // another slice
}

TEST_CASE_METHOD(NarrowArray, "what DRAM brings waits for what is written") {
  for (uint64_t i = 0; i < 20; ++i) {
    write(4 * i, 0b1111, 1008);
  }
  // The port is free at 1088, the sectors come at 1088 + 1 + 50 + 126, the array is free at 1008 + 20 * 16.
  CHECK(read(4 * 20, 0b0001, 1008) == 1328);
  CHECK(read(4 * 21, 0b0001, 5000) == 5000 + 1 + 50 + 14 + 2 + 100);  // the row is open
}

TEST_CASE_METHOD(Fixture, "a dirty line is written to DRAM when it leaves, a clean one is dropped") {
  write(0, 0b0001, 0);
  for (uint64_t i = 1; i < 16; ++i) {
    read(i * kSameSet, 0b0001, 1000 * i);
  }
  CHECK(n[Counter::kDramWriteBytes] == 0);
  read(16 * kSameSet, 0b0001, 20000);  // the 17th line of the set: line 0 leaves
  CHECK(n[Counter::kDramWriteBytes] == 32);
  read(17 * kSameSet, 0b0001, 21000);  // a clean one leaves
  CHECK(n[Counter::kDramWriteBytes] == 32);
  CHECK(n[Counter::kDramReadBytes] == 17 * 64);
  read(0, 0b0001, 30000);
  CHECK(n[Counter::kDramReadBytes] == 18 * 64);
}

TEST_CASE_METHOD(Fixture, "the whole line is written when all its sectors are dirty") {
  write(0, 0b1111, 0);
  for (uint64_t i = 1; i <= 16; ++i) {
    write(i * kSameSet, 0b0011, 1000 * i);
  }
  CHECK(n[Counter::kDramWriteBytes] == 128);
}

TEST_CASE_METHOD(Fixture, "beyond the limit of dirty lines the set's oldest is written back and stays") {
  gpu.mutable_l2()->set_max_dirty_bytes(4 * 3 * 128);  // 3 lines a slice
  simtest::WholeL2 limited(gpu, n);
  auto serve_limited = [&](RequestKind kind, uint64_t i) {
    Request r;
    r.kind = kind;
    r.line = i * kSameSet;
    r.sectors = 0b0111;
    limited.serve(r, 0, to_ticks(1000 * (i + 1)));
  };
  for (uint64_t i = 0; i < 3; ++i) {
    serve_limited(RequestKind::kWrite, i);
  }
  serve_limited(RequestKind::kWrite, 0);  // dirty already, and now the newest
  CHECK(n[Counter::kDramWriteBytes] == 0);
  serve_limited(RequestKind::kWrite, 3);  // line 1 is written back
  CHECK(n[Counter::kDramWriteBytes] == 96);
  serve_limited(RequestKind::kRead, 1);
  CHECK(n[Counter::kDramReadBytes] == 0);
  serve_limited(RequestKind::kWrite, 1);  // dirty once more: line 2 goes
  CHECK(n[Counter::kDramWriteBytes] == 2 * 96);
}

TEST_CASE_METHOD(Fixture, "dirty lines of before the kernel leave when their set fills up") {
  gpu.mutable_launch()->set_dirty_bytes(4 * 1 * 128);  // one line a slice: in set 0
  simtest::WholeL2 used(gpu, n);
  Request r;
  r.sectors = 0b0001;
  auto fill_set = [&](uint64_t first, uint64_t lines) {
    for (uint64_t i = 0; i < lines; ++i) {
      r.line = first + i * kSameSet;
      used.serve(r, 0, to_ticks(1000 * (i + 1)));
    }
  };
  uint64_t in_set_0 = 0, in_set_1 = 0;
  while (used.map().home(in_set_0).set != 0) {
    ++in_set_0;
  }
  while (used.map().home(in_set_1).set != 1) {
    ++in_set_1;
  }
  fill_set(in_set_0, 15);
  fill_set(in_set_1, 16);
  CHECK(n[Counter::kDramWriteBytes] == 0);
  fill_set(in_set_0, 16);
  CHECK(n[Counter::kDramWriteBytes] == 128);
  fill_set(in_set_0, 40);
  CHECK(n[Counter::kDramWriteBytes] == 128);
}

TEST_CASE_METHOD(Fixture, "install() puts a line there without a trace in the counters") {
  l2.install(7);
  CHECK(read(7, 0b1111, 1000) == 1000 + 4 + 50);
  CHECK(n[Counter::kL2SectorHits] == 4);
  CHECK(n[Counter::kDramReadBytes] == 0);
}

TEST_CASE_METHOD(Fixture, "the least recently used line of a set leaves") {
  for (uint64_t i = 0; i < 16; ++i) {
    read(i * kSameSet, 0b1111, 1000 * i);
  }
  read(0, 0b1111, 20000);
  read(16 * kSameSet, 0b1111, 21000);  // line 1 of the set leaves, not line 0
  CHECK(read(0, 0b1111, 30000) == 30054);
  CHECK(read(kSameSet, 0b1111, 31000) > 31054);
}

TEST_CASE_METHOD(Fixture,
                 "a line of the set-aside stays while others come and go, and the set-aside has a size") {
  // 512 bytes over 4 slices of 128-byte lines: one persisting line a slice.
  gpu.mutable_l2()->set_max_persisting_bytes(512);
  simtest::WholeL2 small(gpu, n);
  auto touch = [&](uint64_t line, bool persisting, Cycle at) {
    Request r;
    r.line = line;
    r.sectors = 0b0011;
    r.persisting = persisting;
    uint64_t before = n[Counter::kL2SectorHits];
    small.serve(r, 0, to_ticks(at));
    return n[Counter::kL2SectorHits] - before == 2;
  };
  touch(0, true, 0);
  touch(kSameSet, true, 1000);  // the slice's set-aside is full: an ordinary line
  for (uint64_t i = 2; i < 2 + 16; ++i) {
    touch(i * kSameSet, false, 1000 * i);
  }
  CHECK(touch(0, false, 100'000));
  CHECK_FALSE(touch(kSameSet, false, 101'000));
}

TEST_CASE_METHOD(Fixture, "an atomic on a resident line: port, a pass, look-up, latency") {
  read(0, 0b0001, 0);
  CHECK(serve(RequestKind::kAtomic, 0, 0b0011, 1000) == 1000 + 2 + 2 + 50 + 20);
  CHECK(n[Counter::kL2Atoms] == 2);
  CHECK(n[Counter::kL2Reds] == 0);
  CHECK(serve(RequestKind::kReduction, 0, 0b0011, 2000) == 2074);
  CHECK(n[Counter::kL2Reds] == 2);
  CHECK(n[Counter::kL2SectorHits] == 4);
  CHECK(n[Counter::kL2FromSmHits] == 4);
}

TEST_CASE_METHOD(Fixture, "an atomic on a line that is not there fetches it") {
  CHECK(serve(RequestKind::kAtomic, 0, 0b0011, 1000) == 1000 + 2 + 50 + 126 + 2 + 50 + 20);
  CHECK(n[Counter::kL2FromSmMisses] == 2);
  CHECK(n[Counter::kDramReadBytes] == 64);
}

TEST_CASE_METHOD(Fixture, "a reduction on a line that is not there is taken before it has come") {
  // The line is there at 1000 + 2 + 50 + 126. An idle memory needs 124 of these: 54 are waited for.
  CHECK(serve(RequestKind::kReduction, 0, 0b0011, 1000) == 1000 + 54 + 2 + 50 + 20);
  CHECK(serve(RequestKind::kRead, 0, 0b0011, 1010) == 1000 + 2 + 50 + 126);
}

TEST_CASE_METHOD(Fixture, "each pass over a sector takes 2 cycles: 32 lanes on one word are 32 passes") {
  read(0, 0b0001, 0);
  CHECK(serve(RequestKind::kReduction, 0, 0b0011, 1000, 32) == 1000 + 2 + 32 * 2 + 50 + 20);
}

TEST_CASE_METHOD(Fixture, "atomics of one slice follow one another, other slices do not wait") {
  read(0, 0b1111, 0);
  read(1, 0b1111, 0);
  // Each takes 32 x 2 = 64 cycles; the first starts at 1008, the start of a 16-cycle bucket.
  for (uint64_t i = 0; i < 10; ++i) {
    CHECK(serve(RequestKind::kAtomic, 0, 0b0011, 1006, 32) == 1008 + 64 * (i + 1) + 70);
  }
  CHECK(serve(RequestKind::kAtomic, 1, 0b0011, 1006, 32) == 1008 + 64 + 70);
}

TEST_CASE_METHOD(Fixture, "an atomic makes its line dirty") {
  serve(RequestKind::kReduction, 0, 0b0011, 0);
  for (uint64_t i = 1; i <= 16; ++i) {
    read(i * kSameSet, 0b0001, 1000 * i);
  }
  CHECK(n[Counter::kDramWriteBytes] == 64);
}

TEST_CASE_METHOD(Fixture, "L2 cycles are converted to core cycles") {
  gpu.mutable_clocks()->set_l2_mhz(500);
  simtest::WholeL2 slow(gpu, n);
  Request r;
  r.sectors = 1;
  slow.serve(r, 0, Ticks(0));
  CHECK(to_cycles_up(slow.serve(r, 0, to_ticks(1000))) == 1000 + 2 * (1 + 50));
}

TEST_CASE_METHOD(Fixture, "reset() makes the cache cold") {
  read(0, 0b0001, 0);
  l2.reset();
  CHECK(read(0, 0b0001, 0) == 177);
}

TEST_CASE_METHOD(Fixture, "a request of no sectors asks for nothing and touches no line") {
  for (RequestKind kind : {RequestKind::kRead, RequestKind::kWrite, RequestKind::kAtomic}) {
    Request r;
    r.line = 3;
    r.kind = kind;
    r.operations = 1;
    CHECK(l2.serve(r, 0, to_ticks(1000)) == to_ticks(1050));
  }
  CHECK(n[Counter::kL2Requests] == 0);
}

}  // namespace
}  // namespace heddle::memory
