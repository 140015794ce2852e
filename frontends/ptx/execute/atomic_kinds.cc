#include "frontends/ptx/execute/atomic_kinds.h"

namespace heddle::ptx {

std::optional<exec::AtomicKind> atomic_kind(Combine c) {
  using exec::AtomicKind;
  switch (c) {
    case Combine::kAnd:
      return AtomicKind::kAnd;
    case Combine::kOr:
      return AtomicKind::kOr;
    case Combine::kXor:
      return AtomicKind::kXor;
    case Combine::kCas:
      return AtomicKind::kCas;
    case Combine::kExch:
      return AtomicKind::kExch;
    case Combine::kAdd:
      return AtomicKind::kAdd;
    case Combine::kInc:
      return AtomicKind::kInc;
    case Combine::kDec:
      return AtomicKind::kDec;
    case Combine::kMin:
      return AtomicKind::kMin;
    case Combine::kMax:
      return AtomicKind::kMax;
    default:
      return std::nullopt;
  }
}

std::optional<exec::AtomicType> atomic_type(Type t) {
  using exec::AtomicType;
  switch (t) {
    case Type::kB16:
      return AtomicType::kB16;
    case Type::kB32:
    case Type::kU32:
      return AtomicType::kU32;
    case Type::kS32:
      return AtomicType::kS32;
    case Type::kB64:
    case Type::kU64:
      return AtomicType::kU64;
    case Type::kS64:
      return AtomicType::kS64;
    case Type::kB128:
      return AtomicType::kB128;
    case Type::kF16:
      return AtomicType::kF16;
    case Type::kF16x2:
      return AtomicType::kF16x2;
    case Type::kBf16:
      return AtomicType::kBf16;
    case Type::kBf16x2:
      return AtomicType::kBf16x2;
    case Type::kF32:
      return AtomicType::kF32;
    case Type::kF64:
      return AtomicType::kF64;
    default:
      return std::nullopt;
  }
}

}  // namespace heddle::ptx
