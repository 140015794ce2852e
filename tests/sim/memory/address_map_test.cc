// Where lines live.
#include "sim/memory/address_map.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

spec::L2 l2(uint32_t partitions, uint32_t slices, spec::L2::Hash hash) {
  spec::L2 c = simtest::test_gpu().l2();
  c.set_partitions(partitions);
  c.set_slices(slices);
  c.set_hash(hash);
  return c;
}

TEST_CASE("the sets follow from size, slices, ways and line") {
  // 1 MiB / (4 slices x 16 ways x 128 bytes) = 128.
  AddressMap one(l2(1, 4, spec::L2::MODULO));
  CHECK(one.partitions() == 1);
  CHECK(one.slices() == 4);
  CHECK(one.sets() == 128);
  AddressMap two(l2(2, 4, spec::L2::MODULO));
  CHECK(two.partitions() == 2);
  CHECK(two.slices() == 2);
  CHECK(two.sets() == 128);
}

TEST_CASE("MODULO interleaves lines over slices, then partitions, then sets") {
  AddressMap m(l2(2, 4, spec::L2::MODULO));
  for (uint64_t line = 0; line < 4096; ++line) {
    Home h = m.home(line);
    REQUIRE(h.slice == line % 2);
    REQUIRE(h.partition == line / 2 % 2);
    REQUIRE(h.set == line / 4 % 128);
  }
}

TEST_CASE("XOR_FOLD spreads every stride over partitions, pairs of slices and sets") {
  // 2 partitions x 16 pairs of slices. A chunk of 8 lines stays in a pair, so a pair's share of 16384 lines
  // is 1024 with a standard deviation of up to sqrt(8 x 1024) = 90.
  AddressMap m(l2(2, 64, spec::L2::XOR_FOLD));
  REQUIRE(m.slices() == 32);
  for (uint64_t stride : {1, 2, 3, 4, 8, 16, 31, 32, 64, 128, 1000, 4096, 16384, 1048576}) {
    std::vector<int> partition(2), pair(16), set(m.sets());
    constexpr int kLines = 16384;
    for (int i = 0; i < kLines; ++i) {
      Home h = m.home(i * stride);
      REQUIRE(h.partition < 2);
      REQUIRE(h.slice < 32);
      REQUIRE(h.set < m.sets());
      ++partition[h.partition];
      ++pair[h.slice / 2];
      ++set[h.set];
    }
    CAPTURE(stride);
    CHECK(std::abs(partition[0] - kLines / 2) < kLines / 20);
    for (int n : pair) {
      CHECK(std::abs(n - 1024) < 6 * 90);
    }
    double mean = double(kLines) / m.sets();
    for (int n : set) {
      CHECK(n < mean + 7 * std::sqrt(mean));
    }
  }
}

TEST_CASE("XOR_FOLD reaches every slice by every stride, chunk-aligned ones too") {
  // 32 slices, 512 of 16384 lines each. Half of a chunk's 8 lines go to a slice, so the standard deviation is
  // at most that of stride 1: 4 x sqrt(2048 chunks x 1/16 x 15/16) = 44.
  AddressMap m(l2(2, 64, spec::L2::XOR_FOLD));
  for (uint64_t stride : {1, 2, 3, 4, 7, 8, 16, 24, 31, 32, 64, 128, 1000, 1024, 4096, 16384, 1048576}) {
    std::vector<int> slice(32);
    for (int i = 0; i < 16384; ++i) {
      ++slice.at(m.home(i * stride).slice);
    }
    CAPTURE(stride);
    for (int n : slice) {
      CHECK(std::abs(n - 512) < 6 * 44);
    }
  }
}

TEST_CASE("the lines of a chunk alternate between the two slices of a pair, evenly") {
  AddressMap m(l2(2, 64, spec::L2::XOR_FOLD));
  for (uint64_t chunk : {0, 1, 2, 77, 123456}) {
    uint32_t odd = 0;
    for (uint64_t line = chunk * 8; line < chunk * 8 + 8; ++line) {
      CHECK(m.home(line).slice / 2 == m.home(chunk * 8).slice / 2);
      odd += m.home(line).slice % 2;
    }
    CHECK(odd == 4);
  }
}

TEST_CASE(
    "a whole block of 128 KiB has the same number of chunks in every pair of slices, give or take one") {
  AddressMap m(l2(2, 96, spec::L2::XOR_FOLD));  // 24 pairs a partition, 5 or 6 of 128 chunks
  std::vector<int> all(24);
  for (uint64_t block = 1000; block < 1096; ++block) {
    std::vector<int> pair(24);
    for (uint64_t chunk = block * 128; chunk < (block + 1) * 128; ++chunk) {
      ++pair.at(m.home(chunk * 8).slice / 2);
      ++all.at(m.home(chunk * 8).slice / 2);
    }
    for (int n : pair) {
      CHECK((n == 5 || n == 6));
    }
  }
  for (int n : all) {
    CHECK(std::abs(n - 512) <= 20);  // which of them have 6 differs from block to block
  }
}

TEST_CASE("a home depends on the line alone") {
  AddressMap a(l2(2, 64, spec::L2::XOR_FOLD)), b(l2(2, 64, spec::L2::XOR_FOLD));
  for (uint64_t line : {0ull, 1ull, 77ull, 1ull << 40}) {
    CHECK(a.home(line).slice == b.home(line).slice);
    CHECK(a.home(line).partition == b.home(line).partition);
    CHECK(a.home(line).set == b.home(line).set);
  }
}

}  // namespace
}  // namespace heddle::memory
