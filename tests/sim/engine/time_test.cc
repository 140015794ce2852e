// Cycles, ticks and Server.
#include "sim/engine/time.h"

#include <catch2/catch.hpp>
#include <type_traits>

namespace heddle {
namespace {

template <class A, class B>
concept Mix = requires(A a, B b) { a + b; } || requires(A a, B b) { a < b; };
static_assert(Mix<Ticks, Ticks> && Mix<Cycle, Cycle>);
static_assert(!Mix<Ticks, Cycle> && !Mix<Cycle, Ticks>);
static_assert(!std::is_convertible_v<Ticks, Cycle> && !std::is_convertible_v<Cycle, Ticks>);

TEST_CASE("a core cycle has 256 ticks, and part of a cycle counts as a whole one") {
  CHECK(to_ticks(0) == Ticks(0));
  CHECK(to_ticks(3) == Ticks(768));
  CHECK(to_cycles_up(Ticks(0)) == 0);
  CHECK(to_cycles_up(Ticks(1)) == 1);
  CHECK(to_cycles_up(Ticks(256)) == 1);
  CHECK(to_cycles_up(Ticks(257)) == 2);
  for (Cycle c : {1u, 2u, 1000u, 123456789u}) {
    CHECK(to_cycles_up(to_ticks(c)) == c);
    CHECK(to_cycles_up(to_ticks(c) + Ticks(1)) == c + 1);
  }
}

TEST_CASE("cycles of another clock become ticks, to the nearest tick") {
  CHECK(domain_ticks(1, 1000, 1000) == Ticks(256));
  CHECK(domain_ticks(1, 500, 1000) == Ticks(512));  // a slow clock's cycle is long
  CHECK(domain_ticks(1, 2000, 1000) == Ticks(128));
  CHECK(domain_ticks(0.5, 1000, 1000) == Ticks(128));
  CHECK(domain_ticks(1, 1500, 1000) == Ticks(171));     // 170.67
  CHECK(domain_ticks(60, 1670, 1980) == Ticks(18211));  // 60 x 1980 / 1670 x 256 = 18211.3
  CHECK(domain_ticks(0, 1670, 1980) == Ticks(0));
}

TEST_CASE("a server takes one request after the other in the order of the calls") {
  Server s;
  CHECK(s.reserve(Ticks(100), Ticks(10)) == Ticks(110));
  CHECK(s.reserve(Ticks(100), Ticks(10)) == Ticks(120));
  CHECK(s.reserve(Ticks(90), Ticks(5)) == Ticks(125));    // an earlier arrival never overtakes
  CHECK(s.reserve(Ticks(200), Ticks(10)) == Ticks(210));  // idle in between
  CHECK(s.reserve(Ticks(210), Ticks(0)) == Ticks(210));
  CHECK(s.free_at() == Ticks(210));
  s.reset();
  CHECK(s.free_at() == Ticks(0));
  CHECK(s.reserve(Ticks(0), Ticks(1)) == Ticks(1));
}

}  // namespace
}  // namespace heddle
