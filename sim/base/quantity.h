// Whole numbers of one unit, as a type of their own.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>

namespace heddle {

// Cycles, ticks and picoseconds are all 64-bit numbers, and a sum of two of them compiles when they are only
// names for one. Here each is a type: what is of one unit adds and compares, numbers scale it, and it goes to
// another unit by a function that says so. It is its number in memory and in registers, no more.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  template <std::integral N>
  explicit constexpr Quantity(N n) : n_(static_cast<uint64_t>(n)) {}
  // Without what is behind the point; `x` is not negative.
  static constexpr Quantity truncated(double x) { return Quantity(static_cast<uint64_t>(x)); }
  static constexpr Quantity max() { return Quantity(std::numeric_limits<uint64_t>::max()); }

  constexpr uint64_t count() const { return n_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;

  constexpr Quantity& operator+=(Quantity o) {
    n_ += o.n_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    n_ -= o.n_;
    return *this;
  }
  constexpr Quantity& operator++() {
    ++n_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  template <std::integral N>
  friend constexpr Quantity operator*(Quantity a, N n) {
    return Quantity(a.n_ * static_cast<uint64_t>(n));
  }
  template <std::integral N>
  friend constexpr Quantity operator*(N n, Quantity a) {
    return a * n;
  }
  template <std::integral N>
  friend constexpr Quantity operator/(Quantity a, N n) {
    return Quantity(a.n_ / static_cast<uint64_t>(n));
  }
  // How often one fits into the other, and what is left.
  friend constexpr uint64_t operator/(Quantity a, Quantity b) { return a.n_ / b.n_; }
  friend constexpr Quantity operator%(Quantity a, Quantity b) { return Quantity(a.n_ % b.n_); }

  // For the messages of tests.
  template <class Char>
  friend std::basic_ostream<Char>& operator<<(std::basic_ostream<Char>& out, Quantity q) {
    return out << q.count();
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(n_);
  }

 private:
  uint64_t n_ = 0;
};

}  // namespace heddle

template <class Tag>
struct std::hash<heddle::Quantity<Tag>> {
  size_t operator()(heddle::Quantity<Tag> q) const { return std::hash<uint64_t>{}(q.count()); }
};
