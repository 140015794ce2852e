#include "sim/exec/matrix/shared_operand.h"

#include <cstring>

namespace heddle::exec::matrix {
namespace {

constexpr uint32_t kAddressBits = (1U << 18) - 1;
constexpr uint32_t kChunk = 16;  // bytes that swizzling keeps together

}  // namespace

Descriptor Descriptor::decode(uint64_t bits) {
  constexpr uint32_t kSwizzles[] = {0, 128, 64, 32};
  const auto field = [&](uint32_t at) { return static_cast<uint32_t>(bits >> at & 0x3fff) << 4; };
  return {field(0), field(16), field(32), static_cast<uint32_t>(bits >> 49 & 7), kSwizzles[bits >> 62]};
}

uint32_t address_of(const Descriptor& d, bool mn_major, uint32_t element_bytes, uint32_t row, uint32_t k) {
  const uint32_t per_chunk = kChunk / element_bytes;
  uint32_t at = d.start;
  if (d.swizzle == 0) {
    at += mn_major ? row % per_chunk * element_bytes + row / per_chunk * d.stride + k % 8 * kChunk +
                         k / 8 * d.leading
                   : row % 8 * kChunk + row / 8 * d.stride + k / per_chunk * d.leading +
                         k % per_chunk * element_bytes;
    return at & kAddressBits;
  }
  const uint32_t per_line = d.swizzle / element_bytes;
  at += mn_major ? row % per_line * element_bytes + row / per_line * d.leading + k % 8 * d.swizzle +
                       k / 8 * d.stride
                 : row % 8 * d.swizzle + row / 8 * d.stride + k % per_line * element_bytes +
                       k / per_line * d.leading;
  // The chunk's number in its line of 32, 64 or 128 bytes is changed by that of the 128 bytes.
  const uint32_t line = (at >> 7) - d.base_offset;
  at ^= (line & (d.swizzle / kChunk - 1)) * kChunk;
  return at & kAddressBits;
}

std::optional<uint32_t> read(const SharedOperand& o, std::span<const uint8_t> shared, uint32_t from,
                             Words& out) {
  out.resize(o.rows, o.cols);
  for (uint32_t r = 0; r < o.rows; ++r) {
    for (uint32_t k = 0; k < o.cols; ++k) {
      const uint32_t address = address_of(o.descriptor, o.mn_major, o.element_bytes, o.first_row + r, k);
      const uint64_t at = uint64_t{address} - from;
      if (address < from || at + o.element_bytes > shared.size()) {
        return address;
      }
      uint64_t bits = 0;
      std::memcpy(&bits, shared.data() + at, o.element_bytes);
      out.row(r)[k] = bits;
    }
  }
  return std::nullopt;
}

}  // namespace heddle::exec::matrix
