// The L1's tags, misses and waiting loads alone.
#include "sim/sm/l1/l1_cache.h"

#include <catch2/catch.hpp>

#include "tests/sim/support/unit_bench.h"

namespace heddle::simtest {
namespace {

struct L1Bench {
  L1Bench() : l1(test_gpu().sm().l1()) { l1.reset(32768); }
  uint32_t load() { return l1.add_load({}); }
  // Loads that are complete with these sectors of the answer.
  std::vector<uint32_t> fill(uint32_t id, uint8_t sectors) {
    std::vector<uint32_t> done;
    l1.fill(
        id, sectors, nullptr, [](uint32_t, uint64_t, uint8_t) {}, [&](uint32_t l) { done.push_back(l); });
    return done;
  }
  sm::L1Cache l1;
};

TEST_CASE("sectors are missing, then on their way, then there") {
  L1Bench b;
  CHECK(b.l1.look_up(0, 7, 0b0011).missing == 0b0011);
  const uint32_t load = b.load();
  const uint32_t id = b.l1.wait_for(0, 7, 0b0011, 0b0011, load, true);
  CHECK(b.l1.look_up(0, 7, 0b0111).in_flight == 0b0011);
  CHECK(b.l1.look_up(0, 7, 0b0111).missing == 0b0100);
  CHECK(b.l1.sectors_in_flight() == 2);
  CHECK(b.fill(id, 0b0001).empty());
  CHECK(b.fill(id, 0b0010) == std::vector{load});
  CHECK(b.l1.look_up(0, 7, 0b0111).hit == 0b0011);
  CHECK(b.l1.sectors_in_flight() == 0);
}

TEST_CASE("loads that wait for one miss are complete with it, the newest first") {
  L1Bench b;
  const uint32_t first = b.load(), second = b.load();
  const uint32_t id = b.l1.wait_for(0, 7, 0b0001, 0b0001, first, true);
  CHECK(b.l1.wait_for(0, 7, 0b0001, 0, second, true) == id);
  CHECK(b.fill(id, 0b0001) == std::vector{second, first});
}

TEST_CASE("what is invalidated on its way is not kept") {
  L1Bench b;
  const uint32_t load = b.load();
  const uint32_t id = b.l1.wait_for(0, 7, 0b0001, 0b0001, load, true);
  b.l1.invalidate(7, 0b0001);
  CHECK(b.l1.look_up(0, 7, 0b0001).missing == 0b0001);
  CHECK(b.fill(id, 0b0001) == std::vector{load});
  CHECK(b.l1.look_up(0, 7, 0b0001).hit == 0);
}

TEST_CASE("units have tags of their own; a store in one drops the others' copies") {
  sm::L1Cache l1(test_gpu().sm().l1(), 2);
  l1.reset(32768);
  for (const uint32_t unit : {0u, 1u}) {
    CHECK(l1.look_up(unit, 7, 0b0001).missing == 0b0001);
    const uint32_t id = l1.wait_for(unit, 7, 0b0001, 0b0001, l1.add_load({}), true);
    CHECK(l1.unit_of(id) == unit);
    l1.fill(
        id, 0b0001, nullptr, [](uint32_t, uint64_t, uint8_t) {}, [](uint32_t) {});
    CHECK(l1.look_up(unit, 7, 0b0001).hit == 0b0001);
  }
  CHECK(l1.store(1, 7, 0b0001, 0b0001) == 0b0001);
  CHECK(l1.look_up(0, 7, 0b0001).hit == 0);
  CHECK(l1.look_up(1, 7, 0b0001).hit == 0b0001);
  l1.invalidate(7, 0b0001);
  CHECK(l1.look_up(1, 7, 0b0001).hit == 0);
}

TEST_CASE("each unit has its part of the bytes") {
  // 32 KiB are 256 lines: more of them do not fit into one of two units.
  sm::L1Cache whole(test_gpu().sm().l1()), halves(test_gpu().sm().l1(), 2);
  const auto kept = [](sm::L1Cache& l1) {
    l1.reset(32768);
    uint32_t hits = 0;
    for (uint64_t line = 0; line < 4096; ++line) {
      l1.store(0, line, 0b0001, 0b0001);
    }
    for (uint64_t line = 0; line < 4096; ++line) {
      hits += l1.look_up(0, line, 0b0001).hit != 0 ? 1 : 0;
    }
    return hits;
  };
  CHECK(kept(whole) == 256);
  CHECK(kept(halves) == 128);
}

TEST_CASE("reset() forgets the loads, the misses and the lines that there have been") {
  L1Bench b;
  const uint32_t most = test_gpu().sm().l1().pending_requests();
  for (uint32_t i = 0; i < most; ++i) {
    b.l1.wait_for(0, i, 0b1111, 0b1111, b.load(), true);
  }
  CHECK_FALSE(b.l1.room_for_load());
  CHECK_FALSE(b.l1.room_for_sectors(test_gpu().sm().l1().miss_sectors()));
  b.l1.reset(32768);
  CHECK(b.l1.room_for_load());
  CHECK(b.l1.sectors_in_flight() == 0);
  CHECK(b.l1.look_up(0, 7, 0b1111).missing == 0b1111);
  // It goes on as a new one does, number by number.
  L1Bench fresh;
  for (uint32_t i = 0; i < most; ++i) {
    CHECK(b.l1.room_for_load());
    const uint32_t load = b.load();
    CHECK(load == fresh.load());
    CHECK(b.l1.wait_for(0, i, 0b1111, 0b1111, load, true) ==
          fresh.l1.wait_for(0, i, 0b1111, 0b1111, load, true));
  }
  CHECK_FALSE(b.l1.room_for_load());
}

}  // namespace
}  // namespace heddle::simtest
