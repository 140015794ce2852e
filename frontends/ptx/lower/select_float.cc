// Floating point and conversions. How many instructions a division or a root takes where it takes its usual
// way: ptx.md 6.2.
#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {
namespace {

bool floats(Type t) { return info(t).kind == TypeKind::kFloat || info(t).kind == TypeKind::kPacked; }
bool integer_type(Type t) { return info(t).kind == TypeKind::kSigned || info(t).kind == TypeKind::kUnsigned; }
bool halves(Type t) { return floats(t) && t != Type::kF32 && t != Type::kF64; }

}  // namespace

bool Select::floating() {
  const Op& o = op();
  switch (o.opcode) {
    case Opcode::kCvt:
      convert();
      return true;
    case Opcode::kEx2:
    case Opcode::kLg2:
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kTanh:
    case Opcode::kRcp:
    case Opcode::kRsqrt:
    case Opcode::kSqrt:
      approximate();
      return true;
    case Opcode::kDiv:
      if (floats(o.type())) {
        divide_float();
        return true;
      }
      return false;
    case Opcode::kCopysign:
      emit("LOP3.LUT", {result()}, {in(1), in(2), Field(), 0xb8, kNotPT});
      return true;
    case Opcode::kTestp:
      emit("FSETP.NEU.AND", {result(), kPT}, {in(1), in(1), kPT});
      return true;
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kFma:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kAbs:
    case Opcode::kNeg:
      if (!floats(o.type())) {
        return false;
      }
      halves(o.type()) ? half() : float_arithmetic();
      return true;
    default:
      return false;
  }
}

void Select::float_arithmetic() {
  const Op& o = op();
  const bool pair = o.type() == Type::kF32x2;
  const bool wide = o.type() == Type::kF64 || pair;
  uint32_t uniforms = 0;
  const auto operand = [&](size_t place) { return wide ? this->wide(place, uniforms) : in(place); };
  const Field a = operand(1);
  Field b = uses_.operands(now_).size() > 2 ? operand(2) : Field();
  switch (o.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
      b.negated = b.negated != (o.opcode == Opcode::kSub);
      emit(pair ? "FADD2"_op : wide ? "DADD"_op : "FADD"_op, {result()}, {a, b});
      return;
    case Opcode::kMul:
      emit(pair ? "FMUL2"_op : wide ? "DMUL"_op : "FMUL"_op, {result()}, {a, b});
      return;
    case Opcode::kMin:
    case Opcode::kMax:
      if (wide) {
        const Value p = predicate(), r = result();
        emit("DSETP.MIN.AND", {p, kPT}, {a, b, kPT});
        emit("FSEL", {low(r)}, {low(a.value), low(b.value), p});
        emit("SEL", {high(r)}, {in(1, true), in(2, true), p});
      } else {
        emit("FMNMX", {result()}, {in(1), b, o.opcode == Opcode::kMin ? kPT : kNotPT});
      }
      return;
    case Opcode::kAbs:
    case Opcode::kNeg:
      emit(wide ? "DADD"_op : "FADD"_op, {result()}, {Field(), in(1)});
      return;
    default:
      emit(pair ? "FFMA2"_op : wide ? "DFMA"_op : "FFMA"_op, {result()}, {a, b, operand(3)});
  }
}

void Select::half() {
  const Op& o = op();
  const bool bf = o.type() == Type::kBf16 || o.type() == Type::kBf16x2;
  const sass::Suffix end = bf ? ".BF16_V2"_mod : ""_mod;
  switch (o.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
      emit("HADD2"_op + end, {result()}, {in(1), in(2)});
      return;
    case Opcode::kMul:
      emit("HMUL2"_op + end, {result()}, {in(1), in(2)});
      return;
    case Opcode::kMin:
    case Opcode::kMax:
      emit("HMNMX2"_op + end, {result()}, {in(1), in(2), kPT});
      return;
    case Opcode::kAbs:
    case Opcode::kNeg:
      emit("HADD2"_op + end, {result()}, {Field(), in(1)});
      return;
    default:
      emit("HFMA2"_op + end, {result()}, {in(1), in(2), in(3)});
  }
}

