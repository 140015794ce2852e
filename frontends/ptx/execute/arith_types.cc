#include "frontends/ptx/execute/arith_types.h"

namespace heddle::ptx {

using exec::arith::Boolean;
using exec::arith::Comparison;
using exec::arith::FloatHow;
using exec::arith::Number;
using exec::arith::Round;

Number number_of(Type type) {
  switch (type) {
    case Type::kU8:
    case Type::kB8:
      return Number::kU8;
    case Type::kS8:
      return Number::kS8;
    case Type::kU16:
    case Type::kB16:
    case Type::kU16x2:
      return Number::kU16;
    case Type::kS16:
    case Type::kS16x2:
      return Number::kS16;
    case Type::kU32:
    case Type::kB32:
      return Number::kU32;
    case Type::kS32:
      return Number::kS32;
    case Type::kU64:
    case Type::kB64:
      return Number::kU64;
    case Type::kS64:
      return Number::kS64;
    case Type::kF16:
    case Type::kF16x2:
      return Number::kF16;
    case Type::kBf16:
    case Type::kBf16x2:
      return Number::kBf16;
    case Type::kF32:
      return Number::kF32;
    case Type::kF64:
      return Number::kF64;
    case Type::kTf32:
      return Number::kTf32;
    case Type::kE4m3:
    case Type::kE4m3x2:
      return Number::kE4m3;
    case Type::kE5m2:
    case Type::kE5m2x2:
      return Number::kE5m2;
    default:
      return Number::kNone;
  }
}

bool is_pair(Type type) {
  return type == Type::kF16x2 || type == Type::kBf16x2 || type == Type::kE4m3x2 || type == Type::kE5m2x2;
}

Round round_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::kRz:
    case Rounding::kRzi:
      return Round::kZero;
    case Rounding::kRm:
    case Rounding::kRmi:
      return Round::kDown;
    case Rounding::kRp:
    case Rounding::kRpi:
      return Round::kUp;
    case Rounding::kRna:
      return Round::kAway;
    default:
      return Round::kNearest;
  }
}

FloatHow float_how(const Op& op) {
  FloatHow how;
  how.round = round_of(op.rounding);
  how.ftz = op.has(Flag::kFtz);
  how.sat = op.has(Flag::kSat);
  how.relu = op.has(Flag::kRelu);
  how.nan = op.has(Flag::kNan);
  how.xorsign = op.has(Flag::kXorsign);
  return how;
}

namespace {

uint8_t relations_of(Compare compare) {
  using enum exec::arith::Relation;
  switch (compare) {
    case Compare::kEq:
      return kEqual;
    case Compare::kNe:
      return kLess | kGreater;
    case Compare::kLt:
    case Compare::kLo:
      return kLess;
    case Compare::kLe:
    case Compare::kLs:
      return kLess | kEqual;
    case Compare::kGt:
    case Compare::kHi:
      return kGreater;
    case Compare::kGe:
    case Compare::kHs:
      return kGreater | kEqual;
    case Compare::kEqu:
      return kEqual | kUnordered;
    case Compare::kNeu:
      return kLess | kGreater | kUnordered;
    case Compare::kLtu:
      return kLess | kUnordered;
    case Compare::kLeu:
      return kLess | kEqual | kUnordered;
    case Compare::kGtu:
      return kGreater | kUnordered;
    case Compare::kGeu:
      return kGreater | kEqual | kUnordered;
    case Compare::kNum:
      return kLess | kEqual | kGreater;
    case Compare::kNan:
      return kUnordered;
    default:
      return 0;
  }
}

}  // namespace

Comparison comparison_of(const Op& op, Type type) {
  Comparison c;
  c.type = number_of(type);
  c.pair = is_pair(type);
  c.relations = relations_of(op.compare);
  c.boolean = op.bool_op == BoolOp::kAnd   ? Boolean::kAnd
              : op.bool_op == BoolOp::kOr  ? Boolean::kOr
              : op.bool_op == BoolOp::kXor ? Boolean::kXor
                                           : Boolean::kNone;
  c.ftz = op.has(Flag::kFtz);
  return c;
}

}  // namespace heddle::ptx
