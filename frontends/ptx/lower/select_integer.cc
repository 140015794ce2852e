// Integers and logic.
#include <algorithm>

#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {

bool Select::integer() {
  const Op& o = op();
  switch (o.opcode) {
    case Opcode::kAdd:
    case Opcode::kAddc:
    case Opcode::kSub:
    case Opcode::kSubc:
      add(o.opcode == Opcode::kSub || o.opcode == Opcode::kSubc);
      return true;
    case Opcode::kMul:
    case Opcode::kMul24:
      multiply();
      return true;
    case Opcode::kMad:
    case Opcode::kMad24:
    case Opcode::kMadc:
      multiply_add();
      return true;
    case Opcode::kDiv:
    case Opcode::kRem:
      divide();
      return true;
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kCnot:
    case Opcode::kLop3:
      o.type() == Type::kPred ? predicates() : logic();
      return true;
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kShf:
      shift();
      return true;
    case Opcode::kSetp:
    case Opcode::kSet:
      compare();
      return true;
    case Opcode::kSelp:
    case Opcode::kSlct:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kAbs:
    case Opcode::kNeg:
      choose();
      return true;
    default:
      return bit_field();
  }
}

void Select::add(bool subtract) {
  const Operand &a = at(1), &b = at(2);
  if (uses_.is_offset(now_) && bits(op().type()) >= 32 && !subtract) {
    // Steps that were added to each other are one.
    int64_t sum = uses_.step(now_);
    Operand base = a;
    for (uint32_t m = uses_.maker(base); m != kNone && uses_.is_offset(m) && uses_.absorbed(m);
         m = uses_.maker(base)) {
      sum += uses_.step(m);
      base = uses_.operands(m)[1];
    }
    const uint32_t m = uses_.maker(base);
    const bool other = m != kNone && (uses_.absorbed(m) || uses_.is_wide_product(m));
    if (!other && bits(op().type()) == 32) {
      emit(name("IADD3"), {result()}, {field(base), sum, Field()});
      return;
    }
    if (!other) {
      const Value p = predicate();
      const Field from = field(base);
      emit(name("IADD3"), {low(result()), p},
           {from.kind == Field::Kind::kValue ? Field(low(from.value)) : from, sum, Field()});
      emit(name("IADD3.X"), {high(result())}, {field(base, true), Field(), Field(), p, kNotPT});
      return;
    }
  }
  if (bits(op().type()) != 64) {
    for (const Operand* x : {&a, &b}) {
      const uint32_t m = uses_.maker(*x);
      if (m == kNone || !uses_.absorbed(m)) {
        continue;
      }
      const Operand& other = x == &a ? b : a;
      const auto of = uses_.operands(m);
      if (uses_.op(m).opcode == Opcode::kMul) {
        emit(name("IMAD"), {result()}, {field(of[1]), field(of[2]), field(other)});
      } else if (uses_.op(m).opcode == Opcode::kShl) {
        emit(name("LEA"), {result()}, {field(of[1]), field(other), field(of[2])});
      } else {
        emit(name("IADD3"), {result()}, {field(of[1]), field(of[2]), field(other)});
      }
      return;
    }
    Field y = in(2);
    y.negated = subtract;
    emit(name("IADD3"), {result()}, {in(1), y, Field()});
    return;
  }
  for (const Operand* x : {&b, &a}) {
    const uint32_t m = uses_.maker(*x);
    const Operand& other = x == &a ? b : a;
    if (m == kNone || (!uses_.is_wide_product(m) && !uses_.absorbed(m))) {
      continue;
    }
    if (uses_.is_wide_product(m)) {
      const bool shifted = uses_.op(m).opcode != Opcode::kMul || uses_.op(m).part != Part::kWide;
      const Operand word =
          shifted ? uses_.operands(uses_.maker(uses_.operands(m)[1]))[1] : uses_.operands(m)[1];
      emit(name("IMAD.WIDE"), {result()}, {field(word), field(uses_.operands(m)[2]), field(other)});
      return;
    }
    if (uses_.op(m).opcode == Opcode::kMul) {
      const auto of = uses_.operands(m);
      multiply_wide(of[1], of[2], field(other));
      return;
    }
    if (uses_.op(m).opcode == Opcode::kShl) {
      const Value p = predicate();
      const auto of = uses_.operands(m);
      emit(name("LEA"), {low(result()), p}, {field(of[1]), field(other), field(of[2])});
      emit(name("LEA.HI.X"), {high(result())},
           {field(of[1]), field(other, true), field(of[1], true), field(of[2]), p});
      return;
    }
  }
  const Value p = predicate();
  Field y = in(2), z = in(2, true);
  y.negated = z.negated = subtract;
  const Value r = result();
  Field x0 = in(1), y0 = y;
  for (Field* f : {&x0, &y0}) {
    if (f->kind == Field::Kind::kValue) {
      f->value = low(f->value);
    }
  }
  emit(name("IADD3"), {low(r), p}, {x0, y0, Field()});
  emit(name("IADD3.X"), {high(r)}, {in(1, true), z, Field(), p, kNotPT});
}