// Of f32; roots and reciprocals with all digits: select_roots.cc.
void Select::approximate() {
  const Op& o = op();
  const Value r = result();
  if (halves(o.type())) {
    emit(o.opcode == Opcode::kTanh ? "MUFU.TANH.F16"_op : "MUFU.EX2.F16"_op, {r}, {in(1)});
    return;
  }
  const bool reciprocal = o.opcode == Opcode::kRcp, root = o.opcode == Opcode::kSqrt;
  const sass::Opcode unit = reciprocal                           ? "MUFU.RCP"_op
                            : root || o.opcode == Opcode::kRsqrt ? "MUFU.RSQ"_op
                            : o.opcode == Opcode::kEx2           ? "MUFU.EX2"_op
                            : o.opcode == Opcode::kLg2           ? "MUFU.LG2"_op
                            : o.opcode == Opcode::kSin           ? "MUFU.SIN"_op
                            : o.opcode == Opcode::kCos           ? "MUFU.COS"_op
                                                                 : "MUFU.TANH"_op;
  if (o.type() == Type::kF64 && o.has(Flag::kApprox) && o.has(Flag::kFtz)) {
    emit(reciprocal ? "MUFU.RCP64H"_op : "MUFU.RSQ64H"_op, {high(r)}, {in(1, true)});
    emit("MOV", {low(r)}, {Field()});
    return;
  }
  if (o.type() == Type::kF64 && o.opcode == Opcode::kRsqrt) {
    square_root_wide(r, false);
    return;
  }
  if ((reciprocal || root) && !o.has(Flag::kApprox)) {
    reciprocal ? this->reciprocal() : square_root();
    return;
  }
  const Value t = temporary();
  const bool bare = o.has(Flag::kFtz) || o.opcode == Opcode::kTanh;
  if (o.opcode == Opcode::kSin || o.opcode == Opcode::kCos) {
    emit("FMUL.RZ", {t}, {in(1), int64_t{0x3e22f983}});
    emit(unit, {r}, {t});
  } else if (bare) {
    emit(unit, {root ? t : r}, {in(1)});
    if (root) {
      emit("FMUL", {r}, {t, in(1)});
    }
  } else {
    // Denormal ones are scaled before, and back behind it.
    const Value p = predicate(), x = own(at(1)), u = root ? t : r;
    emit("FSETP.GEU.AND", {p, kPT}, {x, int64_t{0x800000}, kPT});
    emit("FMUL", {x}, {x, int64_t{0x4b800000}}).guard = p;
    emit(unit, {u}, {x});
    emit("FMUL", {u}, {u, int64_t{0x4b800000}}).guard = p;
    if (root) {
      emit("FMUL", {r}, {t, x});
    }
  }
}

void Select::convert_integers(uint32_t to, uint32_t from) {
  const Value r = result();
  const bool sign = info(op().types[1]).kind == TypeKind::kSigned;
  if (to == 64 && from == 32) {
    const Field a = in(1);
    emit(name("IMAD.MOV.U32"), {low(r)}, {Field(), Field(), a});
    sign ? emit(name("SHF.R.S32.HI"), {high(r)}, {Field(), 0x1f, a})
         : emit(name("IMAD.MOV.U32"), {high(r)}, {Field(), Field(), Field()});
    return;
  }
  // Narrower ones are kept extended.
  Field a = in(1);
  if (a.kind == Field::Kind::kValue) {
    a.value = low(a.value);
  }
  emit(std::min(to, from) == 8 ? "PRMT"_op : name("LOP3.LUT"), {low(r)}, {a, int64_t{0xffff}, Field()});
  if (to == 64) {
    emit(name("IMAD.MOV.U32"), {high(r)}, {Field(), Field(), Field()});
  }
}

void Select::convert() {
  const Op& o = op();
  const Type to = o.types[0], from = o.type_count > 1 ? o.types[1] : o.types[0];
  const Value r = result();
  if (integer_type(to) && integer_type(from)) {
    convert_integers(bits(to), bits(from));
  } else if (integer_type(from)) {
    const bool wide = bits(from) == 64 || to == Type::kF64;
    if (wide) {
      emit(to == Type::kF64 ? (bits(from) == 64 ? "I2F.F64.S64"_op : "I2F.F64"_op) : "I2F.S64"_op, {r},
           {in(1)});
    } else if (halves(to)) {
      emit("I2F.F16", {r}, {in(1)});
    } else {
      emit(info(from).kind == TypeKind::kSigned ? "I2FP.F32.S32"_op : "I2FP.F32.U32"_op, {r}, {in(1)});
    }
  } else if (integer_type(to)) {
    if (from == Type::kF64) {
      emit(bits(to) == 64 ? "F2I.S64.F64.TRUNC"_op : "F2I.F64.TRUNC"_op, {r}, {in(1)});
    } else {
      emit(bits(to) == 64 ? "F2I.S64.TRUNC"_op : "F2I.TRUNC.NTZ"_op, {r}, {in(1)});
    }
  } else if (to == Type::kF64 || from == Type::kF64) {
    emit(to == from ? "FRND.F64"_op : to == Type::kF64 ? "F2F.F64.F32"_op : "F2F.F32.F64"_op, {r}, {in(1)});
  } else if (to == Type::kF32 && from == Type::kF32) {
    emit(o.rounding == Rounding::kNone || o.rounding == Rounding::kRn ? "FADD"_op : "FRND"_op, {r}, {in(1)});
  } else if (to == Type::kF32 || to == Type::kTf32) {
    emit(from == Type::kBf16  ? "IMAD.U32"_op
         : from == Type::kF16 ? "HADD2.F32"_op
                              : "F2F.TF32.F32"_op,
         {r}, {in(1), Field()});
  } else {
    const bool two = uses_.operands(now_).size() > 2;
    emit(to == Type::kBf16 || to == Type::kBf16x2 ? "F2FP.BF16.F32.PACK_AB"_op : "F2FP.F16.F32.PACK_AB"_op,
         {r}, {two ? in(1) : Field(), two ? in(2) : in(1)});
  }
}

}  // namespace heddle::ptx::lower
