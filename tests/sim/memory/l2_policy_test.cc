// L2 residency control: reference/cuda-model.md L204-L221, C14-C18.
#include <catch2/catch.hpp>

#include "sim/engine/time.h"
#include "sim/memory/l2.h"
#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

using stats::Counter;
using enum AccessProperty;

// One slice of 8 sets of 4 ways: 4 KiB. Lines that are 8 apart share a set.
config::GpuConfig small_l2() {
  config::GpuConfig g = simtest::test_gpu(2);
  g.mutable_l2()->set_slices(1);
  g.mutable_l2()->set_ways(4);
  g.mutable_l2()->set_total_bytes(8 * 4 * kLineBytes);
  g.mutable_l2()->set_max_persisting_bytes(3 * 8 * kLineBytes);
  g.mutable_dram()->set_channels(1);
  return g;
}

struct Fixture {
  config::GpuConfig gpu = small_l2();
  stats::CounterSet n;
  L2 l2{gpu, n};
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

TEST_CASE_METHOD(Fixture, "the others have what is not set aside, also while it is free (L204, on an H200)") {
  policy(16);
  sweep(0, 32);
  CHECK(sweep(16, 32) == 16);  // two of four ways
  CHECK(sweep(0, 16) == 0);
  policy(0);
  sweep(0, 32);
  CHECK(sweep(0, 32) == 32);
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
  config::GpuConfig g = small_l2();
  g.mutable_l2()->set_set_aside_replacement(config::L2::KEEP);
  Fixture f;
  L2 l2(g, f.n);
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

TEST_CASE_METHOD(Fixture, "a line that is there becomes persisting when its window says so") {
  read(5);
  policy(16, window(16));
  CHECK(read(5));
  CHECK(l2.persisting_lines() == 1);
  sweep(1000, 1100);
  CHECK(read(5));
}

// A set of four ways, all of them dirty; the next read has to write one of them first: two turn-arounds of 8
// DRAM cycles and 128 bytes at 32 bytes per cycle. Or it was written before, when three others were newer.
TEST_CASE("a read waits for a dirty line that has to leave, unless it was cleaned in time") {
  for (const uint32_t clean_ways : {0u, 3u}) {
    config::GpuConfig g = small_l2();
    g.mutable_l2()->set_clean_ways(clean_ways);
    g.mutable_dram()->set_t_wr_turnaround(100);
    g.mutable_dram()->set_write_batch(64);
    stats::CounterSet n;
    L2 l2(g, n);
    auto serve = [&](RequestKind kind, uint64_t line, Cycle at) {
      Request r;
      r.kind = kind;
      r.line = line;
      r.sectors = 0b1111;
      return to_cycles_up(l2.serve(r, 0, to_ticks(at))) - at;
    };
    const Cycle cold = serve(RequestKind::kRead, 1, 10'000);
    for (uint64_t way = 0; way < 4; ++way) {
      serve(RequestKind::kWrite, 8 * way, 20'000 + 1000 * way);
    }
    CHECK(n[Counter::kDramWriteBytes] == (clean_ways ? 128 : 0));
    const Cycle wait = serve(RequestKind::kRead, 32, 30'000) - cold;
    CHECK(wait == 12 + (clean_ways ? 0 : 204 - 50));
    CHECK(n[Counter::kDramWriteBytes] == (clean_ways ? 256 : 128));
  }
}

}  // namespace
}  // namespace heddle::memory
