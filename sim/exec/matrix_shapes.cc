#include "sim/exec/matrix_shapes.h"

namespace heddle::exec::matrix {
namespace {

constexpr int32_t kAlignedBits = 25;      // of Hopper's tensor cores
constexpr int32_t kAlignedBitsOfE8 = 13;  // 8-bit floating point of wgmma

bool is_8_bit_float(Element e) { return e == Element::kE4m3 || e == Element::kE5m2; }

}  // namespace

Fragment factor(Element e, uint32_t rows, uint32_t k, bool rows_first) {
  Fragment f;
  f.rows_first = rows_first;
  f.bits = static_cast<uint8_t>(bits_of(e));
  f.per_cell = static_cast<uint8_t>(f.per_register());
  f.rows = static_cast<uint16_t>(rows);
  f.cols = static_cast<uint16_t>(e == Element::kB1 ? k / 32 : k);
  return f;
}

Fragment sums(Element e, uint32_t rows, uint32_t cols) {
  Fragment f;
  f.bits = static_cast<uint8_t>(bits_of(e));
  f.per_cell = 2;
  f.rows = static_cast<uint16_t>(rows);
  f.cols = static_cast<uint16_t>(cols);
  return f;
}

void shape_mma(MatrixOp& m, uint32_t k, bool sparse) {
  Product& p = m.product;
  m.picks = p.a;
  m.widened = is_8_bit_float(p.a);
  p.path = m.widened ? Path::kHalves : Path::kFused;
  p.aligned_fraction = kAlignedBits;
  m.a.fragment = factor(p.a, p.m, sparse ? k / 2 : k, true);
  m.b.fragment = factor(p.b, p.n, k, false);
  m.c.fragment = sums(p.c, p.m, p.n);
  m.d.fragment = sums(p.d, p.m, p.n);
}

void shape_wgmma(MatrixOp& m, uint32_t k, bool sparse) {
  constexpr uint16_t kRows = 16;
  Product& p = m.product;
  p.m = kRows;
  m.picks = p.a;
  p.aligned_fraction = is_8_bit_float(p.a) ? kAlignedBitsOfE8 : kAlignedBits;
  p.result_fraction = is_8_bit_float(p.a) ? kAlignedBitsOfE8 : 23;
  m.a.fragment = factor(p.a, kRows, sparse ? k / 2 : k, true);
  m.b.fragment = factor(p.b, p.n, k, false);
  m.c.fragment = m.d.fragment = sums(p.d, kRows, p.n);
}

}  // namespace heddle::exec::matrix
