// One machine instruction of compute capability 7.0 to 12.1: 128 bits, of which the upper ones control its
// issue. Where its fields lie was found by comparing the bits of the instructions of our captures with
// nvdisasm's text of them; tests/cubin/data/encodings.tsv has one of each pattern.
#pragma once

#include <cstdint>

namespace heddle::sass {

struct Word {
  uint64_t low = 0, high = 0;

  // `count` bits from `first` on, at most 64.
  uint64_t bits(uint32_t first, uint32_t count) const {
    const uint64_t mask = count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    if (first >= 64) {
      return high >> (first - 64) & mask;
    }
    const uint64_t below = low >> first;
    return (first == 0 ? below : below | high << (64 - first)) & mask;
  }
  int64_t signed_bits(uint32_t first, uint32_t count) const {
    const uint64_t sign = uint64_t{1} << (count - 1);
    return static_cast<int64_t>((bits(first, count) ^ sign) - sign);
  }
  bool bit(uint32_t i) const { return bits(i, 1) != 0; }

  uint32_t opcode() const { return static_cast<uint32_t>(bits(0, 9)); }
  // Of an arithmetic instruction: what stands in the place from bit 32 on, and which source that is.
  uint32_t form() const { return static_cast<uint32_t>(bits(9, 3)); }
};

}  // namespace heddle::sass
