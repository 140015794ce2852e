// L2 residency control: reference/cuda-model.md L204-L221, C14-C18.
#include <catch2/catch.hpp>

#include "sim/engine/time.h"
#include "sim/memory/l2.h"
#include "tests/sim/support/memory.h"
#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

using stats::Counter;
using enum AccessProperty;

// One slice of 8 sets of 4 ways: 4 KiB. Lines that are 8 apart share a set.
spec::GpuConfig small_l2() {
  spec::GpuConfig g = simtest::test_gpu(2);
  g.mutable_l2()->set_slices(1);
  g.mutable_l2()->set_ways(4);
  g.mutable_l2()->set_total_bytes(8 * 4 * kLineBytes);
  g.mutable_l2()->set_max_persisting_bytes(3 * 8 * kLineBytes);
  g.mutable_dram()->set_channels(1);
  return g;
}

struct Fixture {
  explicit Fixture(const spec::GpuConfig& g = small_l2()) : gpu(g) {}

  spec::GpuConfig gpu;
  stats::CounterSet n;
  simtest::WholeL2 l2{gpu, n};
  Cycle now = 0;

  // Reads a line; whether it was there.
  bool read(uint64_t line) {
    const uint64_t before = n[Counter::kL2SectorHits];
    Request r;
    r.line = line;
    r.sectors = 0b1111;
    now += 10'000;
    l2.serve(r, 0, to_ticks(now));
    return n[Counter::kL2SectorHits] - before == 4;
  }
  uint32_t sweep(uint64_t from, uint64_t to) {
    uint32_t hits = 0;
    for (uint64_t l = from; l < to; ++l) {
      hits += read(l);
    }
    return hits;
  }
  void policy(uint64_t set_aside_lines, AccessWindow w = {}) {
    l2.set_policy({set_aside_lines * kLineBytes, w});
  }
};

// Lines 0 to `lines`.
AccessWindow window(uint64_t lines, double ratio = 1, AccessProperty hit = kPersisting,
                    AccessProperty miss = kStreaming) {
  return {0, lines * kLineBytes, ratio, hit, miss};
}

TEST_CASE("a window is half-open, and covers a line that it touches (L208, C17, L220)") {
  const AccessWindow w{1000, 1000, 1, kPersisting, kStreaming};
  CHECK(w.of(6) == kNone);         // 768 to 895
  CHECK(w.of(7) == kPersisting);   // 896 to 1023
  CHECK(w.of(15) == kPersisting);  // 1920 to 2047
  CHECK(w.of(16) == kNone);
  CHECK(AccessWindow{}.of(0) == kNone);
}

