#include "sim/exec/matrix/quad_chain.h"

#include <bit>
#include <cmath>

#include "sim/exec/arith/fast_float.h"

namespace heddle::exec::matrix {
namespace {

float of_half(uint64_t bits) { return static_cast<float>(arith::half_to_double<arith::kF16Format>(bits)); }

struct Quad {
  float a[4], b[4];

  // Products of two f16 are exact in f32, so the sum is a fused multiply-add.
  float onto(float sum, uint32_t k) const { return sum + a[k] * b[k]; }
  float chain() const { return onto(onto(onto(onto(0.0F, 0), 1), 2), 3); }
  float pairs(float c) const { return (c + onto(a[0] * b[0], 1)) + onto(a[2] * b[2], 3); }
};

}  // namespace

void quad_chain(const Product& p, const Factorised& x, Words& d) {
  for (uint32_t row = 0; row < x.a.rows; ++row) {
    for (uint32_t col = 0; col < p.n; ++col) {
      Quad q{};
      for (uint32_t k = 0; k < 4; ++k) {
        q.a[k] = of_half(x.a.row(row)[k]);
        q.b[k] = of_half(x.b.row(row / p.m * p.n + col)[k]);
      }
      const uint64_t c_bits = x.c.row(row)[col];
      const float c =
          p.c == Element::kF16 ? of_half(c_bits) : std::bit_cast<float>(static_cast<uint32_t>(c_bits));
      if (p.d == Element::kF16) {
        d.row(row)[col] = arith::double_to_half<arith::kF16Format>(double{q.pairs(c)});
        continue;
      }
      const float sum = q.chain() + c;
      d.row(row)[col] = std::isnan(sum) ? arith::kF32Format.nan : std::bit_cast<uint32_t>(sum);
    }
  }
}

}  // namespace heddle::exec::matrix
