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
  CHECK(b.l1.look_up(7, 0b0011).missing == 0b0011);
  const uint32_t load = b.load();
  const uint32_t id = b.l1.wait_for(7, 0b0011, 0b0011, load, true);
  CHECK(b.l1.look_up(7, 0b0111).in_flight == 0b0011);
  CHECK(b.l1.look_up(7, 0b0111).missing == 0b0100);
  CHECK(b.l1.sectors_in_flight() == 2);
  CHECK(b.fill(id, 0b0001).empty());
  CHECK(b.fill(id, 0b0010) == std::vector{load});
  CHECK(b.l1.look_up(7, 0b0111).hit == 0b0011);
  CHECK(b.l1.sectors_in_flight() == 0);
}

TEST_CASE("loads that wait for one miss are complete with it, the newest first") {
  L1Bench b;
  const uint32_t first = b.load(), second = b.load();
  const uint32_t id = b.l1.wait_for(7, 0b0001, 0b0001, first, true);
  CHECK(b.l1.wait_for(7, 0b0001, 0, second, true) == id);
  CHECK(b.fill(id, 0b0001) == std::vector{second, first});
}

TEST_CASE("what is invalidated on its way is not kept") {
  L1Bench b;
  const uint32_t load = b.load();
  const uint32_t id = b.l1.wait_for(7, 0b0001, 0b0001, load, true);
  b.l1.invalidate(7, 0b0001);
  CHECK(b.l1.look_up(7, 0b0001).missing == 0b0001);
  CHECK(b.fill(id, 0b0001) == std::vector{load});
  CHECK(b.l1.look_up(7, 0b0001).hit == 0);
}

}  // namespace
}  // namespace heddle::simtest
