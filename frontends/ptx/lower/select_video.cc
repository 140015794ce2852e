// Video instructions: ptxas makes each of some ten instructions, of those for four elements up to forty
// (ptxas 13.0 for sm_90a; tests/ptx/lower_video_test.cc has its counts).
#include <algorithm>

#include "frontends/ptx/execute/arith_handler.h"
#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {
namespace {

enum class Kind : uint8_t { kAdd, kSub, kAbsdiff, kMin, kMax, kShl, kShr, kSet, kMad, kAverage };

Kind kind_of(Opcode o) {
  switch (o) {
    case Opcode::kVadd:
    case Opcode::kVadd2:
    case Opcode::kVadd4:
      return Kind::kAdd;
    case Opcode::kVsub:
    case Opcode::kVsub2:
    case Opcode::kVsub4:
      return Kind::kSub;
    case Opcode::kVabsdiff:
    case Opcode::kVabsdiff2:
    case Opcode::kVabsdiff4:
      return Kind::kAbsdiff;
    case Opcode::kVmin:
    case Opcode::kVmin2:
    case Opcode::kVmin4:
      return Kind::kMin;
    case Opcode::kVmax:
    case Opcode::kVmax2:
    case Opcode::kVmax4:
      return Kind::kMax;
    case Opcode::kVshl:
      return Kind::kShl;
    case Opcode::kVshr:
      return Kind::kShr;
    case Opcode::kVset:
    case Opcode::kVset2:
    case Opcode::kVset4:
      return Kind::kSet;
    case Opcode::kVmad:
      return Kind::kMad;
    default:
      return Kind::kAverage;
  }
}

uint32_t elements_of(Opcode o) {
  switch (o) {
    case Opcode::kVabsdiff2:
    case Opcode::kVadd2:
    case Opcode::kVavrg2:
    case Opcode::kVmax2:
    case Opcode::kVmin2:
    case Opcode::kVset2:
    case Opcode::kVsub2:
      return 2;
    case Opcode::kVabsdiff4:
    case Opcode::kVadd4:
    case Opcode::kVavrg4:
    case Opcode::kVmax4:
    case Opcode::kVmin4:
    case Opcode::kVset4:
    case Opcode::kVsub4:
      return 4;
    default:
      return 1;
  }
}

bool is_signed(Type t) { return info(t).kind == TypeKind::kSigned; }

}  // namespace

bool Select::video() {
  if (!is_video(op())) {
    return false;
  }
  first_of_video_ = block_->code.size();
  if (const uint32_t elements = elements_of(op().opcode); elements != 1) {
    video_elements(elements);
  } else {
    video_word();
  }
  return true;
}

// The value is the instruction's result: whoever calculates it writes that.
void Select::finish(Value to, Value v) {
  for (size_t i = first_of_video_; i < block_->code.size(); ++i) {
    for (auto* fields : {&block_->code[i].d, &block_->code[i].s}) {
      for (Field& f : *fields) {
        f.value = f.value == v ? to : f.value;
      }
    }
  }
}

// A byte, a half or all of a register, and what its sign makes of it.
Value Select::video_part(const Operand& o, bool sign) {
  const Field from = field(o);
  if (!o.selected) {
    return made("PRMT", {from, 0x3210, Field()});
  }
  const Selection s = selection(o);
  const uint32_t first = s.index[0] * (s.halves ? 2U : 1U);
  if (!sign) {
    const uint32_t how = s.halves ? 0x7700 | (first + 1) << 4 | first : 0x7770 | first;
    return made("PRMT", {from, immediate(how), Field()});
  }
  const Value part = made("PRMT", {from, immediate(0x7650 | first), Field()});
  return made("PRMT", {part, s.halves ? 0x9910 : 0x8880, Field()});
}

Value Select::video_sign(Value v) { return made("SHF.R.S32.HI", {Field(), 0x1f, v}); }

// The smaller one or the larger, of 64 bits; `sign_a`, `sign_b`: their upper words, none: 0. `upper`: the
// upper word of it, too.
Select::Wide Select::video_choose(Wide a, Wide b, bool upper) {
  const Value below = predicate(), all = predicate();
  emit("ISETP.LT.U32.AND", {below, kPT}, {a.low, b.low, kPT});
  emit("ISETP.LT.AND.EX", {all, kPT}, {a.high, b.high, kPT, below});
  Wide out{made("SEL", {a.low, b.low, all}), {}};
  if (upper) {
    out.high = made("SEL", {a.high, b.high, all});
  }
  return out;
}

