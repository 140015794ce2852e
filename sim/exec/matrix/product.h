// D = A * B + C as the tensor cores of an H200 calculate it (ptx.md 4.4).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/exec/arith/number.h"
#include "sim/exec/matrix/element.h"

namespace heddle::exec::matrix {

struct Product {
  Element a = Element::kF16, b = Element::kF16, c = Element::kF32, d = Element::kF32;
  uint16_t m = 16, n = 8;
  uint16_t blocks = 1;            // products that lie behind one another in the rows
  int32_t aligned_fraction = 25;  // bits that alignment keeps
  int32_t result_fraction = 23;   // of f32
  uint16_t step = 0;              // so many elements of a row at once; 0: all
  bool satfinite = false;
  bool conjunction = false;  // of bits: and, otherwise exclusive or
  bool negate_a = false, negate_b = false;
  arith::Round round = arith::Round::kNearest;  // f64
};

// Rows of `b` are columns of the product.
struct Factorised {
  const Words& a;
  const Words& b;
  const Words& c;
  // Sparse A: its elements' places in the row that they were picked from, or null.
  const std::vector<uint16_t>* picked = nullptr;
};

void multiply(const Product& p, const Factorised& x, Words& d);

}  // namespace heddle::exec::matrix
