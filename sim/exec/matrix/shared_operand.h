// Operands of wgmma in shared memory: what a descriptor says (ptx.md 4.5).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sim/exec/matrix/element.h"

namespace heddle::exec::matrix {

// Addresses and distances in bytes.
struct Descriptor {
  uint32_t start = 0;
  uint32_t leading = 0;
  uint32_t stride = 0;
  uint32_t base_offset = 0;  // rows of 128 bytes that the pattern begins behind its boundary
  uint32_t swizzle = 0;      // 0: none; 32, 64, 128

  static Descriptor decode(uint64_t bits);
};

// Where element (row, k) lies in shared memory. `row` counts along M or N; `mn_major`: elements that are
// neighbours lie in the same column k, not in the same row.
uint32_t address_of(const Descriptor& d, bool mn_major, uint32_t element_bytes, uint32_t row, uint32_t k);

// Which rows are wanted of a matrix in shared memory.
struct SharedOperand {
  Descriptor descriptor;
  bool mn_major = false;
  uint32_t element_bytes = 2;
  uint32_t first_row = 0, rows = 64, cols = 16;
};

// `shared`: from address `from` on. When an element is not in it: its address, and nothing is read.
std::optional<uint32_t> read(const SharedOperand& o, std::span<const uint8_t> shared, uint32_t from,
                             Words& out);

}  // namespace heddle::exec::matrix
