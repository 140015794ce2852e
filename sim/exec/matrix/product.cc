#include "sim/exec/matrix/product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "sim/exec/arith/fast_float.h"
#include "sim/exec/matrix/double_chain.h"
#include "sim/exec/matrix/fused_sum.h"
#include "sim/exec/matrix/quad_chain.h"
#include "sim/exec/matrix/unpacked.h"

namespace heddle::exec::matrix {
namespace {

// The place of element k of a row whose halves of four come one after the other.
uint32_t halved(uint32_t k, uint32_t cols) { return (k & 2) / 2 * (cols / 2) + k / 4 * 2 + k % 2; }

// An operand taken apart, row after row.
struct Parts {
  std::vector<double> values;
  std::vector<float> exponents;
  std::vector<Unpacked> whole;
  std::vector<bool> finite;  // of each row
  uint32_t cols = 0;

  Parts(const Words& w, Element e, bool negate, Path path, const std::vector<int32_t>* scales)
      : finite(w.rows, true), cols(w.cols) {
    const size_t count = w.bits.size();
    values.resize(count);
    exponents.resize(count);
    whole.resize(count);
    with_float(e, [&](auto element) { take<element.value>(w, negate, path, scales); });
  }

 private:
  template <Element kElement>
  void take(const Words& w, bool negate, Path path, const std::vector<int32_t>* scales) {
    constexpr int32_t kFraction = layout_of(kElement).fraction_bits;
    for (size_t i = 0; i < w.bits.size(); ++i) {
      Unpacked x = unpack_as<kElement>(w.bits[i]);
      x.significand = negate ? -x.significand : x.significand;
      if (scales != nullptr) {
        const int32_t scale = (*scales)[i / cols];
        x.exponent += scale;
        x.kind = scale == kNanScale ? Unpacked::Kind::kNan : x.kind;
      }
      const size_t at = path == Path::kHalves ? i / cols * cols + halved(i % cols, cols) : i;
      whole[at] = x;
      exponents[at] = static_cast<float>(x.exponent);
      values[at] = x.significand == 0 || x.kind != Unpacked::Kind::kFinite
                       ? 0
                       : x.significand * power_of_two(x.exponent - kFraction);
      if (x.kind != Unpacked::Kind::kFinite) {
        finite[i / cols] = false;
      }
    }
  }
};

// What a sum with NaN or infinities is: 0 for NaN, otherwise the sign.
class Extremes {
 public:
  void add(const Unpacked& x) {
    nan_ |= x.kind == Unpacked::Kind::kNan;
    if (x.kind == Unpacked::Kind::kInfinite) {
      (x.significand < 0 ? negative_ : positive_) = true;
    }
  }
  void add(const Unpacked& x, const Unpacked& y) {
    using Kind = Unpacked::Kind;
    const bool infinite = x.kind == Kind::kInfinite || y.kind == Kind::kInfinite;
    nan_ |= x.kind == Kind::kNan || y.kind == Kind::kNan;
    if (infinite) {
      nan_ |= x.significand == 0 || y.significand == 0;
      ((x.significand < 0) != (y.significand < 0) ? negative_ : positive_) = true;
    }
  }
  bool any() const { return nan_ || positive_ || negative_; }
  uint64_t result(Element d) const {
    const bool nan = nan_ || (positive_ && negative_);
    if (d == Element::kF16) {
      return nan ? 0x7fff : negative_ ? 0xfc00 : 0x7c00;
    }
    return nan ? 0x7fffffff : negative_ ? 0xff800000 : 0x7f800000;
  }

 private:
  bool nan_ = false, positive_ = false, negative_ = false;
};

// wmma of old versions: infinities become the largest number, NaN zero (CUDA guide, mma_sync).
uint64_t made_finite(uint64_t bits, Element d) {
  const uint64_t infinity = d == Element::kF16 ? 0x7c00 : 0x7f800000;
  const uint64_t sign = d == Element::kF16 ? 0x8000 : 0x80000000;
  const uint64_t magnitude = bits & (sign - 1);
  return magnitude > infinity ? 0 : magnitude == infinity ? bits - 1 : bits;
}

// One row of a with one of b.
class FloatDot {
 public:
  FloatDot(const Product& p, uint32_t cols)
      : p_(p),
        // f16 of an f32 addend: a step with an f32 result, which is rounded again.
        inner_(p.c == Element::kF32 ? Element::kF32 : p.d),
        cols_(cols),
        halves_(p.path == Path::kHalves) {}

  uint64_t operator()(const Parts& a, size_t a_at, const Parts& b, size_t b_at, bool finite,
                      const uint64_t addend) const {
    const uint32_t count = halves_ ? cols_ / 2 : cols_;
    Element type = p_.c;
    uint64_t c = halves_ ? 0 : addend;
    for (uint32_t k = 0; k < cols_; k += count) {
      const Unpacked first =
          type == Element::kF32 ? unpack_as<Element::kF32>(c) : unpack_as<Element::kF16>(c);
      if (!finite || first.kind != Unpacked::Kind::kFinite) {
        Extremes extremes;
        extremes.add(first);
        for (uint32_t i = 0; i < count; ++i) {
          extremes.add(a.whole[a_at + k + i], b.whole[b_at + k + i]);
        }
        if (extremes.any()) {
          c = extremes.result(inner_);
          type = inner_;
          continue;
        }
      }
      const Sum sum = fused_sum({a.values.data() + a_at + k, a.exponents.data() + a_at + k},
                                {b.values.data() + b_at + k, b.exponents.data() + b_at + k}, count, first,
                                layout_of(type).fraction_bits, p_.aligned_fraction);
      c = inner_ == Element::kF16 ? nearest_f16(sum) : truncated_f32(sum, p_.result_fraction);
      type = inner_;
    }
    if (halves_) {
      c = added(c, addend);
    }
    if (inner_ != p_.d) {
      c = narrowed(c);
    }
    return p_.satfinite ? made_finite(c, p_.d) : c;
  }

