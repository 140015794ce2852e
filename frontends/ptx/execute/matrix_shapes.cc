#include "frontends/ptx/execute/matrix_shapes.h"

#include <algorithm>

#include "sim/exec/matrix_shapes.h"

namespace heddle::ptx {
namespace {

using exec::MatrixOp;
using exec::matrix::bits_of;
using exec::matrix::Element;
using exec::matrix::factor;
using exec::matrix::Fragment;
using exec::matrix::Path;
using exec::matrix::Product;
using exec::matrix::sums;

Element element_of(Type t) {
  switch (t) {
    case Type::kF16:
      return Element::kF16;
    case Type::kBf16:
      return Element::kBf16;
    case Type::kTf32:
      return Element::kTf32;
    case Type::kF64:
      return Element::kF64;
    case Type::kE4m3:
      return Element::kE4m3;
    case Type::kE5m2:
      return Element::kE5m2;
    case Type::kS32:
      return Element::kS32;
    case Type::kS8:
      return Element::kS8;
    case Type::kU8:
      return Element::kU8;
    case Type::kS4:
      return Element::kS4;
    case Type::kU4:
      return Element::kU4;
    case Type::kB1:
      return Element::kB1;
    default:
      return Element::kF32;
  }
}

// m8n8k4 of f16: four products.
Fragment quads(Fragment::Kind kind, Element e, uint32_t cols) {
  Fragment f;
  f.kind = kind;
  f.bits = static_cast<uint8_t>(bits_of(e));
  f.rows = 32;
  f.cols = static_cast<uint16_t>(cols);
  return f;
}

Fragment quad_sums(Element e) {
  return quads(e == Element::kF16 ? Fragment::Kind::kQuadRows : Fragment::Kind::kQuadSums, e, 8);
}

void shape_of_quads(const Op& op, MatrixOp& m) {
  Product& p = m.product;
  p.m = 8;
  p.blocks = 4;
  p.path = Path::kQuads;
  const auto kind = [](bool by_row) {
    return by_row ? Fragment::Kind::kQuadRows : Fragment::Kind::kQuadColumns;
  };
  m.a.fragment = quads(kind(op.layout_a == Layout::kRow), p.a, 4);
  m.b.fragment = quads(kind(op.layout_b == Layout::kCol), p.b, 4);
  m.c.fragment = quad_sums(p.c);
  m.d.fragment = quad_sums(p.d);
}

// wmma of f16 names the types of D and C only.
void types_of(const Op& op, Product& p) {
  const bool halves = op.type_count == 2;
  p.d = element_of(op.types[0]);
  p.a = halves ? Element::kF16 : element_of(op.types[1]);
  p.b = halves ? Element::kF16 : element_of(op.types[2]);
  p.c = element_of(op.types[halves ? 1 : 3]);
}

}  // namespace

uint32_t element_bits(Type type) {
  const Element e = element_of(type);
  return e == Element::kB1 ? 1 : bits_of(e);
}

bool is_float_product(const Product& p) { return !exec::matrix::is_whole(p.a); }

Fragment wmma_fragment(const Op& op) {
  const Shape s = op.shape;
  const Element e = element_of(op.type());
  Fragment f;
  if (op.opcode == Opcode::kWmmaLoadA || op.opcode == Opcode::kWmmaLoadB) {
    const bool a = op.opcode == Opcode::kWmmaLoadA;
    f = factor(e, a ? s.m : s.n, s.k, a);
  } else {
    f = sums(e, s.m, s.n);
  }
  if (f.bits < 8) {
    f.cols = static_cast<uint16_t>(f.cols / f.per_register());
    f.bits = 32;
    f.per_cell = 1;
  }
  return f;
}

bool shape_of_mma(const Op& op, MatrixOp& m) {
  const Shape s = op.shape;
  Product& p = m.product;
  types_of(op, p);
  p.m = s.m;
  p.n = s.n;
  p.satfinite = op.has(Flag::kSatfinite);
  p.conjunction = op.combine == Combine::kAnd;
  exec::matrix::shape_mma(m, s.k, op.opcode == Opcode::kMmaSp);
  if (op.opcode == Opcode::kMma && s == Shape{8, 8, 4} && p.a == Element::kF16) {
    shape_of_quads(op, m);
    return true;
  }
  const auto enough = [](const MatrixOp::Operand& o) { return o.slots.size() >= o.fragment.registers(); };
  return enough(m.a) && enough(m.b) && enough(m.c) && enough(m.d);
}

void shape_of_wgmma(const Op& op, MatrixOp& m) {
  const Shape s = op.shape;
  Product& p = m.product;
  p.d = p.c = element_of(op.types[0]);
  p.a = element_of(op.types[1]);
  p.b = element_of(op.types[2]);
  p.n = s.n;
  p.satfinite = op.has(Flag::kSatfinite);
  p.conjunction = op.combine == Combine::kAnd;
  exec::matrix::shape_wgmma(m, s.k, op.opcode == Opcode::kWgmmaMmaAsyncSp);
}

}  // namespace heddle::ptx
