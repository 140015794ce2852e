// Sectors that are written in part, as in l2_test.cc: 4 slices, 128 sets, 16 ways; at most 3 such lines a
// slice.
#include <catch2/catch.hpp>

#include "sim/memory/l2.h"
#include "tests/sim/support/memory.h"
#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

using stats::Counter;

constexpr uint64_t kSameSet = 4 * 128;  // lines from one line to the next of its slice and set
constexpr uint64_t kBeyond = 100;       // of the lines of the set that only push others out

spec::GpuConfig filling() {
  spec::GpuConfig g = simtest::test_gpu();
  g.mutable_l2()->set_max_partial_bytes(uint64_t{4} * 3 * kLineBytes);
  return g;
}

struct Fixture {
  explicit Fixture(const spec::GpuConfig& g = filling()) : gpu(g) {}

  spec::GpuConfig gpu;
  stats::CounterSet n;
  simtest::WholeL2 l2{gpu, n};
  Cycle now = 0;

  void serve(RequestKind kind, uint64_t set_line, uint8_t sectors, uint32_t words = 0) {
    Request r;
    r.line = set_line * kSameSet;
    r.kind = kind;
    r.sectors = sectors;
    r.partial = words != 0;
    r.words = words;
    l2.serve(r, 0, to_ticks(now += 1000));
  }
  void write(uint64_t set_line, uint8_t sectors, uint32_t words) {
    serve(RequestKind::kWrite, set_line, sectors, words);
  }
  void read(uint64_t set_line, uint8_t sectors) { serve(RequestKind::kRead, set_line, sectors); }
  // All lines of the set go; what that reads is not counted.
  void push_out() {
    for (uint64_t i = 0; i < 16; ++i) {
      read(kBeyond + i, 0b0001);
    }
    n[Counter::kDramReadBytes] -= uint64_t{16} * 64;
  }
};

TEST_CASE_METHOD(Fixture, "a sector written in part is read before it goes") {
  write(0, 0b0001, 0x1);
  CHECK(n[Counter::kDramReadBytes] == 0);
  push_out();
  CHECK(n[Counter::kDramReadBytes] == 32);
  CHECK(n[Counter::kDramWriteBytes] == 32);
}

TEST_CASE("without a limit DRAM takes parts of sectors") {
  Fixture f(simtest::test_gpu());
  f.write(0, 0b0001, 0x1);
  f.push_out();
  CHECK(f.n[Counter::kDramReadBytes] == 0);
  CHECK(f.n[Counter::kDramWriteBytes] == 32);
}

TEST_CASE_METHOD(Fixture, "of a line those sectors are read that lack something") {
  write(0, 0b1111, 0xff0f'ff7f);  // the third and the first lack words
  push_out();
  CHECK(n[Counter::kDramReadBytes] == 2 * 32);
  CHECK(n[Counter::kDramWriteBytes] == 128);
}

TEST_CASE_METHOD(Fixture, "parts that make up a sector leave nothing to read") {
  write(0, 0b0010, 0x0f00);
  write(0, 0b0010, 0xf000);
  push_out();
  CHECK(n[Counter::kDramReadBytes] == 0);
}

TEST_CASE_METHOD(Fixture, "the same word twice does not make up a sector") {
  for (int i = 0; i < 8; ++i) {
    write(0, 0b0001, 0x1);
  }
  push_out();
  CHECK(n[Counter::kDramReadBytes] == 32);
}

TEST_CASE_METHOD(Fixture, "a sector that has been read is known, also when a part of it is written") {
  read(0, 0b0001);
  CHECK(n[Counter::kDramReadBytes] == 64);
  write(0, 0b0001, 0x1);
  push_out();
  CHECK(n[Counter::kDramReadBytes] == 64);
}

TEST_CASE_METHOD(Fixture, "a read of a sector written in part fetches it, with its neighbour") {
  write(0, 0b0001, 0x1);
  read(0, 0b0001);
  CHECK(n[Counter::kDramReadBytes] == 64);
  CHECK(n[Counter::kL2SectorHits] == 1);  // the write
  push_out();
  CHECK(n[Counter::kDramReadBytes] == 64);
  CHECK(n[Counter::kDramWriteBytes] == 32);
}

TEST_CASE_METHOD(Fixture,
                 "beyond the limit of lines written in part the set's oldest is written back and stays") {
  for (uint64_t i = 0; i < 3; ++i) {
    write(i, 0b0001, 0x1);
  }
  write(0, 0b0010, 0x100);  // is one already, and now the newest
  CHECK(n[Counter::kDramWriteBytes] == 0);
  write(3, 0b0001, 0x1);  // line 1 goes
  CHECK(n[Counter::kDramReadBytes] == 32);
  CHECK(n[Counter::kDramWriteBytes] == 32);
  read(1, 0b0001);
  CHECK(n[Counter::kDramReadBytes] == 32);
  write(1, 0b0001, 0x2);   // its sector is known
  write(2, 0b0001, 0xfe);  // whole by now: one less
  write(4, 0b0001, 0x1);
  CHECK(n[Counter::kDramReadBytes] == 32);
  write(5, 0b0001, 0x1);  // line 0 goes, with two sectors
  CHECK(n[Counter::kDramReadBytes] == 3 * 32);
  CHECK(n[Counter::kDramWriteBytes] == 3 * 32);
}

TEST_CASE("less than a line a slice is a line") {
  spec::GpuConfig g = simtest::test_gpu();
  g.mutable_l2()->set_max_partial_bytes(1);
  Fixture f(g);
  f.write(0, 0b0001, 0x1);
  CHECK(f.n[Counter::kDramReadBytes] == 0);
  f.write(1, 0b0001, 0x1);
  CHECK(f.n[Counter::kDramReadBytes] == 32);
}

TEST_CASE_METHOD(Fixture, "words written before a launch count in the next one") {
  write(0, 0b0001, 0x0f);
  l2.next_launch();
  now = 0;
  write(0, 0b0001, 0xf0);
  push_out();
  CHECK(n[Counter::kDramReadBytes] == 0);
}

}  // namespace
}  // namespace heddle::memory
