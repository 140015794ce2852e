// Proves the test harness itself: Catch2, the case counter and the language level.
#include <bit>
#include <catch2/catch.hpp>
#include <span>
#include <vector>

TEST_CASE("the language level is C++20", "[support]") {
  std::vector<int> v{1, 2, 3};
  CHECK(std::span(v).size() == 3);
  CHECK(std::popcount(7u) == 3);
}
