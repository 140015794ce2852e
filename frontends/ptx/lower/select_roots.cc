// Divisions, reciprocals and roots with all their digits, as ptxas 13.0 writes them: a first guess, steps of
// Newton's, and a call for the rare values, which everybody else jumps over.
#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {

namespace {

constexpr int64_t kOne = 0x3f800000, kHalf = 0x3f000000, kMinusOne = 0xbf800000;

Field minus(Field f) {
  f.negated = !f.negated;
  return f;
}

// Of an operand of 64 bits; of a number that an instruction holds the number, which is its upper half.
Field upper(const Field& f) { return f.kind == Field::Kind::kValue ? Field(high(f.value)) : f; }

}  // namespace

// The block goes on behind it, for all lanes.
Machine& Select::wall(const sass::Opcode& opcode, Fields d, Fields s) {
  Machine& m = emit(opcode, d, s);
  m.ordered = m.wall = true;
  return m;
}

void Select::begin_usual() { emit("BSSY", {}, {kB0, Field::code(number_)}).ordered = true; }

// Lanes for which `p` holds (or does not) leave out a call of so many instructions.
void Select::usual(Value p, bool negated, uint32_t call) {
  Machine& jump = wall("BRA", {}, {Field::code(number_)});
  jump.guard = p;
  jump.guard_negated = negated;
  for (uint32_t k = 0; k < call; ++k) {
    wall("NOP", {}, {}).lanes = Machine::Lanes::kNone;
  }
}

void Select::end_usual() { wall("BSYNC", {}, {kB0}); }

// 64 bits of a number of which no instruction can hold the lower half.
Value Select::wide_number(int64_t bits, bool uniform) {
  const Value v = temporary(2, uniform ? File::kUniform : File::kVector);
  const sass::Opcode mov = uniform ? "UMOV"_op : "MOV"_op;
  emit(mov, {low(v)}, {Field(bits & 0xffffffff)});
  emit(mov, {high(v)}, {Field(static_cast<int64_t>(static_cast<uint64_t>(bits) >> 32))});
  return v;
}

// An operand of DADD, DMUL, DFMA. `uniforms`: how many of the others are in uniform registers.
Field Select::wide(size_t place, uint32_t& uniforms) {
  const Field f = in(place);
  if (f.kind == Field::Kind::kNumber && (f.number & 0xffffffff) != 0) {
    return wide_number(f.number, uniforms++ == 0);
  }
  return f;
}

void Select::divide_float() {
  const Op& o = op();
  const Value r = result();
  if (o.type() == Type::kF64) {
    divide_wide(r);
    return;
  }
  if (o.has(Flag::kApprox) || o.has(Flag::kFull)) {
    const Value t = temporary(), p = predicate();
    const bool bare = o.has(Flag::kFtz);
    if (!bare) {
      emit("FSETP.GT.AND", {p, kPT}, {in(2), int64_t{0x7e800000}, kPT});
    }
    emit("MUFU.RCP", {t}, {in(2)});
    if (!bare) {
      emit("FMUL", {t}, {t, int64_t{0x3e800000}}).guard = p;
    }
    emit("FMUL", {r}, {t, in(1)});
    return;
  }
  const Value a = vector(at(1)), b = vector(at(2)), p = predicate();
  begin_usual();
  const Value y = made("MUFU.RCP", {b});
  emit("FCHK", {p}, {a, b});
  const Value e = made("FFMA", {minus(b), y, kOne});
  const Value z = made("FFMA", {y, e, y});
  const Value q = made("FFMA", {a, z, Field()});
  const Value rest = made("FFMA", {minus(b), q, a});
  emit("FFMA", {r}, {z, rest, q});
  usual(p, true, 2);
  end_usual();
}

// 1 / x of 64 bits from a first guess.
void Select::refine(const Field& x, Value guess, Value to) {
  const Value e = made("DFMA", {minus(x), guess, kOne}, 2);
  const Value f = made("DFMA", {e, e, e}, 2);
  const Value z = made("DFMA", {guess, f, guess}, 2);
  const Value g = made("DFMA", {minus(x), z, kOne}, 2);
  emit("DFMA", {to}, {z, g, z});
}

