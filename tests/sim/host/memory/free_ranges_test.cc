// Free pieces of address space: taken, given back, joined.
#include <catch2/catch.hpp>

#include "sim/host/memory/device_memory.h"

namespace heddle::host {
namespace {

TEST_CASE("the smallest piece that is large enough, the lowest of equals; the rest stays") {
  FreeRanges f;
  f.add(0, 100);
  f.add(1000, 50);
  f.add(2000, 50);
  CHECK(f.take(60) == 0u);
  CHECK(f.take(40) == 60u);  // what was left of it
  CHECK(f.take(50) == 1000u);
  CHECK(f.take(20) == 2000u);
  CHECK(f.take(30) == 2020u);
  CHECK_FALSE(f.take(1));
}

TEST_CASE("of a piece that is taken whole nothing stays: the piece behind it is given once") {
  FreeRanges f;
  f.add(10000, 1000);
  REQUIRE(f.take(1000) == 10000u);
  f.add(11000, 500);
  CHECK(f.take(500) == 11000u);
  CHECK_FALSE(f.take(500));
  CHECK_FALSE(f.take(1));
  f.add(10000, 500);
  f.add(10500, 500);  // they are one
  CHECK(f.take(1000) == 10000u);
  CHECK_FALSE(f.take(1));
}

TEST_CASE("a range that is taken out of the middle leaves both ends") {
  FreeRanges f;
  f.add(0, 1000);
  f.remove(300, 400);
  CHECK_FALSE(f.take(301));
  CHECK(f.take(300) == 0u);
  CHECK(f.take(300) == 700u);
  CHECK_FALSE(f.take(1));
}

TEST_CASE("neighbours are joined on both sides, but not beyond the bounds") {
  FreeRanges f;
  f.add(0, 100);
  f.add(200, 100);
  f.add(100, 100);
  CHECK(f.take(300) == 0u);
  FreeRanges apart;
  apart.add(0, 100);
  apart.add(200, 100);
  apart.add(100, 100, 100, 200);
  CHECK_FALSE(apart.take(101));
  CHECK(apart.take(100) == 0u);
  CHECK(apart.take(100) == 100u);
  CHECK(apart.take(100) == 200u);
}

}  // namespace
}  // namespace heddle::host
