// Products of matrices: of a warp, of a warp group.
#include "frontends/cubin/execute/translator.h"
#include "sim/exec/matrix/sparse.h"
#include "sim/exec/matrix_shapes.h"

namespace heddle::cubin {
namespace {

using exec::kNoSlot;
using exec::MatrixOp;
using exec::arith::WordOp;
using exec::matrix::Element;

// Of QGMMA the types of both factors are named, in order.
std::vector<Element> elements(Modifiers& mods) {
  constexpr std::pair<Mod, Element> kNames[] = {{Mod::kBF16, Element::kBf16}, {Mod::kTF32, Element::kTf32},
                                                {Mod::kE4M3, Element::kE4m3}, {Mod::kE5M2, Element::kE5m2},
                                                {Mod::kS8, Element::kS8},     {Mod::kU8, Element::kU8},
                                                {Mod::kS4, Element::kS4},     {Mod::kU4, Element::kU4}};
  std::vector<Element> out;
  for (const Mod m : mods) {
    for (const auto& [name, e] : kNames) {
      if (m == name) {
        mods.take(m);
        out.push_back(e);
      }
    }
  }
  return out;
}

}  // namespace

void Translator::move_tile() {
  if (take(Mod::kU4TO8)) {
    return unpack_tile();
  }
  MatrixOp m;
  m.kind = MatrixOp::Kind::kTransposeTile;
  m.d.slots = {destination(op(0))};
  m.a.slots = {source(op(1))};
  emit_matrix(std::move(m));
}

void Translator::emit_matrix(MatrixOp m) {
  emit(exec::Kind::kMatrix).target = static_cast<uint32_t>(out_.code.matrix.size());
  out_.code.matrix.push_back(std::move(m));
}

// MOVM.U4TO8.M832: 8 rows of 32 elements of 4 bits, as mma has them in registers, become 8 rows of 32 of 8
// bits. Which lane gets what is assumed: code that has been seen does it to both factors, and a sum does not
// tell.
void Translator::unpack_tile() {
  namespace words = exec::arith;
  const Slot part = temporary(), lane = temporary(), odd = temporary();
  compute(words::logic_fn(0xc0), lane, kNoSlot, {special(exec::Special::kLaneid), constant(28), constant(0)},
          0, Role::kBefore);
  compute(words::logic_fn(0xc0), part, kNoSlot, {special(exec::Special::kLaneid), constant(3), constant(0)},
          0, Role::kBefore);
  compute(words::logic_fn(0xc0), odd, kNoSlot, {part, constant(1), constant(0)}, 0, Role::kBefore);
  compute(WordOp::kShift, odd, kNoSlot, {odd, constant(4), constant(0)}, 0, Role::kBefore);
  compute(WordOp::kShift, part, kNoSlot, {part, constant(1), constant(0)}, words::kRight, Role::kBefore);
  compute(WordOp::kAdd3, lane, kNoSlot, {lane, part}, 0, Role::kBefore);
  Slot results[2] = {};
  for (uint32_t i = 0; i < 2; ++i) {
    const Slot from = temporary(), t = temporary(), u = temporary();
    compute(WordOp::kAdd3, from, kNoSlot, {lane, constant(uint64_t{2} * i)}, 0, Role::kBefore);
    exec::Inst& in = emit(exec::Kind::kSync, Role::kBefore);
    in.sub = static_cast<uint8_t>(exec::SyncKind::kShflIdx);
    in.d[0] = t;
    const Slot s[3] = {source(op(1)), from, constant(31)};
    std::copy(std::begin(s), std::end(s), out_.code.insts.back().s);
    compute(WordOp::kShift, t, kNoSlot, {t, odd, constant(0)}, words::kRight, Role::kBefore);
    // Four of 4 bits apart from one another: by 8, then by 4.
    for (const auto& [bits, mask] : {std::pair{8U, 0x00ff00ffU}, {4U, 0x0f0f0f0fU}}) {
      if (bits == 8) {
        compute(words::logic_fn(0xc0), t, kNoSlot, {t, constant(0xffff), constant(0)}, 0, Role::kBefore);
      }
      compute(WordOp::kShift, u, kNoSlot, {t, constant(bits), constant(0)}, 0, Role::kBefore);
      compute(words::logic_fn(0xa8), t, kNoSlot, {t, u, constant(mask)}, 0, Role::kBefore);
    }
    results[i] = t;
  }
  compute(WordOp::kCopy, destination(op(0)), kNoSlot, {results[0]});
  compute(WordOp::kCopy, destination(op(0), 1), kNoSlot, {results[1]}, 0, Role::kBehind);
}

Shape Translator::shape() {
  take(Mod::kShape);
  return d_.shape;
}

// So many words of an operand. RZ: zeros.
std::vector<Slot> Translator::matrix_words(const Operand& o, uint32_t words, bool reads) {
  std::vector<Slot> out;
  for (uint32_t i = 0; i < words; ++i) {
    out.push_back(!reads ? destination(o, i) : o.is_zero() ? constant(0) : source(o, i));
  }
  return out;
}

// Which elements of a are kept, from operand `place` on: metadata and, where it has one, the selector.
void Translator::sparsity(MatrixOp& m, size_t place, bool selects) {
  m.metadata = source(op(place));
  const uint64_t selector = selects ? op(place + 1).bits : 0;
  const uint32_t lanes = exec::matrix::metadata_lanes(m.picks, m.a.fragment.cols);
  if (lanes == 0 || selector >= 4 / lanes) {
    missing(lanes == 0 ? "this shape" : "this selector");
  }
  m.selector = static_cast<uint8_t>(selector);
}

// d, a, b, c, [predicate], [metadata, selector]
void Translator::product() {
  const Shape s = shape();
  const std::vector<Element> types = elements(d_.mods);
  const bool sparse = take(Mod::kSP);
  MatrixOp m;
  exec::matrix::Product& p = m.product;
  p.m = static_cast<uint16_t>(s.m);
  p.n = static_cast<uint16_t>(s.n);
  if (name_ == Mnemonic::kHMMA) {
    p.a = p.b = types.empty() ? Element::kF16 : types[0];
    p.c = p.d = take(Mod::kF32) ? Element::kF32 : Element::kF16;
    p.negate_a = op(1).negate;
    p.negate_b = op(2).negate;
  } else if (name_ == Mnemonic::kBMMA) {
    p.a = p.b = Element::kB1;
    p.c = p.d = Element::kS32;
    p.conjunction = true;
  } else {
    if (types.size() != 2) {
      missing();
      return;
    }
    p.a = types[0];
    p.b = types[1];
    const bool floats = name_ == Mnemonic::kQMMA;
    p.c = p.d = !floats ? Element::kS32 : take(Mod::kF32) ? Element::kF32 : Element::kF16;
    p.satfinite = take(Mod::kSAT);
  }
  if (s.k == 0 || count() != (sparse ? 6U : 4U)) {
    missing(s.k == 0 ? "" : "a predicate");
    return;
  }
  exec::matrix::shape_mma(m, s.k, sparse);
  if (name_ == Mnemonic::kQMMA) {  // of its own, not by f16: 25 bits, all K at once (MMA-Sim)
    p.path = exec::matrix::Path::kFused;
    p.aligned_fraction = 25;
    p.result_fraction = 23;
  }
  m.d.slots = matrix_words(op(0), m.d.fragment.registers(), false);
  m.a.slots = matrix_words(op(1), m.a.fragment.registers(), true);
  m.b.slots = matrix_words(op(2), m.b.fragment.registers(), true);
  m.c.slots = matrix_words(op(3), m.c.fragment.registers(), true);
  if (sparse) {
    sparsity(m, 4, true);
  }
  emit_matrix(std::move(m));
}

// Elements of f64 are registers of 64 bits in the executor.
void Translator::double_product() {
  const Shape s = shape();
  MatrixOp m;
  exec::matrix::Product& p = m.product;
  p.m = static_cast<uint16_t>(s.m);
  p.n = static_cast<uint16_t>(s.n);
  p.a = p.b = p.c = p.d = Element::kF64;
  p.round = take(Mod::kRM)   ? exec::arith::Round::kDown
            : take(Mod::kRP) ? exec::arith::Round::kUp
            : take(Mod::kRZ) ? exec::arith::Round::kZero
                             : exec::arith::Round::kNearest;
  for (size_t i = 1; i < 4; ++i) {
    if (op(i).negate || op(i).absolute) {
      missing("a sign");
    }
  }
  if (count() != 4) {
    missing("a predicate");
  }
  exec::matrix::shape_mma(m, s.k, false);
  const auto joined_words = [&](const Operand& o, uint32_t elements) {
    std::vector<Slot> out;
    for (uint32_t i = 0; i < elements; ++i) {
      const bool zero = o.is_zero();
      const Slot t = temporary();
      compute(WordOp::kJoin, t, kNoSlot,
              {zero ? constant(0) : source(o, 2 * i), zero ? constant(0) : source(o, 2 * i + 1)}, 0,
              Role::kBefore);
      out.push_back(t);
    }
    return out;
  };
  m.a.slots = joined_words(op(1), m.a.fragment.registers());
  m.b.slots = joined_words(op(2), m.b.fragment.registers());
  m.c.slots = joined_words(op(3), m.c.fragment.registers());
  for (uint32_t i = 0; i < m.d.fragment.registers(); ++i) {
    m.d.slots.push_back(temporary());
  }
  const std::vector<Slot> results = m.d.slots;
  emit_matrix(std::move(m));
  for (uint32_t i = 0; i < results.size(); ++i) {
    compute(WordOp::kSplit, destination(op(0), 2 * i), destination(op(0), 2 * i + 1), {results[i]}, 0,
            Role::kBehind);
  }
}

// d, [a], descriptors, c, [predicate: whether c is added], [metadata, [selector]], [counter]
void Translator::group_product() {
  const Shape s = shape();
  std::vector<Element> types = elements(d_.mods);
  if (op(0).is_zero()) {
    nothing();  // what the compiler writes for a group without products, with descriptors of nothing
    return;
  }
  MatrixOp m;
  exec::matrix::Product& p = m.product;
  if (name_ == Mnemonic::kHGMMA) {
    types.assign(2, types.empty() ? Element::kF16 : types[0]);
  } else if (name_ == Mnemonic::kBGMMA) {
    types.assign(2, Element::kB1);
    p.conjunction = true;
  }
  const bool sparse = take(Mod::kSP);
  const bool whole = name_ == Mnemonic::kIGMMA || name_ == Mnemonic::kBGMMA;
  if (types.size() != 2 || s.n == 0) {
    missing();
    return;
  }
  p.a = types[0];
  p.b = types[1];
  p.n = static_cast<uint16_t>(s.n);
  p.satfinite = take(Mod::kSAT);
  p.c = p.d = whole ? Element::kS32 : take(Mod::kF32) ? Element::kF32 : Element::kF16;
  exec::matrix::shape_wgmma(m, s.k, sparse);
  size_t i = 1;
  if (op(i).is(Kind::kRegister)) {
    p.negate_a = op(i).negate;
    m.a.slots = matrix_words(op(i++), m.a.fragment.registers(), true);
  } else {
    m.a.in_shared = true;
  }
  const Operand& described = op(i++);
  const auto says = [&](uint8_t what) { return (described.matrices & what) != 0; };
  p.negate_a = p.negate_a || says(Operand::kNegativeA);
  p.negate_b = says(Operand::kNegativeB);
  uint32_t at = 0;
  const auto descriptor = [&] {
    const Slot t = temporary();
    compute(WordOp::kJoin, t, kNoSlot, {ureg(described.ubase, at), ureg(described.ubase, at + 1)}, 0,
            Role::kBefore);
    at += 2;
    return t;
  };
  if (m.a.in_shared) {
    m.a.slots = {descriptor()};
    m.a.mn_major = says(Operand::kTransposedA);
  }
  m.b.in_shared = true;
  at = 2;  // of a factor in registers its place stays empty
  m.b.slots = {descriptor()};
  m.b.mn_major = says(Operand::kTransposedB);
  m.d.slots = matrix_words(op(0), m.d.fragment.registers(), false);
  m.c.slots = matrix_words(op(i), m.c.fragment.registers(), true);
  const bool conditional = op(i + 1).is(Kind::kUniformPredicate);
  m.uses_c = conditional ? truth(op(i + 1)) : constant(op(i).is_zero() ? 0 : 1);
  if (sparse) {
    sparsity(m, i + (conditional ? 2 : 1), name_ == Mnemonic::kHGMMA);
  }
  emit_matrix(std::move(m));
}

}  // namespace heddle::cubin
