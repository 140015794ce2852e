// The types of PTX (ptx.md 1.3, 1.4, 2.9): those of registers and memory, and those that only instructions
// name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::ptx {

enum class Type : uint8_t {
  kNone,
  kPred,
  // clang-format off
  kB1, kB4, kB8, kB16, kB32, kB64, kB128, kB1024,
  kU2, kU4, kU8, kU16, kU32, kU64,
  kS2, kS4, kS8, kS16, kS32, kS64,
  kF16, kF16x2, kF32, kF32x2, kF64,
  kBf16, kBf16x2, kTf32,
  kE4m3, kE5m2, kE4m3x2, kE5m2x2,
  kU16x2, kS16x2, kU8x4, kS8x4,
  kTexref, kSamplerref, kSurfref,
  // clang-format on
};

// How a type's bits are read. kPacked covers what a register holds as plain bits: pairs of halves, bf16,
// tf32.
enum class TypeKind : uint8_t { kNone, kPredicate, kBits, kUnsigned, kSigned, kFloat, kPacked, kOpaque };

struct TypeInfo {
  std::string_view name;  // without the dot
  TypeKind kind;
  uint16_t bits;  // 1 for predicates, 64 for the opaque ones (a handle)
};

const TypeInfo& info(Type type);
inline uint32_t bits(Type type) { return info(type).bits; }
inline bool is_integer(Type type) {
  return info(type).kind == TypeKind::kUnsigned || info(type).kind == TypeKind::kSigned;
}

// By the name without the dot; nothing when there is none of that name.
std::optional<Type> type_named(std::string_view name);

// Whether a register of type `reg` can stand where an instruction wants `want` (ptx.md 1.4): equal sizes, and
// not floating point of two kinds or floating point for an integer. With `wider`, as ld, st and cvt allow, it
// may have more bits.
bool fits(Type reg, Type want, bool wider);

// What mul.wide makes of `type`: u16 -> u32 and so on. kNone for others.
Type twice(Type type);

}  // namespace heddle::ptx
