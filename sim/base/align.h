// Whole units.
#pragma once

#include <concepts>
#include <type_traits>

namespace heddle {

// How many units of `unit` hold `n`. Neither is checked for overflow; `unit` is not 0.
template <std::unsigned_integral T>
constexpr T divide_up(T n, std::type_identity_t<T> unit) {
  return (n + unit - 1) / unit;
}

// The smallest multiple of `unit` that is not below `n`.
template <std::unsigned_integral T>
constexpr T round_up(T n, std::type_identity_t<T> unit) {
  return divide_up(n, unit) * unit;
}

}  // namespace heddle
