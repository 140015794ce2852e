#include "frontends/ptx/execute/basic_arith.h"

#include <bit>
#include <cmath>
#include <type_traits>

namespace heddle::ptx {
namespace {

template <class T>
T read(uint64_t x) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(x));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(x);
  } else {
    return static_cast<T>(x);
  }
}
template <class T>
uint64_t write(T x) {
  if constexpr (std::is_same_v<T, float>) {
    return std::isnan(x) ? 0x7fffffff : std::bit_cast<uint32_t>(x);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(x);
  } else {
    return static_cast<std::make_unsigned_t<T>>(x);
  }
}

// clang-format off
struct Add { template <class T> static T of(T a, T b, T) { return static_cast<T>(a + b); } };
struct Sub { template <class T> static T of(T a, T b, T) { return static_cast<T>(a - b); } };
struct Mul { template <class T> static T of(T a, T b, T) { return static_cast<T>(a * b); } };
struct Mad { template <class T> static T of(T a, T b, T c) { return static_cast<T>(a * b + c); } };
struct Fma { template <class T> static T of(T a, T b, T c) { return std::fma(a, b, c); } };
struct And { template <class T> static T of(T a, T b, T) { return a & b; } };
struct Or  { template <class T> static T of(T a, T b, T) { return a | b; } };
struct Xor { template <class T> static T of(T a, T b, T) { return a ^ b; } };
struct Shl { template <class T> static T of(T a, T b, T) { return b >= 8 * sizeof(T) ? T{0} : static_cast<T>(a << b); } };
struct Shr { template <class T> static T of(T a, T b, T) { return b >= 8 * sizeof(T) ? T{0} : static_cast<T>(a >> b); } };
// clang-format on

template <class T, class F>
void apply(const exec::Arguments& a, uint32_t mask) {
  for (uint32_t l = 0; l < exec::kLanes; ++l) {
    if ((mask >> l & 1) != 0) {
      (*a.d[0])[l] = write<T>(F::of(read<T>((*a.s[0])[l]), read<T>((*a.s[1])[l]),
                                    a.s[2] != nullptr ? read<T>((*a.s[2])[l]) : T{}));
    }
  }
}

// Operands of T, result of the unsigned U.
template <class T, class U, bool kAdds>
void wide(const exec::Arguments& a, uint32_t mask) {
  for (uint32_t l = 0; l < exec::kLanes; ++l) {
    if ((mask >> l & 1) != 0) {
      (*a.d[0])[l] =
          static_cast<U>(static_cast<U>(read<T>((*a.s[0])[l])) * static_cast<U>(read<T>((*a.s[1])[l])) +
                         (kAdds ? (*a.s[2])[l] : 0));
    }
  }
}

template <class T, Compare kHow>
void compare(const exec::Arguments& a, uint32_t mask) {
  for (uint32_t l = 0; l < exec::kLanes; ++l) {
    if ((mask >> l & 1) != 0) {
      const T x = read<T>((*a.s[0])[l]), y = read<T>((*a.s[1])[l]);
      (*a.d[0])[l] = kHow == Compare::kEq   ? x == y
                     : kHow == Compare::kNe ? x != y
                     : kHow == Compare::kLt ? x < y
                     : kHow == Compare::kLe ? x <= y
                     : kHow == Compare::kGt ? x > y
                                            : x >= y;
    }
  }
}

template <class To, class From>
void convert(const exec::Arguments& a, uint32_t mask) {
  for (uint32_t l = 0; l < exec::kLanes; ++l) {
    if ((mask >> l & 1) != 0) {
      (*a.d[0])[l] = write<To>(static_cast<To>(read<From>((*a.s[0])[l])));
    }
  }
}

void select(const exec::Arguments& a, uint32_t mask) {
  for (uint32_t l = 0; l < exec::kLanes; ++l) {
    if ((mask >> l & 1) != 0) {
      (*a.d[0])[l] = (*a.s[2])[l] != 0 ? (*a.s[0])[l] : (*a.s[1])[l];
    }
  }
}

// Whole numbers and plain bits; pairs of halves are neither.
bool is_word(Type t) { return is_integer(t) || info(t).kind == TypeKind::kBits; }

template <class F>
exec::WarpFn by_type(Type t) {
  switch (t) {
    case Type::kF32:
      return apply<float, F>;
    case Type::kF64:
      return apply<double, F>;
    default:
      return !is_word(t)     ? nullptr
             : bits(t) == 64 ? apply<uint64_t, F>
             : bits(t) == 32 ? apply<uint32_t, F>
                             : nullptr;
  }
}