void Select::divide_wide(Value r) {
  uint32_t uniforms = 0;
  const Field a = wide(1, uniforms), b = wide(2, uniforms);
  begin_usual();
  const Value y = temporary(2);
  emit("MUFU.RCP64H", {high(y)}, {upper(b)});
  emit("MOV", {low(y)}, {int64_t{1}});
  const Value w = temporary(2);
  refine(b, y, w);
  const Value q = made("DMUL", {a, w}, 2);
  const Value rest = made("DFMA", {minus(b), q, a}, 2);
  emit("DFMA", {r}, {w, rest, q});
  const Value s = made("FFMA", {Field(), upper(b), high(r)});
  const Value p = predicate(), small = predicate();
  emit("FSETP.GT.AND", {p, kPT}, {s, int64_t{0x00100000}, kPT});
  emit("FSETP.GEU.AND", {small, kPT}, {upper(a), int64_t{0x03600000}, p});
  usual(small, false, 3);
  end_usual();
}

// 1 / x.
void Select::reciprocal() {
  const Value r = result();
  const Value p = predicate();
  begin_usual();
  if (op().type() == Type::kF64) {
    const Value x = vector_pair(1), y = temporary(2);
    emit("MUFU.RCP64H", {high(y)}, {high(x)});
    emit("VIADD", {low(y)}, {high(x), int64_t{0x300402}});
    emit("FSETP.GEU.AND", {p, kPT}, {low(y), int64_t{0x00400000}, kPT});
    refine(x, y, r);
    usual(p, false, 4);
    end_usual();
    return;
  }
  const Value x = vector(at(1));
  const Value t = made("VIADD", {x, int64_t{0x1800000}});
  const Value u = made("LOP3.LUT", {t, int64_t{0x7f800000}, Field(), 0xc0, kNotPT});
  emit("ISETP.GT.U32.AND", {p, kPT}, {u, int64_t{0x1ffffff}, kPT});
  usual(p, false, 5);
  const Value y = made("MUFU.RCP", {x});
  const Value e = made("FFMA", {x, y, kMinusOne});
  const Value f = made("FADD.FTZ", {minus(e), Field()});
  emit("FFMA", {r}, {y, f, y});
  end_usual();
}

void Select::square_root() {
  const Value r = result();
  const Value p = predicate();
  if (op().type() == Type::kF64) {
    square_root_wide(r, true);
    return;
  }
  const Value x = vector(at(1));
  const Value t = made("VIADD", {x, int64_t{-0xd000000}});
  const Value y = made("MUFU.RSQ", {x});
  begin_usual();
  emit("ISETP.GT.U32.AND", {p, kPT}, {t, int64_t{0x727fffff}, kPT});
  usual(p, true, 5);
  const Value g = made("FMUL.FTZ", {y, x});
  const Value h = made("FMUL.FTZ", {y, kHalf});
  const Value e = made("FFMA", {minus(g), g, x});
  emit("FFMA", {r}, {e, h, g});
  end_usual();
}

// The root, or 1 / root.
void Select::square_root_wide(Value r, bool root) {
  const Value x = vector_pair(1), y = temporary(2), c = temporary(2), p = predicate();
  emit("MUFU.RSQ64H", {high(y)}, {high(x)});
  emit("VIADD", {low(y)}, {high(x), int64_t{-0x3500000}});
  emit("MOV", {low(c)}, {Field()});
  emit("MOV", {high(c)}, {int64_t{0x3fd80000}});
  begin_usual();
  const Value s = made("DMUL", {y, y}, 2);
  const Value e = made("DFMA", {x, minus(s), kOne}, 2);
  const Value f = made("DFMA", {e, c, kHalf}, 2);
  const Value g = made("DMUL", {y, e}, 2);
  const Value z = root ? made("DFMA", {f, g, y}, 2) : r;
  emit("ISETP.GE.U32.AND", {p, kPT}, {low(y), int64_t{0x7ca00000}, kPT});
  if (root) {
    const Value q = made("DMUL", {x, z}, 2);
    const Value rest = made("DFMA", {q, minus(q), x}, 2);
    const Value h = temporary(2);
    emit("VIADD", {high(h)}, {high(z), int64_t{-0x100000}});
    emit("MOV", {low(h)}, {low(z)});
    emit("DFMA", {r}, {rest, h, q});
  } else {
    emit("DFMA", {r}, {f, g, y});
  }
  usual(p, true, 4);
  end_usual();
}

// 64 bits of an operand in registers.
Value Select::vector_pair(size_t place) {
  const Field f = in(place);
  return f.kind == Field::Kind::kNumber ? wide_number(f.number, false) : vector(at(place));
}

}  // namespace heddle::ptx::lower
