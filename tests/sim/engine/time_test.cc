// Cycles, ticks and Server.
#include "sim/engine/time.h"

#include <catch2/catch.hpp>

namespace heddle {
namespace {

TEST_CASE("a core cycle has 256 ticks, and part of a cycle counts as a whole one") {
  CHECK(to_ticks(0) == 0);
  CHECK(to_ticks(3) == 768);
  CHECK(to_cycles_up(0) == 0);
  CHECK(to_cycles_up(1) == 1);
  CHECK(to_cycles_up(256) == 1);
  CHECK(to_cycles_up(257) == 2);
  for (Cycle c : {1u, 2u, 1000u, 123456789u}) {
    CHECK(to_cycles_up(to_ticks(c)) == c);
    CHECK(to_cycles_up(to_ticks(c) + 1) == c + 1);
  }
}

TEST_CASE("cycles of another clock become ticks, to the nearest tick") {
  CHECK(domain_ticks(1, 1000, 1000) == 256);
  CHECK(domain_ticks(1, 500, 1000) == 512);  // a slow clock's cycle is long
  CHECK(domain_ticks(1, 2000, 1000) == 128);
  CHECK(domain_ticks(0.5, 1000, 1000) == 128);
  CHECK(domain_ticks(1, 1500, 1000) == 171);     // 170.67
  CHECK(domain_ticks(60, 1670, 1980) == 18211);  // 60 x 1980 / 1670 x 256 = 18211.3
  CHECK(domain_ticks(0, 1670, 1980) == 0);
}

TEST_CASE("a server takes one request after the other in the order of the calls") {
  Server s;
  CHECK(s.reserve(100, 10) == 110);
  CHECK(s.reserve(100, 10) == 120);
  CHECK(s.reserve(90, 5) == 125);    // an earlier arrival never overtakes
  CHECK(s.reserve(200, 10) == 210);  // idle in between
  CHECK(s.reserve(210, 0) == 210);
  CHECK(s.free_at() == 210);
  s.reset();
  CHECK(s.free_at() == 0);
  CHECK(s.reserve(0, 1) == 1);
}

}  // namespace
}  // namespace heddle