Value Select::video_saturated(Wide v, bool sign, bool chosen) {
  const Value inside = predicate(), positive = predicate();
  if (!sign) {
    emit("ISETP.GE.AND", {positive, kPT}, {v.high, Field(), kPT});
    const Value mask = made("SEL", {Field(), 0xffffffff, positive});
    return made("LOP3.LUT", {mask, v.low, Field(), 0xc0, kNotPT});
  }
  const Value own = video_sign(v.low);
  emit("ISETP.GE.AND", {positive, kPT}, {v.high, Field(), kPT});
  const Value other = made("LOP3.LUT", {own, v.high, Field(), 0x3c, kNotPT});
  emit("ISETP.EQ.AND", {inside, kPT}, {other, Field(), kPT});
  const Value most = made("IMAD.MOV.U32", {Field(), Field(), 0x7fffffff});
  if (chosen) {
    const Value end = made("SEL", {most, 0x80000000, positive});
    return made("SEL", {v.low, end, inside});
  }
  Machine& m = emit("SEL", {v.low}, {most, 0x80000000, positive});
  m.guard = inside;
  m.guard_negated = true;
  return v.low;
}

// The result of the first operation; its upper word where that is needed.
Select::Wide Select::video_first(Value a, Value b, bool wide) {
  const Op& o = op();
  const Kind kind = kind_of(o.opcode);
  const bool set = kind == Kind::kSet;
  const bool sign_a = is_signed(o.types[set ? 0 : 1]), sign_b = is_signed(o.types[set ? 1 : 2]);
  const auto high = [&](Value v, bool sign) { return sign ? video_sign(v) : Value{}; };
  switch (kind) {
    case Kind::kAdd:
    case Kind::kSub:
    case Kind::kAbsdiff: {
      Field second = b;
      second.negated = kind != Kind::kAdd;
      const bool upper = wide || kind == Kind::kAbsdiff;
      if (!upper) {
        return {made("IADD3", {a, second, Field()}), {}};
      }
      const Value carry = predicate();
      Wide out{temporary(), {}};
      const Value up = high(b, sign_b);
      emit("IADD3", {out.low, carry}, {a, second, Field()});
      out.high = sign_a || sign_b ? made("LEA.HI.X.SX32", {a, up, 0x1, carry})
                                  : made("IMAD.X", {Field(), Field(), Field(), carry});
      if (kind == Kind::kAbsdiff) {
        const Value below = predicate();
        emit("ISETP.LT.AND", {below, kPT}, {out.high, Field(), kPT});
        Field negative = out.low;
        negative.negated = true;
        Machine& m = emit("IMAD.MOV", {out.low}, {Field(), Field(), negative});
        m.guard = below;
        m.guard_negated = false;
      }
      return out;
    }
    case Kind::kMin:
    case Kind::kMax:
      return video_choose({a, high(a, sign_a)}, {b, high(b, sign_b)}, wide);
    case Kind::kShl:
    case Kind::kShr: {
      Value by = b;
      if (o.mode == Mode::kClamp) {
        const Value below = predicate(), all = predicate();
        emit("ISETP.LT.U32.AND", {below, kPT}, {b, 0x20, kPT});
        emit("ISETP.LT.AND.EX", {all, kPT}, {Field(), Field(), kPT, below});
        by = made("SEL", {b, 0x20, all});
      } else {
        by = made("LOP3.LUT", {b, 0x1f, Field(), 0xc0, kNotPT});
      }
      Wide out;
      if (kind == Kind::kShl) {
        out.low = made("SHF.L.U32", {a, by, Field()});
        out.high = wide ? made("SHF.L.U64.HI", {a, by, Field()}) : Value{};
      } else {
        const Value up = high(a, sign_a);
        out.low = made("SHF.R.S64", {a, by, up});
        out.high = wide ? made("SHF.R.S32.HI", {Field(), by, up}) : Value{};
      }
      return out;
    }
    default: {
      const Value below = predicate(), all = predicate(), one = predicate();
      emit("ISETP.LT.U32.AND", {below, kPT}, {a, b, kPT});
      emit("ISETP.LT.AND.EX", {all, kPT}, {high(a, sign_a), high(b, sign_b), kPT, below});
      const Value bits = made("SEL", {Field(), 0xffffffff, all});
      emit("ISETP.NE.U32.AND", {one, kPT}, {bits, -1, kPT});
      const Value first = made("SEL", {bits, 0x1, one});
      return {made("SEL", {first, Field(), one}), {}};
    }
  }
}

