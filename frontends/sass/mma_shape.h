// Matrix shape and element types of a tensor-core instruction, from its opcode text.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::sass {

// All zero when the text names no known shape.
struct MmaShape {
  uint16_t m = 0, n = 0, k = 0;
  uint8_t bits = 0;        // of one A or B element; TF32 counts as 32
  uint8_t acc_bits = 0;    // of one accumulator element
  bool warpgroup = false;  // 128 threads share the matrices (GMMA), else 32
  bool sparse = false;     // A holds half of its k columns
  bool quad_pairs =
      false;  // HMMA.884: four products side by side, of which a .STEPn does a quarter (F32) or half

  // Multiply-adds done: m*n*k, half of that for a sparse A.
  uint32_t work() const { return uint32_t{m} * n * k / (sparse ? 2 : 1); }
  // 32-bit registers a thread holds of A, B and C or D; at least 1 when the shape is known.
  uint8_t a_regs() const;
  uint8_t b_regs() const;
  uint8_t c_regs() const;
};

MmaShape mma_shape(std::string_view opcode);

}  // namespace heddle::sass
