// What matrices are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::exec::matrix {

// kB1: 32 bits at once, so a K of 256 bits is 8 elements.
enum class Element : uint8_t {
  // clang-format off
  kF16, kBf16, kTf32, kF32, kF64, kE4m3, kE5m2, kE2m3, kE3m2, kE2m1, kS32, kS8, kU8, kS4, kU4, kB1
  // clang-format on
};

constexpr uint32_t bits_of(Element e) {
  switch (e) {
    case Element::kF64:
      return 64;
    case Element::kF16:
    case Element::kBf16:
      return 16;
    case Element::kE4m3:
    case Element::kE5m2:
    case Element::kS8:
    case Element::kU8:
      return 8;
    case Element::kE2m3:
    case Element::kE3m2:
      return 6;
    case Element::kE2m1:
    case Element::kS4:
    case Element::kU4:
      return 4;
    default:
      return 32;
  }
}

constexpr bool is_whole(Element e) { return e >= Element::kS32; }

// The bits of a matrix's elements, row after row.
struct Words {
  uint32_t rows = 0, cols = 0;
  std::vector<uint64_t> bits;

  Words() = default;
  Words(uint32_t r, uint32_t c) : rows(r), cols(c), bits(std::size_t{r} * c) {}
  void resize(uint32_t r, uint32_t c) {
    rows = r;
    cols = c;
    bits.resize(std::size_t{r} * c);
  }
  uint64_t* row(uint32_t r) { return bits.data() + std::size_t{r} * cols; }
  const uint64_t* row(uint32_t r) const { return bits.data() + std::size_t{r} * cols; }
};

}  // namespace heddle::exec::matrix