TEST_CASE("a share of the window's lines has the first property, always the same ones (L211, C17)") {
  const AccessWindow w{0, uint64_t{100'000} * kLineBytes, 0.6, kPersisting, kStreaming};
  uint32_t persisting = 0;
  for (uint64_t l = 0; l < 100'000; ++l) {
    const AccessProperty p = w.of(l);
    CHECK(p == w.of(l));
    REQUIRE((p == kPersisting || p == kStreaming));
    persisting += p == kPersisting;
  }
  CHECK(persisting > 59'500);
  CHECK(persisting < 60'500);
}

TEST_CASE_METHOD(Fixture, "persisting lines survive a stream larger than the L2 (L216)") {
  policy(16, window(16));
  sweep(0, 16);
  CHECK(l2.persisting_lines() == 16);
  CHECK(sweep(1000, 1100) == 0);
  CHECK(sweep(0, 16) == 16);
}

TEST_CASE_METHOD(Fixture, "the others use what is set aside until lines persist there (L204)") {
  policy(16);
  sweep(0, 32);
  CHECK(sweep(0, 32) == 32);
  policy(16, {1000 * kLineBytes, 8 * kLineBytes, 1, kPersisting, kStreaming});
  sweep(1000, 1008);  // one of four ways of each set: of what is set aside
  policy(16);
  CHECK(sweep(8, 32) == 24);
  CHECK(sweep(0, 8) == 0);
}

TEST_CASE_METHOD(Fixture, "ratio 0.5 of twice the set-aside persists without evictions (L212, C14)") {
  // Few enough of any set: 16 of the 32 lines, drawn by address, at most 3 ways of a set.
  policy(24, window(32, 0.5));
  sweep(0, 32);
  const uint64_t persisting = l2.persisting_lines();
  CHECK(persisting > 8);
  CHECK(persisting < 24);
  sweep(0, 32);
  CHECK(l2.persisting_lines() == persisting);
  sweep(1000, 1100);
  CHECK(sweep(0, 32) == persisting);
}

TEST_CASE_METHOD(Fixture, "ratio 1.0 of twice the set-aside: the most recent half stays (L213, C15)") {
  policy(16, window(32));
  sweep(0, 32);
  CHECK(l2.persisting_lines() == 16);
  sweep(1000, 1100);
  CHECK(sweep(16, 32) == 16);
  CHECK(sweep(0, 16) == 0);   // and takes their place:
  CHECK(sweep(16, 32) == 0);  // a cyclic sweep thrashes
}

TEST_CASE("with KEEP the first half stays instead, whatever the order of the sweeps") {
  spec::GpuConfig g = small_l2();
  g.mutable_l2()->set_set_aside_replacement(spec::L2::KEEP);
  Fixture f;
  simtest::WholeL2 l2(g, f.n);
  l2.set_policy({16 * kLineBytes, window(32)});
  auto read = [&](uint64_t line) {
    const uint64_t before = f.n[Counter::kL2SectorHits];
    Request r;
    r.line = line;
    r.sectors = 0b1111;
    l2.serve(r, 0, to_ticks(f.now += 10'000));
    return f.n[Counter::kL2SectorHits] - before == 4;
  };
  for (uint64_t l = 0; l < 32; ++l) {
    read(l);
  }
  for (uint64_t l = 1000; l < 1100; ++l) {
    read(l);
  }
  for (int pass = 0; pass < 2; ++pass) {
    uint32_t hits = 0;
    for (uint64_t l = 0; l < 16; ++l) {
      hits += read(l);
    }
    CHECK(hits == 16);
  }
}

TEST_CASE_METHOD(Fixture,
                 "two windows share one set-aside: they evict each other at ratio 1 (L214, L221, C16)") {
  policy(16, window(16));
  sweep(0, 16);
  l2.set_policy({16 * kLineBytes, {100 * kLineBytes * 8, 16 * kLineBytes, 1, kPersisting, kStreaming}});
  sweep(800, 816);
  CHECK(l2.persisting_lines() == 16);
  l2.set_policy({16 * kLineBytes, window(16)});
  CHECK(sweep(0, 16) == 0);
}

TEST_CASE_METHOD(Fixture, "streaming lines leave first (L215)") {
  policy(0, window(8, 1, kStreaming));
  sweep(8, 32);  // three of four ways, without a property
  sweep(0, 8);   // streaming, the newest
  sweep(32, 40);
  CHECK(sweep(8, 32) == 24);
  CHECK(sweep(0, 8) == 0);
}

TEST_CASE_METHOD(
    Fixture,
    "an access with the normal property ends persistence, one without a policy does not (L217, L219)") {
  policy(16, window(16));
  sweep(0, 16);
  policy(16);
  sweep(0, 16);
  CHECK(l2.persisting_lines() == 16);
  policy(16, window(8, 1, kNormal, kNormal));
  sweep(0, 16);
  CHECK(l2.persisting_lines() == 8);
}

TEST_CASE_METHOD(
    Fixture, "what persists stays after the launch and narrows the L2, until it is reset (L218, L219, C18)") {
  policy(16, window(16));
  sweep(0, 16);
  l2.next_launch();
  policy(16);
  sweep(100, 132);
  CHECK(sweep(100, 132) == 0);  // 32 lines through 16
  CHECK(l2.persisting_lines() == 16);
  l2.reset_persisting();
  CHECK(l2.persisting_lines() == 0);
  policy(0);
  sweep(200, 232);
  CHECK(sweep(200, 232) == 32);
}

TEST_CASE("between launches the slices are gone through that were used, no others") {
  Fixture f(simtest::test_gpu(2));
  const uint32_t slices = f.gpu.l2().slices() * f.gpu.l2().partitions();
  REQUIRE(slices > 1);
  CHECK(f.l2.next_launch() == slices);
  CHECK(f.l2.next_launch() == 0);
  f.read(3);
  CHECK(f.l2.next_launch() == 1);
  CHECK(f.l2.next_launch() == 0);
  f.sweep(0, 1000);
  CHECK(f.l2.next_launch() == slices);
}

TEST_CASE_METHOD(Fixture, "a line that is there takes the oldest one's place in a full set-aside (L213)") {
  policy(16, window(16));
  sweep(0, 16);  // two of a set, 0 and 8 of the first
  policy(16);
  read(16);
  policy(16, window(17));
  CHECK(read(16));
  CHECK(l2.persisting_lines() == 16);
  policy(16);
  sweep(1000, 1100);
  CHECK(read(16));
  CHECK(read(8));
  CHECK_FALSE(read(0));
}

TEST_CASE("with KEEP it finds no place in a full set-aside, and goes with the others") {
  spec::GpuConfig g = small_l2();
  g.mutable_l2()->set_set_aside_replacement(spec::L2::KEEP);
  Fixture f(g);
  f.policy(16, window(16));
  f.sweep(0, 16);
  f.policy(16);
  f.read(16);
  f.policy(16, window(17));
  CHECK(f.read(16));
  CHECK(f.l2.persisting_lines() == 16);
  f.policy(16);
  f.sweep(1000, 1100);
  CHECK(f.read(8));
  CHECK(f.read(0));
  CHECK_FALSE(f.read(16));
}

TEST_CASE_METHOD(Fixture, "where all ways of a set persist its least recently used line leaves") {
  policy(32, window(32));
  sweep(0, 32);
  CHECK(l2.persisting_lines() == 32);
  SECTION("for an ordinary line, all ways being set aside") { policy(32); }
  SECTION("of an earlier, larger set-aside") { policy(8); }
  read(0);  // of its set 8 is the oldest now
  CHECK_FALSE(read(1000));
  CHECK(l2.persisting_lines() == 31);
  for (const uint64_t line : {16, 24, 0, 1000}) {
    CHECK(read(line));
  }
  CHECK_FALSE(read(8));
}

TEST_CASE_METHOD(Fixture, "a line that is there becomes persisting when its window says so") {
  read(5);
  policy(16, window(16));
  CHECK(read(5));
  CHECK(l2.persisting_lines() == 1);
  sweep(1000, 1100);
  CHECK(read(5));
}

// Two partitions of a slice each: lines are at home in one and the other by turns.
TEST_CASE("what persists does so at home; its replica in the other partition does not") {
  spec::GpuConfig g = small_l2();
  g.mutable_l2()->set_partitions(2);
  g.mutable_l2()->set_slices(2);
  g.mutable_dram()->set_channels(2);
  g.mutable_l2()->set_total_bytes(2 * 8 * 4 * kLineBytes);
  g.mutable_l2()->set_max_persisting_bytes(2 * 3 * 8 * kLineBytes);
  stats::CounterSet n;
  simtest::WholeL2 l2(g, n);
  l2.set_policy({32 * kLineBytes, window(16)});  // two of the four ways of each set
  Cycle now = 0;
  auto from_fabric = [&](uint64_t line, uint32_t partition) {
    const uint64_t before = n[Counter::kL2FromFabric];
    Request r;
    r.line = line;
    r.sectors = 0b1111;
    l2.serve(r, partition, to_ticks(now += 10'000));
    return n[Counter::kL2FromFabric] - before == 4;
  };
  const uint64_t line = 5;
  const uint32_t home = l2.map().home(line).partition, other = 1 - home;
  CHECK_FALSE(from_fabric(line, home));
  CHECK(l2.persisting_lines() == 1);
  CHECK(from_fabric(line, other));
  CHECK_FALSE(from_fabric(line, other));  // it is there now
  CHECK(l2.persisting_lines() == 1);
  // A stream of the other partition's own lines drives the replica out, and what persists at home stays.
  const uint64_t reads = n[Counter::kDramReadBytes];
  uint64_t streamed = 0;
  for (uint64_t l = 1000; l < 1200; ++l) {
    if (l2.map().home(l).partition == other) {
      from_fabric(l, other);
      streamed += kLineBytes;
    }
  }
  CHECK(from_fabric(line, other));
  CHECK(n[Counter::kDramReadBytes] == reads + streamed);
}

// Lines of one set of eight ways; 8 may be dirty, with 16 lines set aside all of them, with 32 none.
struct Dirty {
  Dirty() {
    gpu.mutable_l2()->set_ways(8);
    gpu.mutable_l2()->set_total_bytes(8 * 8 * kLineBytes);
    gpu.mutable_l2()->set_max_persisting_bytes(7 * 8 * kLineBytes);
    gpu.mutable_l2()->set_max_dirty_bytes(8 * kLineBytes);
    gpu.mutable_l2()->set_dirty_full_aside_bytes(16 * kLineBytes);
    gpu.mutable_l2()->set_dirty_none_aside_bytes(32 * kLineBytes);
    gpu.mutable_l2()->set_lowered_write_batch(3);
    gpu.mutable_l2()->set_scarce_write_batch(1);
    gpu.mutable_l2()->set_scarce_dirty_bytes(2 * kLineBytes);
    gpu.mutable_dram()->set_write_batch(64);
  }
  spec::GpuConfig gpu = small_l2();
  stats::CounterSet n;

  static void write(simtest::WholeL2& l2, uint64_t set_line, Cycle at) {
    Request r;
    r.kind = RequestKind::kWrite;
    r.line = 8 * set_line;
    r.sectors = 0b1111;
    l2.serve(r, 0, to_ticks(at));
  }
};

TEST_CASE_METHOD(Dirty, "a set-aside lowers how much may be dirty though nothing persists") {
  const uint64_t expected[][2] = {{0, 8}, {16, 8}, {18, 7}, {24, 4}, {30, 1}, {32, 0}, {40, 0}};
  for (const auto& [aside, dirty] : expected) {
    CAPTURE(aside);
    n = {};
    simtest::WholeL2 l2(gpu, n);
    l2.set_policy({aside * kLineBytes, {}});
    for (uint64_t i = 0; i < 8; ++i) {
      write(l2, i, 1000 * i);
    }
    // The newest line is never the one that is written back.
    CHECK(n[Counter::kDramWriteBytes] == (8 - std::max<uint64_t>(dirty, 1)) * kLineBytes);
    l2.set_policy({});
    n = {};
    write(l2, 0, 10'000);  // all are still there
    CHECK(n[Counter::kDramReadBytes] == 0);
    CHECK(n[Counter::kL2SectorHits] == 4);
  }
}

TEST_CASE_METHOD(Dirty, "lines that persist may be dirty beside it") {
  simtest::WholeL2 l2(gpu, n);
  l2.set_policy({28 * kLineBytes, {0, 2 * 8 * kLineBytes, 1, kPersisting, kStreaming}});  // 2 dirty lines
  write(l2, 0, 1000);
  write(l2, 1, 2000);  // these persist
  write(l2, 2, 3000);
  write(l2, 3, 4000);
  CHECK(n[Counter::kDramWriteBytes] == 0);
  write(l2, 4, 5000);
  CHECK(n[Counter::kDramWriteBytes] == kLineBytes);
  l2.reset_persisting();  // four dirty lines of all kinds: each further one sends the oldest
  write(l2, 5, 6000);
  CHECK(n[Counter::kDramWriteBytes] == 2 * kLineBytes);
}

// A line is two transfers of 2 cycles; a batch opens a row in 10. Batches of 3 are two lines: 18 cycles.
TEST_CASE_METHOD(Dirty, "writers wait for DRAM, which writes fewer dirty lines in smaller batches") {
  // set aside, cycles that 20 lines take
  const uint64_t expected[][2] = {{24, 10 * 18}, {28, 20 * 14}};
  for (const auto& [aside, cycles] : expected) {
    CAPTURE(aside);
    simtest::WholeL2 l2(gpu, n);
    l2.set_policy({aside * kLineBytes, {}});
    auto write_at_once = [&](uint64_t i) {
      Request r;
      r.kind = RequestKind::kWrite;
      r.line = 8 * i;
      r.sectors = 0b1111;
      return to_cycles_up(l2.serve(r, 0, to_ticks(1024)));
    };
    Cycle at[61];
    for (uint64_t i = 0; i <= 60; ++i) {
      at[i] = write_at_once(i);
    }
    CHECK(at[60] - at[40] == cycles);
  }
}

}  // namespace
}  // namespace heddle::memory
