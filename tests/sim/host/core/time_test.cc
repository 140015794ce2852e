// Picoseconds of the host model: a type of their own.
#include "sim/host/program/time.h"

#include <catch2/catch.hpp>
#include <type_traits>

#include "sim/engine/time.h"

namespace heddle::host {
namespace {

template <class A, class B>
concept Mix = requires(A a, B b) { a + b; } || requires(A a, B b) { a < b; };
static_assert(Mix<Ps, Ps>);
static_assert(!Mix<Ps, Ticks> && !Mix<Ps, Cycle> && !Mix<Ps, uint64_t> && !Mix<Ps, double>);
static_assert(!std::is_convertible_v<Ps, Cycle> && !std::is_convertible_v<Cycle, Ps>);
static_assert(!std::is_constructible_v<Ps, Ticks> && !std::is_constructible_v<Ticks, Ps>);

TEST_CASE("nanoseconds and microseconds become picoseconds, to the nearest") {
  CHECK(from_ns(1.5) == Ps(1500));
  CHECK(from_ns(0.0006) == Ps(1));
  CHECK(from_us(2.25) == Ps(2'250'000));
  CHECK(to_us(Ps(2'250'000)) == 2.25);
  CHECK(in_ps(Ps(7)) == 7.0);
}

}  // namespace
}  // namespace heddle::host
