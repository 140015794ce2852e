// A Bandwidth divides time into buckets of `width` ticks. Here a bucket has 100 ticks.
#include "sim/engine/bandwidth.h"

#include <catch2/catch.hpp>
#include <random>

namespace heddle {
namespace {

TEST_CASE("an idle resource serves at once") {
  Bandwidth b(Ticks(100));
  CHECK(b.reserve(Ticks(0), Ticks(30)) == Ticks(30));
  CHECK(b.reserve(Ticks(1000), Ticks(30)) == Ticks(1030));
  CHECK(b.reserve(Ticks(2050), Ticks(30)) == Ticks(2080));
  CHECK(b.reserve(Ticks(5000), Ticks(0)) == Ticks(5000));
}

TEST_CASE("requests that arrive together are served one after the other without a gap") {
  Bandwidth b(Ticks(100));
  for (uint64_t i = 1; i <= 50; ++i) {
    CHECK(b.reserve(Ticks(0), Ticks(30)) == Ticks(30 * i));
  }
}

TEST_CASE("a request longer than a bucket takes the following ones") {
  Bandwidth b(Ticks(100));
  CHECK(b.reserve(Ticks(0), Ticks(250)) == Ticks(250));
  CHECK(b.reserve(Ticks(0), Ticks(100)) == Ticks(350));
  // The first 350 ticks are gone: what arrives at 120 starts at 350.
  CHECK(b.reserve(Ticks(120), Ticks(50)) == Ticks(400));
}

TEST_CASE("a booking far ahead does not delay an earlier arrival") {
  Bandwidth b(Ticks(100));
  CHECK(b.reserve(Ticks(600), Ticks(90)) == Ticks(690));
  CHECK(b.reserve(Ticks(0), Ticks(30)) == Ticks(30));
  CHECK(b.reserve(Ticks(300), Ticks(100)) == Ticks(400));
  // 580 finds 20 ticks in its bucket... the whole bucket is free, so 40 ticks fit before 600.
  CHECK(b.reserve(Ticks(500), Ticks(40)) == Ticks(540));
  // Bucket 600 has 10 ticks left; the other 20 come from bucket 700.
  CHECK(b.reserve(Ticks(600), Ticks(30)) == Ticks(720));
}

TEST_CASE("the order of the calls does not change how much is served by when") {
  // 40 requests of 25 ticks over 1000 ticks, in 20 random orders: the last to finish is done at 1000.
  std::mt19937 rng(7);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Ticks> arrival;
    for (uint64_t i = 0; i < 40; ++i) {
      arrival.push_back(Ticks(i * 25));
    }
    std::shuffle(arrival.begin(), arrival.end(), rng);
    Bandwidth b(Ticks(100));
    Ticks last{};
    for (Ticks a : arrival) {
      Ticks end = b.reserve(a, Ticks(25));
      CHECK(end >= a + Ticks(25));
      CHECK(end <= a + Ticks(100));  // exact to a bucket
      last = std::max(last, end);
    }
    CHECK(last == Ticks(1000));
  }
}

TEST_CASE("a saturated resource falls behind by exactly the excess") {
  // 30 ticks of work every 20 ticks: request i would end at 30 (i + 1).
  Bandwidth b(Ticks(100));
  for (uint64_t i = 0; i < 500; ++i) {
    CHECK(b.reserve(Ticks(20 * i), Ticks(30)) == Ticks(30 * (i + 1)));
  }
}

TEST_CASE("gaps left between full stretches are used") {
  Bandwidth b(Ticks(100));
  CHECK(b.reserve(Ticks(0), Ticks(100)) == Ticks(100));
  CHECK(b.reserve(Ticks(500), Ticks(300)) == Ticks(800));
  // The 400 ticks between them, then the stretch after 800.
  CHECK(b.reserve(Ticks(0), Ticks(450)) == Ticks(850));
  CHECK(b.reserve(Ticks(0), Ticks(50)) == Ticks(900));
}

TEST_CASE("a bucket a whole ring ahead starts empty") {
  Bandwidth b(Ticks(100), 8);
  CHECK(b.reserve(Ticks(0), Ticks(100)) == Ticks(100));
  CHECK(b.reserve(Ticks(800), Ticks(100)) == Ticks(900));  // the same place in the ring
  CHECK(b.reserve(Ticks(800), Ticks(50)) == Ticks(950));
}

// Whoever looks at one of those buckets would find that of a later lap in its place.
TEST_CASE("a stretch that is full is remembered, also one that is longer than the ring") {
  Bandwidth b(Ticks(100), 8);
  CHECK(b.reserve(Ticks(1000), Ticks(2000)) == Ticks(3000));
  CHECK(b.reserve(Ticks(1000), Ticks(50)) == Ticks(3050));
  CHECK(b.reserve(Ticks(2950), Ticks(50)) == Ticks(3100));
  // It grows at its front as at its end.
  CHECK(b.reserve(Ticks(900), Ticks(100)) == Ticks(1000));
  CHECK(b.reserve(Ticks(3000), Ticks(300)) == Ticks(3400));
  CHECK(b.reserve(Ticks(900), Ticks(50)) == Ticks(3450));
}

TEST_CASE("after reset everything is free again") {
  Bandwidth b(Ticks(100));
  b.reserve(Ticks(0), Ticks(1000));
  b.reset();
  CHECK(b.reserve(Ticks(0), Ticks(10)) == Ticks(10));
}

}  // namespace
}  // namespace heddle