void Select::video_multiply(Value a, Value b) {
  const Op& o = op();
  const bool scaled = o.mode == Mode::kShr7 || o.mode == Mode::kShr15;
  const bool sat = o.has(Flag::kSat);
  const Value to = result();
  Field c = in(3);
  if (!scaled && !sat) {
    emit("IMAD", {to}, {a, b, c});
    if (o.has(Flag::kPo)) {
      emit("IADD3", {to}, {to, 0x1, Field()});
    }
    return;
  }
  const bool sign = is_signed(o.types[0]);
  const Value sum = temporary(2), wide = temporary(2);
  emit("IMAD.MOV.U32", {low(sum)}, {Field(), Field(), c});
  emit("SHF.R.S32.HI", {high(sum)}, {Field(), 0x1f, c});
  emit(sign ? "IMAD.WIDE"_op : "IMAD.WIDE.U32"_op, {wide}, {a, b, sum});
  Wide v{low(wide), high(wide)};
  if (o.has(Flag::kPo)) {
    const Value carry = predicate(), down = temporary();
    emit("IADD3", {down, carry}, {v.low, 0x1, Field()});
    v = {down, made("IMAD.X", {Field(), Field(), v.high, carry})};
  }
  if (scaled) {
    const int64_t by = o.mode == Mode::kShr7 ? 0x7 : 0xf;
    const Value down = made(sign ? "SHF.R.S64"_op : "SHF.R.U64"_op, {v.low, by, v.high});
    v = {down, sat ? made("SHF.R.S32.HI", {Field(), by, v.high}) : Value{}};
  }
  finish(to, sat ? video_saturated(v, sign, !scaled) : v.low);
}

void Select::video_word() {
  const Op& o = op();
  const Kind kind = kind_of(o.opcode);
  const bool set = kind == Kind::kSet;
  const Value a = video_part(at(1), is_signed(o.types[set ? 0 : 1]));
  const Value b = video_part(at(2), is_signed(o.types[set ? 1 : 2]));
  if (kind == Kind::kMad) {
    video_multiply(a, b);
    return;
  }
  const bool sat = o.has(Flag::kSat);
  if (kind == Kind::kAdd && !sat && o.combine == Combine::kAdd) {
    emit("IADD3", {result()}, {in(3), a, b});
    return;
  }
  const bool sign = !set && is_signed(o.types[0]);
  const bool chooses = o.combine == Combine::kMin || o.combine == Combine::kMax;
  const bool has_upper = kind == Kind::kMin || kind == Kind::kMax || kind == Kind::kAbsdiff;
  Wide v = video_first(a, b, sat || (chooses && has_upper));
  if (sat) {
    v = {video_saturated(v, sign, false), {}};
  }
  const Value to = result();
  if (at(0).selected) {  // a part of it; the rest is the third operand's
    const Selection s = selection(at(0));
    emit("PRMT", {to}, {v.low, s.halves ? 0x5410 : 0x7604, in(3)});
  } else if (o.combine == Combine::kAdd) {
    emit("IMAD.IADD", {to}, {in(3), 0x1, v.low});
  } else if (chooses) {
    const Value c = vector(at(3));
    if (sign) {
      const Value up = v.high.there() ? v.high : video_sign(v.low);
      v = video_choose({v.low, up}, {c, video_sign(c)}, false);
    } else {
      v = video_choose({v.low, v.high}, {c, {}}, false);
    }
    finish(to, v.low);
  } else {
    finish(to, v.low);
  }
}