template <class F>
exec::WarpFn of_bits(Type t) {
  return t == Type::kPred || bits(t) == 32 ? apply<uint32_t, F>
         : bits(t) == 64                   ? apply<uint64_t, F>
                                           : nullptr;
}

template <class T>
exec::WarpFn compared(Compare c) {
  switch (c) {
    case Compare::kEq:
      return compare<T, Compare::kEq>;
    case Compare::kNe:
      return compare<T, Compare::kNe>;
    case Compare::kLt:
    case Compare::kLo:
      return compare<T, Compare::kLt>;
    case Compare::kLe:
    case Compare::kLs:
      return compare<T, Compare::kLe>;
    case Compare::kGt:
    case Compare::kHi:
      return compare<T, Compare::kGt>;
    case Compare::kGe:
    case Compare::kHs:
      return compare<T, Compare::kGe>;
    default:
      return nullptr;
  }
}

exec::WarpFn comparison(const Op& op) {
  if (op.bool_op != BoolOp::kNone) {
    return nullptr;
  }
  switch (op.type()) {
    case Type::kF32:
      return compared<float>(op.compare);
    case Type::kF64:
      return compared<double>(op.compare);
    case Type::kS32:
      return compared<int32_t>(op.compare);
    case Type::kS64:
      return compared<int64_t>(op.compare);
    default:
      return !is_word(op.type())     ? nullptr
             : bits(op.type()) == 64 ? compared<uint64_t>(op.compare)
             : bits(op.type()) == 32 ? compared<uint32_t>(op.compare)
                                     : nullptr;
  }
}

exec::WarpFn conversion(const Op& op) {
  const Type to = op.types[0], from = op.types[1];
  const bool sign = from == Type::kS32;
  if (!is_integer(from) || (bits(from) < 32 && info(from).kind == TypeKind::kSigned)) {
    return nullptr;
  }
  if (is_integer(to) && bits(to) == 64 && bits(from) == 32) {
    return sign ? convert<int64_t, int32_t> : convert<uint64_t, uint32_t>;
  }
  if (is_integer(to) && bits(to) == 32) {
    return convert<uint32_t, uint64_t>;
  }
  return to == Type::kF32 && bits(from) == 32 ? (sign ? convert<float, int32_t> : convert<float, uint32_t>)
                                              : nullptr;
}

exec::WarpFn product(const Op& op, bool adds) {
  if (op.part == Part::kWide && bits(op.type()) == 32) {
    return op.type() == Type::kS32
               ? (adds ? wide<int32_t, uint64_t, true> : wide<int32_t, uint64_t, false>)
               : (adds ? wide<uint32_t, uint64_t, true> : wide<uint32_t, uint64_t, false>);
  }
  if (op.part == Part::kHi || op.part == Part::kWide) {
    return nullptr;
  }
  return adds ? by_type<Mad>(op.type()) : by_type<Mul>(op.type());
}

}  // namespace

exec::WarpFn basic_arith(const Op& op) {
  // Neither carries, saturation, flushing, approximations nor other roundings.
  if (op.flags != 0 || (op.rounding != Rounding::kNone && op.rounding != Rounding::kRn)) {
    return nullptr;
  }
  switch (op.opcode) {
    case Opcode::kAdd:
      return by_type<Add>(op.type());
    case Opcode::kSub:
      return by_type<Sub>(op.type());
    case Opcode::kMul:
      return product(op, false);
    case Opcode::kMad:
      return product(op, true);
    case Opcode::kFma:
      return op.type() == Type::kF32   ? apply<float, Fma>
             : op.type() == Type::kF64 ? apply<double, Fma>
                                       : exec::WarpFn{};
    case Opcode::kAnd:
      return of_bits<And>(op.type());
    case Opcode::kOr:
      return of_bits<Or>(op.type());
    case Opcode::kXor:
      return of_bits<Xor>(op.type());
    case Opcode::kShl:
      return of_bits<Shl>(op.type());
    case Opcode::kShr:
      return info(op.type()).kind == TypeKind::kSigned ? nullptr : of_bits<Shr>(op.type());
    case Opcode::kSetp:
      return comparison(op);
    case Opcode::kSelp:
      return select;
    case Opcode::kCvt:
      return conversion(op);
    default:
      return nullptr;
  }
}

}  // namespace heddle::ptx
