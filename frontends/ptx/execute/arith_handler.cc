#include "frontends/ptx/execute/arith_handler.h"

#include <optional>

#include "frontends/ptx/execute/arith_types.h"
#include "frontends/ptx/form.h"
#include "sim/exec/arith/bits.h"
#include "sim/exec/arith/compare.h"
#include "sim/exec/arith/convert.h"
#include "sim/exec/arith/float.h"
#include "sim/exec/arith/integer.h"
#include "sim/exec/arith/special.h"

namespace heddle::ptx {
namespace {

using exec::arith::BitOp;
using exec::arith::Carry;
using exec::arith::Conversion;
using exec::arith::FloatOp;
using exec::arith::Fn;
using exec::arith::IntegerOp;
using exec::arith::Number;
using exec::arith::SpecialOp;

bool is_float(Number n) { return n >= Number::kF16 && n <= Number::kF64; }

Fn bits_of(const Op& op, BitOp which) { return {exec::arith::bit_fn(which, number_of(op.type()))}; }

Carry carry_of(const Op& op) {
  const bool in = op.opcode == Opcode::kAddc || op.opcode == Opcode::kSubc || op.opcode == Opcode::kMadc;
  const bool out = op.has(Flag::kCc);
  return in ? (out ? Carry::kInOut : Carry::kIn) : out ? Carry::kOut : Carry::kNone;
}

IntegerOp product_of(const Op& op, bool adds, bool carries) {
  switch (op.part) {
    case Part::kHi:
      return !adds                ? IntegerOp::kMulHi
             : carries            ? IntegerOp::kMadHiCarry
             : op.has(Flag::kSat) ? IntegerOp::kMadHiSat
                                  : IntegerOp::kMadHi;
    case Part::kWide:
      return adds ? IntegerOp::kMadWide : IntegerOp::kMulWide;
    default:
      return !adds ? IntegerOp::kMulLo : carries ? IntegerOp::kMadLoCarry : IntegerOp::kMadLo;
  }
}

// min and max, also of pairs and with relu.
IntegerOp extreme_of(const Op& op, bool pair) {
  const bool least = op.opcode == Opcode::kMin;
  if (op.has(Flag::kRelu)) {
    return least ? (pair ? IntegerOp::kMinReluX2 : IntegerOp::kMinRelu)
                 : (pair ? IntegerOp::kMaxReluX2 : IntegerOp::kMaxRelu);
  }
  return least ? (pair ? IntegerOp::kMinX2 : IntegerOp::kMin) : (pair ? IntegerOp::kMaxX2 : IntegerOp::kMax);
}

std::optional<IntegerOp> integer_op(const Op& op) {
  const bool pair = op.type() == Type::kU16x2 || op.type() == Type::kS16x2;
  const bool carries = carry_of(op) != Carry::kNone;
  const bool sat = op.has(Flag::kSat), high = op.part == Part::kHi;
  switch (op.opcode) {
    case Opcode::kAdd:
    case Opcode::kAddc:
      return pair      ? IntegerOp::kAddX2
             : carries ? IntegerOp::kAddCarry
             : sat     ? IntegerOp::kAddSat
                       : IntegerOp::kAdd;
    case Opcode::kSub:
    case Opcode::kSubc:
      return carries ? IntegerOp::kSubCarry : sat ? IntegerOp::kSubSat : IntegerOp::kSub;
    case Opcode::kMul:
      return product_of(op, false, false);
    case Opcode::kMad:
    case Opcode::kMadc:
      return product_of(op, true, carries);
    case Opcode::kMul24:
      return high ? IntegerOp::kMul24Hi : IntegerOp::kMul24Lo;
    case Opcode::kMad24:
      return !high ? IntegerOp::kMad24Lo : sat ? IntegerOp::kMad24HiSat : IntegerOp::kMad24Hi;
    case Opcode::kSad:
      return IntegerOp::kSad;
    case Opcode::kDiv:
      return IntegerOp::kDiv;
    case Opcode::kRem:
      return IntegerOp::kRem;
    case Opcode::kAbs:
      return IntegerOp::kAbs;
    case Opcode::kNeg:
      return IntegerOp::kNeg;
    case Opcode::kMin:
    case Opcode::kMax:
      return extreme_of(op, pair);
    default:
      return std::nullopt;
  }
}

std::optional<FloatOp> float_op(const Op& op) {
  switch (op.opcode) {
    case Opcode::kAdd:
      return FloatOp::kAdd;
    case Opcode::kSub:
      return FloatOp::kSub;
    case Opcode::kMul:
      return FloatOp::kMul;
    case Opcode::kMad:
    case Opcode::kFma:
      return FloatOp::kFma;
    case Opcode::kDiv:
      return FloatOp::kDiv;
    case Opcode::kRcp:
      return FloatOp::kRcp;
    case Opcode::kSqrt:
      return FloatOp::kSqrt;
    case Opcode::kNeg:
      return FloatOp::kNeg;
    case Opcode::kAbs:
      return FloatOp::kAbs;
    case Opcode::kMin:
      return FloatOp::kMin;
    case Opcode::kMax:
      return FloatOp::kMax;
    case Opcode::kCopysign:
      return FloatOp::kCopysign;
    default:
      return std::nullopt;
  }
}

std::optional<SpecialOp> special_op(const Op& op) {
  switch (op.opcode) {
    case Opcode::kDiv:
      return op.has(Flag::kFull) ? SpecialOp::kDivFull : SpecialOp::kDivApprox;
    case Opcode::kRcp:
      return SpecialOp::kRcp;
    case Opcode::kSqrt:
      return SpecialOp::kSqrt;
    case Opcode::kRsqrt:
      return SpecialOp::kRsqrt;
    case Opcode::kSin:
      return SpecialOp::kSin;
    case Opcode::kCos:
      return SpecialOp::kCos;
    case Opcode::kLg2:
      return SpecialOp::kLg2;
    case Opcode::kEx2:
      return SpecialOp::kEx2;
    case Opcode::kTanh:
      return SpecialOp::kTanh;
    default:
      return std::nullopt;
  }
}

Fn float_arithmetic(const Op& op) {
  if (op.has(Flag::kApprox) || op.has(Flag::kFull)) {
    const auto special = special_op(op);
    return special ? Fn{exec::arith::special_fn(*special, number_of(op.type()), is_pair(op.type()),
                                                op.has(Flag::kFtz))}
                   : Fn{};
  }
  // Three operands of min and max are not sm_90's, and which NaN .oob means is not known.
  const bool three = op.form->operands.size() > 3;
  if (op.has(Flag::kOob) || ((op.opcode == Opcode::kMin || op.opcode == Opcode::kMax) && three)) {
    return {};
  }
  const auto which = float_op(op);
  return which ? exec::arith::float_fn(*which, number_of(op.type()), is_pair(op.type()), float_how(op))
               : Fn{};
}

// Those of any type.
Fn sums_and_products(const Op& op) {
  const Number n = number_of(op.type());
  if (is_float(n)) {
    return float_arithmetic(op);
  }
  const auto which = integer_op(op);
  return which ? Fn{exec::arith::integer_fn(*which, n, carry_of(op))} : Fn{};
}

Fn test(const Op& op) {
  const Number n = number_of(op.type());
  const auto of = [&](FloatOp which) { return exec::arith::float_fn(which, n, false, {}); };
  switch (op.mode) {
    case Mode::kFinite:
      return of(FloatOp::kFinite);
    case Mode::kInfinite:
      return of(FloatOp::kInfinite);
    case Mode::kNumber:
      return of(FloatOp::kNumber);
    case Mode::kNotanumber:
      return of(FloatOp::kNotanumber);
    case Mode::kNormal:
      return of(FloatOp::kNormal);
    default:
      return of(FloatOp::kSubnormal);
  }
}

Fn logic(const Op& op) {
  const bool predicates = op.type() == Type::kPred;
  switch (op.opcode) {
    case Opcode::kAnd:
      return bits_of(op, predicates ? BitOp::kAndPred : BitOp::kAnd);
    case Opcode::kOr:
      return bits_of(op, predicates ? BitOp::kOrPred : BitOp::kOr);
    case Opcode::kXor:
      return bits_of(op, predicates ? BitOp::kXorPred : BitOp::kXor);
    default:
      return bits_of(op, predicates ? BitOp::kNotPred : BitOp::kNot);
  }
}

BitOp permutation(Mode mode) {
  switch (mode) {
    case Mode::kF4e:
      return BitOp::kPrmtF4e;
    case Mode::kB4e:
      return BitOp::kPrmtB4e;
    case Mode::kRc8:
      return BitOp::kPrmtRc8;
    case Mode::kEcl:
      return BitOp::kPrmtEcl;
    case Mode::kEcr:
      return BitOp::kPrmtEcr;
    case Mode::kRc16:
      return BitOp::kPrmtRc16;
    default:
      return BitOp::kPrmt;
  }
}

Fn words_and_fields(const Op& op) {
  const bool clamp = op.mode == Mode::kClamp;
  switch (op.opcode) {
    case Opcode::kCnot:
      return bits_of(op, BitOp::kCnot);
    case Opcode::kShl:
      return bits_of(op, BitOp::kShl);
    case Opcode::kShr:
      return bits_of(op, BitOp::kShr);
    case Opcode::kPopc:
      return bits_of(op, BitOp::kPopc);
    case Opcode::kClz:
      return bits_of(op, BitOp::kClz);
    case Opcode::kBfind:
      return bits_of(op, op.has(Flag::kShiftamt) ? BitOp::kBfindShift : BitOp::kBfind);
    case Opcode::kBrev:
      return bits_of(op, BitOp::kBrev);
    case Opcode::kBfe:
      return bits_of(op, BitOp::kBfe);
    case Opcode::kBfi:
      return bits_of(op, BitOp::kBfi);
    case Opcode::kFns:
      return bits_of(op, BitOp::kFns);
    case Opcode::kSzext:
      return bits_of(op, clamp ? BitOp::kSzextClamp : BitOp::kSzextWrap);
    case Opcode::kBmsk:
      return bits_of(op, clamp ? BitOp::kBmskClamp : BitOp::kBmskWrap);
    case Opcode::kShf:
      return bits_of(op, op.mode2 == Mode::kLeft ? (clamp ? BitOp::kShfLeftClamp : BitOp::kShfLeftWrap)
                                                 : (clamp ? BitOp::kShfRightClamp : BitOp::kShfRightWrap));
    case Opcode::kLop3:
      return bits_of(op, op.bool_op == BoolOp::kOr    ? BitOp::kLop3Or
                         : op.bool_op == BoolOp::kAnd ? BitOp::kLop3And
                                                      : BitOp::kLop3);
    case Opcode::kPrmt:
      return bits_of(op, permutation(op.mode));
    case Opcode::kSelp:
      return bits_of(op, BitOp::kSelect);
    default:
      return {};
  }
}

// What set writes where it holds; of pairs into each half.
uint32_t yes_of(Type to, bool pair) {
  switch (number_of(to)) {
    case Number::kF32:
      return 0x3f800000;
    case Number::kF16:
      return 0x3c00;
    case Number::kBf16:
      return 0x3f80;
    case Number::kU16:
    case Number::kS16:
      return 0xffff;
    default:
      return pair ? 0xffff : 0xffffffff;
  }
}

Fn select_by_sign(const Op& op) {
  if (op.types[1] == Type::kS32) {
    return bits_of(op, BitOp::kSlctS32);
  }
  return bits_of(op, op.has(Flag::kFtz) ? BitOp::kSlctFlushed : BitOp::kSlctF32);
}

Fn conversion(const Op& op, const ArithOperands& operands) {
  Conversion c;
  c.to = number_of(op.types[0]);
  c.from = number_of(op.types[1]);
  c.round = round_of(op.rounding);
  c.whole = op.rounding >= Rounding::kRni && op.rounding <= Rounding::kRpi && is_float(c.to);
  // To f16 ptxas leaves .ftz away, which shows where a denormal is rounded up.
  c.ftz = op.has(Flag::kFtz) && c.to != Number::kF16;
  c.sat = op.has(Flag::kSat);
  c.relu = op.has(Flag::kRelu);
  c.satfinite = op.has(Flag::kSatfinite);
  c.register_bits = operands.register_bits;
  if (c.to == Number::kNone || c.from == Number::kNone || op.rounding == Rounding::kRs) {
    return {};
  }
  if (!is_pair(op.types[0])) {
    return exec::arith::convert_fn(c);
  }
  return is_pair(op.types[1]) ? exec::arith::convert_pair_fn(c) : exec::arith::convert_two_fn(c);
}

}  // namespace

Fn arith_handler(const Op& op, const ArithOperands& operands) {
  if (is_video(op)) {
    return video_handler(op, operands);
  }
  switch (op.opcode) {
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
      return logic(op);
    case Opcode::kSetp: {
      const auto c = comparison_of(op, op.type());
      return operands.second ? exec::arith::setp_fn(c) : exec::arith::setp_one_fn(c);
    }
    case Opcode::kSet:
      return exec::arith::set_fn(comparison_of(op, op.types[1]), yes_of(op.types[0], is_pair(op.types[1])));
    case Opcode::kSlct:
      return select_by_sign(op);
    case Opcode::kTestp:
      return test(op);
    case Opcode::kCvt:
      return conversion(op, operands);
    case Opcode::kCvtPack:
      return exec::arith::pack_fn(bits(op.types[0]), info(op.types[0]).kind == TypeKind::kSigned);
    case Opcode::kDp4a:
    case Opcode::kDp2a:
      return {exec::arith::dot_fn(op.opcode == Opcode::kDp2a, op.part == Part::kHi, op.types[0] == Type::kS32,
                                  op.types[1] == Type::kS32)};
    default: {
      const Fn fn = words_and_fields(op);
      return fn.fn != nullptr ? fn : sums_and_products(op);
    }
  }
}

Fn contracted_handler(const Op& sum, bool product_first) {
  const FloatOp which = sum.opcode == Opcode::kAdd ? FloatOp::kFma
                        : product_first            ? FloatOp::kFms
                                                   : FloatOp::kFnma;
  return exec::arith::float_fn(which, number_of(sum.type()), is_pair(sum.type()), float_how(sum));
}

}  // namespace heddle::ptx