// Elements of 16 bits in registers of their own.
void Select::video_halves(std::vector<Value>& a, std::vector<Value>& b, bool sign) {
  const Field x = in(1), y = in(2);
  if (!sign) {
    const Value high_a = made("PRMT", {x, 0x3210, y}), high_b = made("PRMT", {x, 0x7654, y});
    a = {made("PRMT", {x, 0x7710, Field()}), high_a};
    b = {made("PRMT", {Field(), 0x54, y}), made("SHF.R.U32.HI", {Field(), 0x10, high_b})};
    return;
  }
  for (std::vector<Value>* to : {&a, &b}) {
    const Value both = made("PRMT", {x, to == &a ? 0x3210 : 0x7654, y});
    const Value upper = made("LOP3.LUT", {both, 0xffff0000, Field(), 0xc0, kNotPT});
    const Value down = made("SHF.R.U32.HI", {Field(), 0x10, upper});
    *to = {made("PRMT", {both, 0x9910, Field()}), made("PRMT", {down, 0x9910, Field()})};
  }
  for (Value* v : {&b[0], &a[1], &b[1]}) {
    *v = made("IMAD.MOV.U32", {Field(), Field(), *v});
  }
}

void Select::video_bytes(std::vector<Value>& a, std::vector<Value>& b, bool sign) {
  const Field x = in(1), y = in(2);
  size_t copies = 0;
  for (std::vector<Value>* to : {&a, &b}) {
    const Value all = made("PRMT", {x, to == &a ? 0x3210 : 0x7654, y});
    for (uint32_t k = 0; k < 4; ++k) {
      Value v = made("PRMT", {all, immediate(0x7650 + k), Field()});
      if (sign) {
        v = made("PRMT", {v, 0x8880, Field()});
        if (++copies % 3 == 0 || copies == 1) {  // three of eight
          v = made("IMAD.MOV.U32", {Field(), Field(), v});
        }
      }
      to->push_back(v);
    }
  }
}

Value Select::video_element(Value a, Value b, bool sign, uint32_t bits_of) {
  const Op& o = op();
  Field second = b;
  switch (kind_of(o.opcode)) {
    case Kind::kMin:
      return made("VIMNMX", {a, second, kPT});
    case Kind::kMax:
      return made("VIMNMX", {a, second, kNotPT});
    case Kind::kSet: {
      const Value holds = predicate();
      emit("ISETP.LT.AND", {holds, kPT}, {a, second, kPT});
      const Value all = made("SEL", {Field(), 0xffffffff, holds});
      return made("LOP3.LUT", {all, 0x1, Field(), 0xc0, kNotPT});
    }
    case Kind::kAbsdiff:
      second.negated = true;
      return made("IABS", {made("IMAD.IADD", {a, 0x1, second})});
    case Kind::kAverage: {
      const Value sum = made("IMAD.IADD", {a, 0x1, second}), positive = predicate();
      emit("ISETP.GE.AND", {positive, kPT}, {sum, Field(), kPT});
      Machine& m = emit("VIADD", {sum}, {sum, 0x1});
      m.guard = positive;
      m.guard_negated = false;
      return made("SHF.R.S32.HI", {Field(), 0x1, sum});
    }
    default: {
      second.negated = kind_of(o.opcode) == Kind::kSub;
      const Value sum = made("IMAD.IADD", {a, 0x1, second});
      if (!o.has(Flag::kSat)) {
        return sum;
      }
      const Value cut = made("I2I"_op + whole_number(sign, bits_of) + ".S32.SAT", {sum});
      block_->code.back().op = isa::OpClass::kAlu;  // of these ptxas knows when they are done
      return sign ? made("PRMT", {cut, bits_of == 16 ? 0x9910 : 0x8880, Field()})
                  : made("LOP3.LUT", {cut, bits_of == 16 ? 0xffff : 0xff, Field(), 0xc0, kNotPT});
    }
  }
}

