// D = A * B + C as the tensor cores of an H200 calculate it (ptx.md 4.4).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/exec/arith/number.h"
#include "sim/exec/matrix/element.h"

namespace heddle::exec::matrix {

// Of instructions that Hopper does not have, what ptxas (13.0, sm_90a) makes of them; so say the H200's
// results (tests/exec/oracle), too.
enum class Path : uint8_t {
  kFused,   // one step of all K
  kHalves,  // mma of 8-bit floats: as f16, a step of each first half of four elements, a step of the other
            // halves, then C
  kQuads,   // m8n8k4 of f16: quad_chain.h
};

struct Product {
  Element a = Element::kF16, b = Element::kF16, c = Element::kF32, d = Element::kF32;
  uint16_t m = 16, n = 8;
  uint16_t blocks = 1;            // products that lie behind one another in the rows
  int32_t aligned_fraction = 25;  // bits that alignment keeps
  int32_t result_fraction = 23;   // of f32
  Path path = Path::kFused;
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
  // Of block-scaled products: for each row of a and of b the power of two that it is multiplied with, or
  // kNanScale; or null.
  const std::vector<int32_t>* scale_a = nullptr;
  const std::vector<int32_t>* scale_b = nullptr;
};

inline constexpr int32_t kNanScale = 1 << 20;

void multiply(const Product& p, const Factorised& x, Words& d);

}  // namespace heddle::exec::matrix
