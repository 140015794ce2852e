// Comparisons, choices, predicates.
#include <algorithm>
#include <utility>

#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {
namespace {

Mod comparison(Compare c) {
  switch (c) {
    case Compare::kEq:
    case Compare::kEqu:
      return Mod::kEQ;
    case Compare::kNe:
    case Compare::kNeu:
      return Mod::kNE;
    case Compare::kLt:
    case Compare::kLo:
    case Compare::kLtu:
      return Mod::kLT;
    case Compare::kLe:
    case Compare::kLs:
    case Compare::kLeu:
      return Mod::kLE;
    case Compare::kGt:
    case Compare::kHi:
    case Compare::kGtu:
      return Mod::kGT;
    default:
      return Mod::kGE;
  }
}

}  // namespace

void Select::compare() {
  const Op& o = op();
  const Type t = o.opcode == Opcode::kSet && o.type_count > 1 ? o.types[1] : o.type();
  const Mod c = comparison(o.compare);
  const TypeKind kind = info(t).kind;
  const bool to_predicate = o.opcode == Opcode::kSetp;
  const Value p = to_predicate ? result() : predicate();
  const size_t first = to_predicate ? 2 : 1;
  Field with = kPT;
  if (o.bool_op != BoolOp::kNone) {
    with = in(first + 2);
  }
  const sass::Suffix end = o.bool_op == BoolOp::kOr    ? ".OR"_mod
                           : o.bool_op == BoolOp::kXor ? ".XOR"_mod
                                                       : ".AND"_mod;
  if (kind == TypeKind::kFloat && bits(t) == 64) {
    emit("DSETP"_op + c + end, {p, kPT}, {in(first), in(first + 1), with});
  } else if (kind == TypeKind::kFloat && bits(t) == 32) {
    emit("FSETP"_op + c + end, {p, kPT}, {in(first), in(first + 1), with});
  } else if (kind == TypeKind::kFloat || kind == TypeKind::kPacked) {
    emit("HSETP2"_op + c + end, {p, kPT}, {in(first), in(first + 1), with});
  } else {
    const sass::Suffix u = kind == TypeKind::kSigned ? ""_mod : ".U32"_mod;
    if (bits(t) == 64) {
      const Value q = predicate();
      Field a = in(first), b = in(first + 1);
      for (Field* f : {&a, &b}) {
        if (f->kind == Field::Kind::kValue) {
          f->value = low(f->value);
        }
      }
      emit("ISETP"_op + c + ".U32.AND", {q, kPT}, {a, b, kPT});
      emit("ISETP"_op + c + u + end + ".EX", {p, kPT}, {in(first, true), in(first + 1, true), with, q});
    } else {
      emit("ISETP"_op + c + u + end, {p, kPT}, {in(first), in(first + 1), with});
    }
  }
  if (!to_predicate) {
    emit("SEL", {result()}, {Field(), Field(), p});
  } else if (at(1).kind == OperandKind::kRegister && uses_.reads(at(1).id) != 0) {
    emit("PLOP3.LUT", {value(at(1).id), kPT}, {p, kPT, kPT, 0x8, immediate(0)});
  }
}

void Select::choose() {
  const Op& o = op();
  const uint32_t n = bits(o.type());
  const TypeKind kind = info(o.type()).kind;
  const Value r = result();
  switch (o.opcode) {
    case Opcode::kSelp:
    case Opcode::kSlct: {
      const sass::Opcode form = kind == TypeKind::kFloat ? "FSEL"_op : "SEL"_op;
      for (uint32_t w = 0; w < std::max(1U, n / 32); ++w) {
        Field a = in(1, w == 1), b = in(2, w == 1);
        for (Field* f : {&a, &b}) {
          if (w == 0 && f->kind == Field::Kind::kValue) {
            f->value = low(f->value);
          }
        }
        emit(form, {Value{r.reg, static_cast<uint8_t>(r.part + w), 1}}, {a, b, in(3)});
      }
      return;
    }
    case Opcode::kMin:
    case Opcode::kMax:
      if (n == 64) {
        const Value p = predicate();
        emit("ISETP.LT.U32.AND", {p, kPT}, {in(1), in(2), kPT});
        emit("ISETP.LT.AND.EX", {p, kPT}, {in(1, true), in(2, true), kPT, p});
        emit("SEL", {low(r)}, {low(in(1).value), low(in(2).value), p});
        emit("SEL", {high(r)}, {in(1, true), in(2, true), p});
      } else if (n == 32 && kind != TypeKind::kPacked) {
        emit("VIMNMX", {r}, {in(1), in(2), o.opcode == Opcode::kMin ? kPT : kNotPT});
      } else {
        emit("VIMNMX", {r}, {in(1), in(2), kPT});
      }
      return;
    case Opcode::kAbs:
      emit("IABS", {low(r)}, {in(1)});
      break;
    default:
      emit(name("IADD3"), {low(r)}, {Field(), in(1), Field()});
  }
  if (n == 64) {
    emit("IADD3.X", {high(r)}, {Field(), in(1, true), Field(), kPT, kNotPT});
  }
}

// Of predicates: and, or, xor, not. A comparison that only one reads is part of it.
void Select::predicates() {
  for (size_t k = 1; k < uses_.operands(now_).size(); ++k) {
    const uint32_t m = uses_.maker(at(k));
    if (m == kNone || !uses_.absorbed(m) || uses_.op(m).opcode != Opcode::kSetp) {
      continue;
    }
    const Value to = result();
    const Field other = in(k == 1 ? 2 : 1);
    const uint32_t here = std::exchange(now_, m);
    const size_t before = block_->code.size();
    compare();
    now_ = here;
    Machine& c = block_->code.back();
    c.origin = here;
    c.d[0] = to;
    if (c.s.size() > 2 && before < block_->code.size()) {
      c.s[2] = other;
    }
    return;
  }
  emit("PLOP3.LUT", {result(), kPT},
       {in(1), uses_.operands(now_).size() > 2 ? in(2) : Field(kPT), kPT, 0x80, immediate(0)});
}

}  // namespace heddle::ptx::lower
