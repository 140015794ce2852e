#include "sim/exec/matrix/sparse.h"

namespace heddle::exec::matrix {
namespace {

constexpr uint32_t kRows = 16;

// A group of whole elements has two of four units, a unit being what two bits name: one element; of tf32 a
// half of one, of 4 bits a pair. So each group has four bits.
uint32_t kept_in_group(Element a) {
  switch (a) {
    case Element::kTf32:
      return 1;
    case Element::kS4:
    case Element::kU4:
      return 4;
    default:
      return 2;
  }
}

// The metadata of one row, four bits a group. Elements of 16 bits and more: a lane has 16 bits of row g in
// its low half and 16 of row g + 8 in its high half, the next lane those of the columns behind. Smaller ones:
// a lane has 32 bits of row g, the next one 32 of row g + 8.
uint64_t row_bits(Element a, uint32_t lanes, const Register& metadata, uint32_t selector, uint32_t row) {
  const uint32_t first = (row & 7) * 4 + selector * lanes;
  const uint32_t half = row >> 3;
  uint64_t out = 0;
  if (bits_of(a) >= 16) {
    for (uint32_t i = 0; i < lanes; ++i) {
      out |= (metadata[first + i] >> 16 * half & 0xffff) << 16 * i;
    }
  } else {
    for (uint32_t i = 0; i < lanes / 2; ++i) {
      out |= (metadata[first + 2 * i + half] & 0xffffffff) << 32 * i;
    }
  }
  return out;
}

}  // namespace

uint32_t metadata_lanes(Element a, uint32_t kept) {
  const uint32_t bits = kRows * kept / kept_in_group(a) * 4;
  return bits / 32 / 8;
}

void find_picked(Element a, uint32_t kept, const Register& metadata, uint32_t selector,
                 std::vector<uint16_t>& picked) {
  picked.resize(size_t{kRows} * kept);
  const uint32_t in_group = kept_in_group(a);
  for (uint32_t row = 0; row < kRows; ++row) {
    const uint64_t bits = row_bits(a, metadata_lanes(a, kept), metadata, selector, row);
    for (uint32_t k = 0; k < kept; ++k) {
      const uint32_t group = k / in_group;
      const auto indices = static_cast<uint32_t>(bits >> 4 * group & 15);
      uint32_t in_row = 0;
      if (in_group == 1) {  // 0100: the first, 1110: the second
        in_row = indices >> 1 & 1;
      } else if (in_group == 2) {
        in_row = indices >> 2 * (k & 1) & 3;
      } else {
        in_row = 2 * (indices >> (k & 2) & 3) + (k & 1);
      }
      picked[row * kept + k] = static_cast<uint16_t>(2 * in_group * group + in_row);
    }
  }
}

}  // namespace heddle::exec::matrix