void Select::multiply() {
  const Op& o = op();
  const uint32_t n = bits(o.type());
  if (o.part == Part::kWide) {
    emit(name(n == 32 ? "IMAD.WIDE.U32"_op : "IMAD"_op), {result()}, {in(1), in(2), Field()});
  } else if (n <= 32) {
    if (o.part == Part::kHi) {
      emit("IMAD.HI.U32", {result()}, {in(1), in(2), Field()});
      return;
    }
    emit(name("IMAD"), {result()}, {in(1), in(2), Field()});
  } else if (o.part == Part::kHi) {
    const Value r = result(), u = temporary();
    emit(name("IMAD"), {temporary()}, {in(1, true), word(at(2)), Field()});
    emit(name("IMAD"), {u}, {word(at(1)), in(2, true), Field()});
    for (uint32_t k = 0; k < 3; ++k) {
      emit(name("IMAD.WIDE.U32"), {r}, {word(at(1)), word(at(2)), Field()});
    }
    emit(name("IADD3"), {high(r)}, {high(r), u, Field()});
  } else {
    multiply_wide(at(1), at(2), Field());
  }
}

// The lower word of 64 bits.
Field Select::word(const Operand& o) {
  Field f = field(o);
  if (f.kind == Field::Kind::kValue) {
    f.value = low(f.value);
  } else if (f.kind == Field::Kind::kNumber) {
    f = Field(f.number & 0xffffffff);
  }
  return f;
}

// The lower 64 bits of a product of two of 64, and a sum: what upper words that are 0 would add is left out.
void Select::multiply_wide(const Operand& a, const Operand& b, const Field& sum) {
  const Value r = result();
  std::vector<std::pair<Field, Field>> crossed;
  for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (const Field upper = field(*x, true); upper.kind != Field::Kind::kZero) {
      crossed.emplace_back(upper, word(*y));
    }
  }
  emit(name("IMAD.WIDE.U32"), {r}, {word(a), word(b), sum});
  if (crossed.size() == 1) {
    emit(name("IMAD"), {high(r)}, {crossed[0].first, crossed[0].second, high(r)});
  } else if (!crossed.empty()) {
    const Value t = temporary(), u = temporary();
    emit(name("IMAD"), {t}, {crossed[0].first, crossed[0].second, Field()});
    emit(name("IMAD"), {u}, {crossed[1].second, crossed[1].first, t});
    emit(name("IADD3"), {high(r)}, {high(r), u, Field()});
  }
}

void Select::multiply_add() {
  const Op& o = op();
  const uint32_t n = bits(o.type());
  if (n <= 32) {
    const sass::Opcode form = o.part == Part::kWide ? (n == 32 ? "IMAD.WIDE"_op : "IMAD"_op)
                              : o.part == Part::kHi ? "IMAD.HI.U32"_op
                                                    : "IMAD"_op;
    emit(name(form), {result()}, {in(1), in(2), in(3)});
    return;
  }
  multiply_wide(at(1), at(2), in(3));
}

// By a number that the program does not know; by one that it knows a product and shifts.
void Select::logic() {
  const Op& o = op();
  const uint32_t n = bits(o.type());
  std::vector<Field> s;
  for (size_t k = 1; k < uses_.operands(now_).size() && k < 4; ++k) {
    const uint32_t m = uses_.maker(at(k));
    const bool whole = m != kNone && uses_.absorbed(m) && n <= 32;
    if (whole) {
      for (size_t p = 1; p < uses_.operands(m).size() && s.size() < 3; ++p) {
        s.push_back(field(uses_.operands(m)[p]));
      }
    } else if (s.size() < 3) {
      s.push_back(in(k));
    }
  }
  s.resize(3);
  if (n <= 32) {
    s.emplace_back(0xc0);
    s.emplace_back(kNotPT);
    emit(name("LOP3.LUT"), std::vector<Field>{result()}, s);
    return;
  }
  // An upper word of 0 stays one.
  const uint32_t to = at(0).kind == OperandKind::kRegister ? at(0).id : kNone;
  const auto zero = [&](size_t k) { return in(k, true).kind == Field::Kind::kZero; };
  if (o.opcode == Opcode::kAnd && to != kNone && uses_.writer(to) == now_ && !values_[to].there() &&
      (zero(1) || zero(2)) && !uses_.uniform_register(to)) {
    values_[to] = temporary();
  }
  const Value r = result();
  for (const bool upper : {false, true}) {
    if (upper && r.count == 1) {
      break;
    }
    Field a = in(1, upper), b = uses_.operands(now_).size() > 2 ? in(2, upper) : Field();
    for (Field* f : {&a, &b}) {
      if (!upper && f->kind == Field::Kind::kValue) {
        f->value = low(f->value);
      }
    }
    emit(name("LOP3.LUT"), {upper ? high(r) : low(r)}, {a, b, Field(), 0xc0, kNotPT});
  }
}