// Those of which all elements are done in a word at once.
bool Select::video_at_once(uint32_t elements, bool sign) {
  const Op& o = op();
  const Kind kind = kind_of(o.opcode);
  const bool sums = o.combine == Combine::kAdd;
  const Value to = result();
  const Field x = in(1), y = in(2);
  if (at(0).selected || at(1).selected || at(2).selected) {
    return false;
  }
  if (kind == Kind::kAbsdiff && elements == 4 && !sign) {
    emit(sums ? "VABSDIFF4.U8.ACC"_op : "VABSDIFF4.U8"_op, {to}, {x, y, in(3)});
    return true;
  }
  if (kind == Kind::kAdd && elements == 4 && !sign && sums) {
    const Value ones = temporary(1, File::kUniform);
    emit("UMOV", {ones}, {0x1010101});
    const Value first = made("IDP.4A.U8.U8", {x, ones, in(3)});
    const Value second = made("IDP.4A.U8.U8", {y, ones, Field()});
    emit("IADD3", {to}, {first, second, Field()});
    return true;
  }
  if (sums || o.has(Flag::kSat)) {
    return false;
  }
  if (!sign && (kind == Kind::kAdd || kind == Kind::kSub)) {
    if (elements == 2) {
      const Value sum = made("IMAD.IADD", {x, 0x1, y});
      const Value carries = made("LOP3.LUT", {sum, x, y, 0x96, kNotPT});
      const Value carry = made("LOP3.LUT", {carries, 0x10000, Field(), 0xc0, kNotPT});
      emit("IADD3", {to}, {sum, carry, Field()});
    } else {
      const Value low_x = made("LOP3.LUT", {x, 0x7f7f7f7f, Field(), 0xc0, kNotPT});
      const Value low_y = made("LOP3.LUT", {y, 0x7f7f7f7f, Field(), 0xc0, kNotPT});
      const Value tops = made("LOP3.LUT", {x, 0x80808080, y, 0x48, kNotPT});
      const Value sum = made("IMAD.IADD", {low_x, 0x1, low_y});
      emit("LOP3.LUT", {to}, {sum, tops, Field(), 0x3c, kNotPT});
    }
    return true;
  }
  if (elements == 2 && kind == Kind::kAverage && !sign) {
    const Value differ = made("LOP3.LUT", {x, 0xfffefffe, y, 0x48, kNotPT});
    const Value any = made("LOP3.LUT", {x, y, Field(), 0xfc, kNotPT});
    const Value half = made("SHF.R.U32.HI", {Field(), 0x1, differ});
    emit("IMAD.IADD", {to}, {any, 0x1, half});
    return true;
  }
  if (elements == 2 && (kind == Kind::kMin || kind == Kind::kMax)) {
    video_choose_halves(to, sign);
    return true;
  }
  return false;
}

void Select::video_choose_halves(Value to, bool sign) {
  const Field x = in(1), y = in(2);
  const sass::Operand which = kind_of(op().opcode) == Kind::kMin ? kPT : kNotPT;
  const auto lower = [&](const Field& f) {
    return sign ? made("PRMT", {f, 0x9910, Field()}) : made("LOP3.LUT", {f, 0xffff, Field(), 0xc0, kNotPT});
  };
  const Value a = lower(x);
  Value b = lower(y);
  if (sign) {
    b = made("IMAD.MOV.U32", {Field(), Field(), b});
  }
  const Value up_a = made("LOP3.LUT", {x, 0xffff0000, Field(), 0xc0, kNotPT});
  const Value up_b = made("LOP3.LUT", {y, 0xffff0000, Field(), 0xc0, kNotPT});
  const Value upper = made("VIMNMX", {up_a, up_b, which}), lower_one = made("VIMNMX", {a, b, which});
  if (sign) {
    emit("LOP3.LUT", {to}, {upper, 0xffff, lower_one, 0xf8, kNotPT});
  } else {
    emit("IMAD.IADD", {to}, {upper, 0x1, lower_one});
  }
}

void Select::video_elements(uint32_t elements) {
  const Op& o = op();
  const bool set = kind_of(o.opcode) == Kind::kSet;
  const bool sign = is_signed(o.types[set ? 0 : 1]) || is_signed(o.types[set ? 1 : 2]);
  if (video_at_once(elements, sign)) {
    return;
  }
  std::vector<Value> a, b, d;
  elements == 2 ? video_halves(a, b, sign) : video_bytes(a, b, sign);
  for (uint32_t k = 0; k < elements; ++k) {
    d.push_back(video_element(a[k], b[k], !set && is_signed(o.types[0]), 32 / elements));
  }
  const Value to = result();
  if (o.combine == Combine::kAdd) {
    Value sum = made("IADD3", {in(3), d[0], d[1]});
    if (elements == 4) {
      sum = made("IADD3", {sum, d[2], d[3]});
    }
    finish(to, sum);
    return;
  }
  Value all = made("PRMT", {d[0], elements == 2 ? 0x7610 : 0x7650, Field()});
  static constexpr int64_t kInto[] = {0x7604, 0x7054, 0x654};
  for (uint32_t k = 1; k < elements; ++k) {
    all = made("PRMT", {all, elements == 2 ? 0x5410 : kInto[k - 1], d[k]});
  }
  emit("PRMT", {to}, {all, 0x3210, in(3)});
}

}  // namespace heddle::ptx::lower
