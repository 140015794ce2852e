// Division and remainder of integers: by the divisor's reciprocal, as the SASS of dp4a has it.
#include <algorithm>

#include "frontends/ptx/form.h"
#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {
namespace {

// Instructions, the first ones of which belong to the divisor alone (ptx.md 6.2).
constexpr uint32_t kReciprocal = 7;
constexpr uint32_t kDivide64 = 68, kDivide16 = 9;

}  // namespace

void Select::divide() {
  const Op& o = op();
  const uint32_t n = bits(o.type());
  const Operand divisor = uses_.origin(at(2));
  if (divisor.kind == OperandKind::kImmediate && n <= 32) {
    divide_by_number(static_cast<uint64_t>(divisor.value));
  } else if (n == 32) {
    divide_words();
  } else {
    const Value q = divisor_of(n).inverse;
    const bool is_signed = info(o.type()).kind == TypeKind::kSigned;
    const uint32_t rest = (n == 64 ? kDivide64 : kDivide16) - kReciprocal + (is_signed ? 3 : 0);
    Value v = temporary();
    emit("IMAD.HI.U32", {v}, {q, vector(at(1)), Field()});
    v = chain("IMAD", rest / 2, v);
    v = chain("IADD3", rest - rest / 2, v);
    const Value to = result();
    emit("IMAD", {low(to)}, {v, low(vector(at(1))), Field()});
    if (to.count == 2) {
      emit("IMAD", {high(to)}, {v, v, Field()});
    }
  }
}

void Select::divide_by_number(uint64_t d) {
  const bool is_signed = info(op().type()).kind == TypeKind::kSigned;
  const bool power = (d & (d - 1)) == 0;
  Value v = temporary();
  if (power) {
    emit("SHF.R.U32.HI", {v}, {Field(), in(2), in(1)});
    v = chain("LEA.HI", is_signed ? 1 : 0, v);
  } else {
    emit("IMAD.HI.U32", {v}, {in(1), in(2), Field()});
    v = chain("SHF.R.U32.HI", is_signed ? 2 : 1, v);
  }
  if (op().opcode == Opcode::kRem) {
    emit(power ? "LOP3.LUT"_op : "IMAD"_op, {result()}, {v, in(2), in(1)});
  } else {
    emit("IMAD.MOV.U32", {result()}, {Field(), Field(), v});
  }
}

// The quotient by the reciprocal is at most two too small.
void Select::divide_words() {
  const bool is_signed = info(op().type()).kind == TypeKind::kSigned;
  const bool remainder = op().opcode == Opcode::kRem;
  const Divisor y = divisor_of(32);
  Value x = vector(at(1));
  const Value given = x;
  if (is_signed) {
    x = temporary();
    emit("IABS", {x}, {given});
  }
  const Value q = temporary(), minus = temporary(), left = temporary();
  emit("IMAD.HI.U32", {q}, {y.inverse, x, Field()});
  emit("IMAD.MOV", {minus}, {Field(), Field(), q});
  emit("IMAD", {left}, {y.size, minus, x});
  for (int step = 0; step < 2; ++step) {
    const Value more = predicate();
    emit("ISETP.GE.U32.AND", {more, kPT}, {left, y.size, kPT});
    if (remainder || step == 0) {
      emit("IMAD.IADD", {left}, {left, 0x1, y.size}).guard = more;
    }
    if (!remainder) {
      emit("IADD3", {q}, {q, 0x1, Field()}).guard = more;
    }
  }
  const Value out = remainder ? left : q;
  if (is_signed) {
    const Value positive = predicate();
    Value sign = given;
    if (!remainder) {
      sign = temporary();
      emit("LOP3.LUT", {sign}, {given, y.given, Field(), 0x3c, kNotPT});
    }
    emit("ISETP.GE.AND", {positive, kPT}, {sign, Field(), kPT});
    Machine& m = emit("IMAD.MOV", {out}, {Field(), Field(), out});
    m.guard = positive;
    m.guard_negated = true;
  }
  emit("SEL", {result()}, {y.inverted, out, y.zero});
}

// Of a divisor, once: where it is calculated, so that loops find it.
Select::Divisor Select::divisor_of(uint32_t n) {
  const Operand divisor = uses_.origin(at(2));
  const uint32_t m = divisor.kind == OperandKind::kRegister ? uses_.writer(divisor.id) : kNone;
  if (m != kNone) {
    const auto known = divisors_.find(divisor.id);
    if (known != divisors_.end()) {
      return known->second;
    }
  }
  Block* const here = block_;
  size_t place = block_->code.size();
  if (m != kNone && out_.block_of[m] < number_) {
    block_ = &out_.blocks[out_.block_of[m]];
    place = block_->code.size();
    while (place > 0 && (block_->code[place - 1].op == isa::OpClass::kBranch ||
                         block_->code[place - 1].op == isa::OpClass::kExit)) {
      --place;
    }
  }
  const size_t before = block_->code.size();
  const uint32_t origin = now_;
  if (block_ != here) {
    now_ = block_->stretches.front().first;
  }
  const Value x = temporary(), r = temporary(), y = temporary();
  Divisor out;
  out.given = vector(divisor);
  out.size = out.given;
  const bool words = n == 32;
  if (words && info(op().type()).kind == TypeKind::kSigned) {
    out.size = temporary();
    emit("IABS", {out.size}, {out.given});
  }
  const Field d = out.size;
  emit(n == 64 ? "I2F.U64.RP"_op : "I2F.RP"_op, {x}, {d});
  emit("MUFU.RCP", {r}, {x});
  emit("IADD3", {y}, {r, int64_t{0xffffffe}, Field()});
  Value q = temporary();
  emit("F2I.FTZ.U32.TRUNC.NTZ", {q}, {y});
  out.inverse = chain("IMAD", kReciprocal - 4, q);
  if (words) {
    out.zero = predicate();
    out.inverted = temporary();
    emit("ISETP.NE.U32.AND", {out.zero, kPT}, {out.given, Field(), kPT});
    emit("LOP3.LUT", {out.inverted}, {Field(), out.given, Field(), 0x33, kNotPT});
  }
  for (size_t k = before; k < block_->code.size(); ++k) {
    block_->code[k].lanes = Machine::Lanes::kAll;
    block_->code[k].guard = {};
  }
  std::rotate(block_->code.begin() + static_cast<std::ptrdiff_t>(place),
              block_->code.begin() + static_cast<std::ptrdiff_t>(before), block_->code.end());
  now_ = origin;
  block_ = here;
  if (m != kNone) {
    divisors_[divisor.id] = out;
  }
  return out;
}

}  // namespace heddle::ptx::lower
