#include "sim/isa/atomic.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::isa {
namespace {

using Kind = AtomicOp::Kind;

template <class T>
T integer(Kind kind, T old, T operand, T compare) {
  switch (kind) {
    case Kind::kAdd:
      return static_cast<T>(static_cast<uint64_t>(old) + static_cast<uint64_t>(operand));
    case Kind::kMin:
      return std::min(old, operand);
    case Kind::kMax:
      return std::max(old, operand);
    case Kind::kInc:
      return old >= operand ? T{0} : static_cast<T>(old + 1);
    case Kind::kDec:
      return old == 0 || old > operand ? operand : static_cast<T>(old - 1);
    case Kind::kAnd:
      return old & operand;
    case Kind::kOr:
      return old | operand;
    case Kind::kXor:
      return old ^ operand;
    case Kind::kExchange:
      return operand;
    case Kind::kCompareExchange:
      return old == compare ? operand : old;
  }
  return old;
}

template <class T>
T floating(Kind kind, T old, T operand) {
  switch (kind) {
    case Kind::kMin:
      return std::fmin(old, operand);
    case Kind::kMax:
      return std::fmax(old, operand);
    case Kind::kAdd:
      return old + operand;
    default:
      return operand;
  }
}

}  // namespace

uint64_t apply(AtomicOp op, uint64_t old, uint64_t operand, uint64_t compare) {
  switch (op.type) {
    case AtomicOp::Type::kU32:
      return integer(op.kind, static_cast<uint32_t>(old), static_cast<uint32_t>(operand),
                     static_cast<uint32_t>(compare));
    case AtomicOp::Type::kS32:
      return static_cast<uint32_t>(integer(op.kind, static_cast<int32_t>(old), static_cast<int32_t>(operand),
                                           static_cast<int32_t>(compare)));
    case AtomicOp::Type::kU64:
      return integer(op.kind, old, operand, compare);
    case AtomicOp::Type::kS64:
      return static_cast<uint64_t>(integer(op.kind, static_cast<int64_t>(old), static_cast<int64_t>(operand),
                                           static_cast<int64_t>(compare)));
    case AtomicOp::Type::kF32:
      return std::bit_cast<uint32_t>(floating(op.kind, std::bit_cast<float>(static_cast<uint32_t>(old)),
                                              std::bit_cast<float>(static_cast<uint32_t>(operand))));
    case AtomicOp::Type::kF64:
      return std::bit_cast<uint64_t>(
          floating(op.kind, std::bit_cast<double>(old), std::bit_cast<double>(operand)));
  }
  return old;
}

}  // namespace heddle::isa
