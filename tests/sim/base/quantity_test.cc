// A number of one unit does not get among those of another.
#include "sim/base/quantity.h"

#include <catch2/catch.hpp>
#include <type_traits>
#include <unordered_set>

namespace heddle {
namespace {

using Apples = Quantity<struct ApplesTag>;
using Pears = Quantity<struct PearsTag>;

template <class A, class B>
concept Adds = requires(A a, B b) { a + b; };
template <class A, class B>
concept Subtracts = requires(A a, B b) { a - b; };
template <class A, class B>
concept Multiplies = requires(A a, B b) { a* b; };
template <class A, class B>
concept Divides = requires(A a, B b) { a / b; };
template <class A, class B>
concept Compares = requires(A a, B b) { a < b; } || requires(A a, B b) { a == b; };
template <class A, class B>
concept Accumulates = requires(A a, B b) { a += b; } || requires(A a, B b) { a -= b; };

// Of two units, or of a unit and a mere number.
template <class A, class B>
constexpr bool kApart =
    !Adds<A, B> && !Adds<B, A> && !Subtracts<A, B> && !Subtracts<B, A> && !Compares<A, B> &&
    !Compares<B, A> && !Accumulates<A, B> && !Accumulates<B, A> && !std::is_convertible_v<A, B> &&
    !std::is_convertible_v<B, A> && !std::is_assignable_v<A&, B> && !std::is_assignable_v<B&, A>;

static_assert(kApart<Apples, Pears>);
static_assert(kApart<Apples, uint64_t>);
static_assert(kApart<Apples, int>);
static_assert(kApart<Apples, double>);
static_assert(!std::is_constructible_v<Apples, Pears>);
static_assert(!std::is_constructible_v<Apples, double>);  // truncated() says what becomes of the fraction
static_assert(!Divides<Apples, Pears> && !Divides<uint64_t, Apples>);
static_assert(!Multiplies<Apples, Apples> && !Multiplies<Apples, double>);
// And the concepts see what is there.
static_assert(Adds<Apples, Apples> && Subtracts<Apples, Apples> && Compares<Apples, Apples> &&
              Accumulates<Apples, Apples>);
static_assert(Multiplies<Apples, int> && Multiplies<uint32_t, Apples> && Divides<Apples, int>);
static_assert(std::is_same_v<decltype(Apples(6) / Apples(3)), uint64_t>);
static_assert(std::is_same_v<decltype(Apples(6) / 3), Apples>);

// It costs what its number costs.
static_assert(sizeof(Apples) == sizeof(uint64_t) && alignof(Apples) == alignof(uint64_t));
static_assert(std::is_trivially_copyable_v<Apples> && std::is_trivially_destructible_v<Apples>);

TEST_CASE("a quantity counts as its number does") {
  CHECK(Apples().count() == 0);
  CHECK(Apples(5) + Apples(2) == Apples(7));
  CHECK(Apples(5) - Apples(2) == Apples(3));
  CHECK(Apples(5) * 3 == Apples(15));
  CHECK(3 * Apples(5) == Apples(15));
  CHECK(Apples(17) / 5 == Apples(3));
  CHECK(Apples(17) / Apples(5) == 3);
  CHECK(Apples(17) % Apples(5) == Apples(2));
  CHECK(Apples(2) < Apples(3));
  CHECK(Apples::max().count() == ~uint64_t{0});
  CHECK(Apples::truncated(2.9) == Apples(2));
  Apples a(4);
  a += Apples(3);
  a -= Apples(1);
  CHECK(++a == Apples(7));
}

TEST_CASE("quantities are keys, and tests print them as numbers") {
  CHECK(std::unordered_set<Apples>{Apples(1), Apples(2), Apples(1)}.size() == 2);
  CHECK(Catch::Detail::stringify(Apples(12)) == "12");
}

}  // namespace
}  // namespace heddle
