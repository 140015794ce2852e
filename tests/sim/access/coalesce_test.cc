// From 32 lane addresses to lines and sectors (cuda-model GM01-GM04).
#include "sim/access/coalesce.h"

#include <bit>
#include <catch2/catch.hpp>
#include <functional>

namespace heddle::memory {
namespace {

Coalesced lines_of(uint32_t width, const std::function<uint64_t(int)>& address, uint32_t mask = ~0u) {
  uint64_t addr[32] = {};
  for (int lane = 0; lane < 32; ++lane) {
    addr[lane] = address(lane);
  }
  Coalesced c;
  coalesce(addr, mask, width, c);
  return c;
}

TEST_CASE("consecutive accesses of every width take width sectors") {
  // 32 lanes x width bytes, aligned: 32 x width / 32 sectors, a line holds four.
  for (uint32_t width : {1u, 2u, 4u, 8u, 16u}) {
    Coalesced c = lines_of(width, [&](int i) { return 0x10000 + i * width; });
    CAPTURE(width);
    CHECK(c.sectors == width);
    CHECK(c.count == (width + 3) / 4);
    uint32_t bytes = 0, lanes = 0;
    for (uint32_t i = 0; i < c.count; ++i) {
      lanes += c.lines[i].lanes;
      for (uint32_t b : c.lines[i].bytes) {
        bytes += std::popcount(b);
      }
    }
    CHECK(lanes == 32);
    CHECK(bytes == 32 * width);
  }
}

TEST_CASE("one address for all lanes is one sector") {
  Coalesced c = lines_of(4, [](int) { return 0x1234; });
  REQUIRE(c.count == 1);
  CHECK(c.sectors == 1);
  CHECK(c.lines[0].line == 0x1234 / 128);
  CHECK(c.lines[0].sectors == 0b0010);  // 0x1234 % 128 = 52: second sector
  CHECK(c.lines[0].bytes[1] == 0xfu << 20);
  CHECK(c.lines[0].lanes == 32);
}

TEST_CASE("a sector for every lane when the stride is 32 bytes or more") {
  for (uint32_t stride : {32u, 64u, 128u, 4096u}) {
    Coalesced c = lines_of(4, [&](int i) { return uint64_t{i * stride}; });
    CAPTURE(stride);
    CHECK(c.sectors == 32);
    CHECK(c.count == std::min(32u, 32 * stride / 128));
  }
}

TEST_CASE("strides between 4 and 32 bytes touch stride sectors") {
  for (uint32_t stride : {4u, 8u, 16u, 24u, 32u}) {
    Coalesced c = lines_of(4, [&](int i) { return uint64_t{i * stride}; });
    CAPTURE(stride);
    CHECK(c.sectors == stride);
  }
}

TEST_CASE("a misaligned warp touches one sector more") {
  Coalesced c = lines_of(4, [](int i) { return 0x1004 + 4u * i; });
  CHECK(c.sectors == 5);
  REQUIRE(c.count == 2);
  CHECK(c.lines[0].sectors == 0b1111);
  CHECK(c.lines[1].sectors == 0b0001);
  CHECK(c.lines[1].lanes == 1);
  CHECK(c.lines[0].bytes[0] == 0xfffffff0u);
  CHECK(c.lines[1].bytes[0] == 0x0000000fu);
}

TEST_CASE("an access that straddles sectors or lines counts in both, its lane in the first") {
  SECTION("two sectors") {
    Coalesced c = lines_of(
        8, [](int) { return 28; }, 1);
    REQUIRE(c.count == 1);
    CHECK(c.sectors == 2);
    CHECK(c.lines[0].bytes[0] == 0xf0000000u);
    CHECK(c.lines[0].bytes[1] == 0x0000000fu);
    CHECK(c.lines[0].lanes == 1);
  }
  SECTION("two lines") {
    Coalesced c = lines_of(
        16, [](int) { return 120; }, 1);
    REQUIRE(c.count == 2);
    CHECK(c.sectors == 2);
    CHECK(c.lines[0].sectors == 0b1000);
    CHECK(c.lines[1].sectors == 0b0001);
    CHECK(c.lines[0].lanes == 1);
    CHECK(c.lines[1].lanes == 0);
  }
  SECTION("32 lanes that all straddle a line: 64 lines") {
    Coalesced c = lines_of(16, [](int i) { return 256 * i + 120u; });
    CHECK(c.count == 64);
    CHECK(c.sectors == 64);
  }
}

TEST_CASE("only the lanes of the mask count") {
  CHECK(lines_of(
            4, [](int i) { return 128u * i; }, 0)
            .count == 0);
  Coalesced c = lines_of(
      4, [](int i) { return 128u * i; }, 0x80000001u);
  REQUIRE(c.count == 2);
  CHECK(c.lines[0].line == 0);
  CHECK(c.lines[1].line == 31);
  CHECK(c.sectors == 2);
}

TEST_CASE("lines come in the order of the first lane that touches them, each once") {
  // Lanes alternate between lines 9 and 3.
  Coalesced c = lines_of(4, [](int i) { return (i % 2 ? 3 : 9) * 128u + 4 * i; });
  REQUIRE(c.count == 2);
  CHECK(c.lines[0].line == 9);
  CHECK(c.lines[1].line == 3);
  CHECK(c.lines[0].lanes == 16);
  CHECK(c.lines[1].lanes == 16);
}

TEST_CASE("a whole sector is written when its 32 byte bits are set") {
  Coalesced c = lines_of(1, [](int i) { return uint64_t(i); });
  REQUIRE(c.count == 1);
  CHECK(c.lines[0].bytes[0] == ~0u);
  CHECK(c.lines[0].bytes[1] == 0);
}

TEST_CASE("passes of atomics over the sectors of a line: lanes that meet in a word need one each") {
  auto passes = [](const std::function<uint64_t(int)>& address, uint64_t line = 0, uint32_t mask = ~0u) {
    uint64_t addr[32] = {};
    for (int lane = 0; lane < 32; ++lane) {
      addr[lane] = address(lane);
    }
    return int{sector_operations(addr, mask, line)};
  };
  CHECK(passes([](int i) { return 4u * i; }) == 4);          // one pass for each sector
  CHECK(passes([](int) { return 0; }) == 32);                // all on one word
  CHECK(passes([](int i) { return 4u * (i % 8); }) == 4);    // a sector, four lanes on each word
  CHECK(passes([](int i) { return 32u * (i % 4); }) == 32);  // a word of each sector, eight lanes each
  CHECK(passes([](int i) { return i < 3 ? 0u : 64u + 4 * (i % 8); }) == 3 + 4);
  CHECK(passes([](int i) { return 128u * i; }, 5) == 1);  // other lines do not count
  CHECK(passes([](int i) { return 128u * i; }, 40) == 0);
  CHECK(passes([](int) { return 0; }, 0, 0xff) == 8);
}

TEST_CASE(
    "a request has room for the 128 lines of a 128-bit local access with every word in a line of its own") {
  CHECK(Coalesced{}.lines.size() == 4 * 32);
}

}  // namespace
}  // namespace heddle::memory