// Of 64 bits what is behind the lower word, or less: another name for the upper one, or that one shifted; the
// result has no upper word.
bool Select::upper_word(uint32_t amount) {
  const uint32_t to = at(0).kind == OperandKind::kRegister ? at(0).id : kNone;
  const Operand from = uses_.origin(at(1));
  if (amount < 32 || amount > 63 || to == kNone || uses_.writer(to) != now_ || values_[to].there() ||
      uses_.uniform_register(to) || from.kind != OperandKind::kRegister || uses_.writer(from.id) == kNone) {
    return false;
  }
  const Value v = value(from.id);
  if (v.count != 2) {
    return false;
  }
  if (amount == 32 && out_.registers[v.reg].file == File::kVector) {
    values_[to] = high(v);
  } else {
    values_[to] = temporary();
    emit("SHF.R.U32.HI", {values_[to]}, {Field(), int64_t{amount} - 32, high(v)});
  }
  return true;
}

void Select::shift() {
  const Op& o = op();
  const bool left = o.opcode == Opcode::kShl;
  const Operand amount = uses_.origin(at(o.opcode == Opcode::kShf ? 3 : 2));
  const bool known = amount.kind == OperandKind::kImmediate;
  if (bits(o.type()) == 64 && !left && info(o.type()).kind != TypeKind::kSigned && known &&
      upper_word(static_cast<uint32_t>(amount.value))) {
    return;
  }
  const Value r = result();
  if (bits(o.type()) != 64) {
    if (o.opcode == Opcode::kShf) {
      emit("SHF.L.W.U32.HI", {r}, {in(1), in(3), in(2)});
    } else if (left) {
      known ? emit(name("IMAD.SHL.U32"), {r}, {in(1), in(2), Field()})
            : emit(name("SHF.L.U32"), {r}, {in(1), in(2), Field()});
    } else {
      const bool arithmetic = info(o.type()).kind == TypeKind::kSigned;
      emit(name(arithmetic ? "SHF.R.S32.HI"_op : "SHF.R.U32.HI"_op), {r}, {Field(), in(2), in(1)});
    }
    return;
  }
  // A conversion that is only shifted is a product.
  if (uses_.is_wide_product(now_)) {
    emit(name("IMAD.WIDE"), {r}, {field(uses_.operands(uses_.maker(at(1)))[1]), in(2), Field()});
    return;
  }
  emit(name(left ? "SHF.L.U32"_op : "SHF.R.U64"_op), {low(r)},
       {low(in(1).value), in(2), left ? Field() : in(1, true)});
  emit(name(left ? "SHF.L.U64.HI"_op : "SHF.R.U32.HI"_op), {high(r)},
       {left ? Field(low(in(1).value)) : Field(), in(2), in(1, true)});
}

bool Select::bit_field() {
  const Op& o = op();
  const Value r = result();
  const bool wide = bits(o.type()) == 64;
  switch (o.opcode) {
    case Opcode::kPopc:
    case Opcode::kBrev: {
      const sass::Opcode form = o.opcode == Opcode::kPopc ? "POPC"_op : "BREV"_op;
      emit(form, {low(r)}, {in(1)});
      if (wide) {
        const Value t = o.opcode == Opcode::kPopc ? temporary() : high(r);
        emit(form, {t}, {in(1, true)});
        if (o.opcode == Opcode::kPopc) {
          emit("IADD3", {low(r)}, {low(r), t, Field()});
        }
      }
      return true;
    }
    case Opcode::kClz:
    case Opcode::kBfind:
    case Opcode::kFns: {
      const Value t = temporary();
      emit("FLO.U32", {t}, {in(1)});
      if (wide) {
        emit("FLO.U32", {temporary()}, {in(1, true)});
        emit("SEL", {t}, {t, t, kPT});
      }
      emit("IADD3", {low(r)}, {t, int64_t{0x1f}, Field()});
      return true;
    }
    case Opcode::kPrmt:
      emit("PRMT", {r}, {in(1), in(3), in(2)});
      return true;
    case Opcode::kBfe:
    case Opcode::kSzext: {
      const Value t = temporary();
      emit("SHF.R.U32.HI", {t}, {Field(), in(2), in(1)});
      emit("SGXT.U32", {low(r)}, {t, o.opcode == Opcode::kBfe ? in(3) : in(2)});
      return true;
    }
    case Opcode::kBfi:
    case Opcode::kBmsk: {
      const Value t = temporary(), u = temporary();
      emit("BMSK", {t}, {in(2), in(3)});
      emit("SHF.L.U32", {u}, {in(1), in(2), Field()});
      emit("LOP3.LUT", {low(r)}, {t, u, in(2), 0xb8, kNotPT});
      return true;
    }
    case Opcode::kDp4a:
    case Opcode::kDp2a:
      emit(o.opcode == Opcode::kDp4a ? "IDP.4A.S8.S8"_op : "IDP.2A.LO.S16.U8"_op, {r}, {in(1), in(2), in(3)});
      return true;
    case Opcode::kSad: {
      const Value t = temporary();
      emit("VABSDIFF", {t}, {in(1), in(2), Field()});
      emit("IADD3", {r}, {t, in(3), Field()});
      return true;
    }
    default:
      return false;
  }
}

}  // namespace heddle::ptx::lower