 private:
  // By an addition of its own, to nearest.
  uint64_t added(uint64_t sum, uint64_t c) const {
    if (inner_ == Element::kF16) {  // exact in double
      return arith::double_to_half<arith::kF16Format>(arith::half_to_double<arith::kF16Format>(sum) +
                                                      arith::half_to_double<arith::kF16Format>(c));
    }
    const float r =
        std::bit_cast<float>(static_cast<uint32_t>(sum)) + std::bit_cast<float>(static_cast<uint32_t>(c));
    return std::isnan(r) ? arith::kF32Format.nan : std::bit_cast<uint32_t>(r);
  }
  static uint64_t narrowed(uint64_t f32) {
    const Unpacked x = unpack(Element::kF32, f32);
    if (x.kind != Unpacked::Kind::kFinite) {
      Extremes extremes;
      extremes.add(x);
      return extremes.result(Element::kF16);
    }
    return nearest_f16({x.significand, x.exponent - 23});
  }

  const Product& p_;
  const Element inner_;
  const uint32_t cols_;
  const bool halves_;
};

int32_t whole_number(Element e, uint64_t bits) {
  switch (e) {
    case Element::kS8:
      return static_cast<int8_t>(bits);
    case Element::kS4:
      return static_cast<int8_t>(bits << 4) >> 4;
    default:
      return static_cast<int32_t>(bits);
  }
}

std::vector<int16_t> whole_numbers(Element e, const Words& w) {
  std::vector<int16_t> out(w.bits.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<int16_t>(whole_number(e, w.bits[i]));
  }
  return out;
}

int32_t dot_of_whole(const int16_t* a, const int16_t* b, uint32_t count) {
  int32_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

int32_t dot_of_bits(bool conjunction, const uint64_t* a, const uint64_t* b, uint32_t count) {
  int32_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    sum += std::popcount(conjunction ? a[i] & b[i] : a[i] ^ b[i]);
  }
  return sum;
}

uint64_t added(const Product& p, int64_t sum, uint64_t c) {
  sum += static_cast<int32_t>(c);
  if (p.satfinite) {
    sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
  }
  return static_cast<uint32_t>(sum);
}

// f(row of a, row of b, row and column of c) for each element of all blocks.
template <class F>
void for_results(const Product& p, F f) {
  for (uint32_t row = 0; row < uint32_t{p.m} * p.blocks; ++row) {
    for (uint32_t col = 0; col < p.n; ++col) {
      f(row, row / p.m * p.n + col, col);
    }
  }
}

void multiply_dense(const Product& p, const Factorised& x, Words& d) {
  if (p.a == Element::kF64) {
    double_chain(p, x, d);
    return;
  }
  if (p.path == Path::kQuads) {
    quad_chain(p, x, d);
    return;
  }
  if (p.a == Element::kB1) {
    for_results(p, [&](uint32_t row, uint32_t b_row, uint32_t col) {
      const int32_t sum = dot_of_bits(p.conjunction, x.a.row(row), x.b.row(b_row), x.a.cols);
      d.row(row)[col] = added(p, sum, x.c.row(row)[col]);
    });
    return;
  }
  if (is_whole(p.a)) {
    const std::vector<int16_t> a = whole_numbers(p.a, x.a), b = whole_numbers(p.b, x.b);
    for_results(p, [&](uint32_t row, uint32_t b_row, uint32_t col) {
      const int32_t sum =
          dot_of_whole(a.data() + size_t{row} * x.a.cols, b.data() + size_t{b_row} * x.b.cols, x.a.cols);
      d.row(row)[col] = added(p, sum, x.c.row(row)[col]);
    });
    return;
  }
  const Parts a(x.a, p.a, p.negate_a, p.path, x.scale_a);
  const Parts b(x.b, p.b, p.negate_b, p.path, x.scale_b);
  const FloatDot dot(p, x.a.cols);
  for_results(p, [&](uint32_t row, uint32_t b_row, uint32_t col) {
    d.row(row)[col] = dot(a, size_t{row} * a.cols, b, size_t{b_row} * b.cols,
                          a.finite[row] && b.finite[b_row], x.c.row(row)[col]);
  });
}

}  // namespace

void multiply(const Product& p, const Factorised& x, Words& d) {
  d.resize(uint32_t{p.m} * p.blocks, p.n);
  if (x.picked == nullptr) {
    multiply_dense(p, x, d);
    return;
  }
  // Each row of A meets its own elements of B.
  Product one = p;
  one.m = 1;
  Words a(1, x.a.cols), b(p.n, x.a.cols), c(1, p.n), result(1, p.n);
  for (uint32_t row = 0; row < p.m; ++row) {
    const uint16_t* picked = x.picked->data() + size_t{row} * x.a.cols;
    std::copy_n(x.a.row(row), x.a.cols, a.row(0));
    std::copy_n(x.c.row(row), p.n, c.row(0));
    for (uint32_t col = 0; col < p.n; ++col) {
      for (uint32_t k = 0; k < x.a.cols; ++k) {
        b.row(col)[k] = x.b.row(col)[picked[k]];
      }
    }
    multiply_dense(one, {a, b, c}, result);
    std::copy_n(result.row(0), p.n, d.row(row));
  }
}

}  // namespace heddle::exec::matrix
