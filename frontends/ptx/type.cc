#include "frontends/ptx/type.h"

#include <array>
#include <cstddef>

namespace heddle::ptx {
namespace {

constexpr auto kTypes = std::to_array<TypeInfo>({
    {"", TypeKind::kNone, 0},           {"pred", TypeKind::kPredicate, 1},
    {"b1", TypeKind::kBits, 1},         {"b4", TypeKind::kBits, 4},
    {"b8", TypeKind::kBits, 8},         {"b16", TypeKind::kBits, 16},
    {"b32", TypeKind::kBits, 32},       {"b64", TypeKind::kBits, 64},
    {"b128", TypeKind::kBits, 128},     {"b1024", TypeKind::kBits, 1024},
    {"u2", TypeKind::kUnsigned, 2},     {"u4", TypeKind::kUnsigned, 4},
    {"u8", TypeKind::kUnsigned, 8},     {"u16", TypeKind::kUnsigned, 16},
    {"u32", TypeKind::kUnsigned, 32},   {"u64", TypeKind::kUnsigned, 64},
    {"s2", TypeKind::kSigned, 2},       {"s4", TypeKind::kSigned, 4},
    {"s8", TypeKind::kSigned, 8},       {"s16", TypeKind::kSigned, 16},
    {"s32", TypeKind::kSigned, 32},     {"s64", TypeKind::kSigned, 64},
    {"f16", TypeKind::kFloat, 16},      {"f16x2", TypeKind::kPacked, 32},
    {"f32", TypeKind::kFloat, 32},      {"f32x2", TypeKind::kPacked, 64},
    {"f64", TypeKind::kFloat, 64},      {"bf16", TypeKind::kPacked, 16},
    {"bf16x2", TypeKind::kPacked, 32},  {"tf32", TypeKind::kPacked, 32},
    {"e4m3", TypeKind::kPacked, 8},     {"e5m2", TypeKind::kPacked, 8},
    {"e4m3x2", TypeKind::kPacked, 16},  {"e5m2x2", TypeKind::kPacked, 16},
    {"u16x2", TypeKind::kPacked, 32},   {"s16x2", TypeKind::kPacked, 32},
    {"u8x4", TypeKind::kPacked, 32},    {"s8x4", TypeKind::kPacked, 32},
    {"texref", TypeKind::kOpaque, 64},  {"samplerref", TypeKind::kOpaque, 64},
    {"surfref", TypeKind::kOpaque, 64},
});
static_assert(kTypes.size() == static_cast<size_t>(Type::kSurfref) + 1);

}  // namespace

const TypeInfo& info(Type type) { return kTypes[static_cast<size_t>(type)]; }

std::optional<Type> type_named(std::string_view name) {
  for (size_t i = 1; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) {
      return static_cast<Type>(i);
    }
  }
  return std::nullopt;
}

bool fits(Type reg, Type want, bool wider) {
  const TypeInfo& r = info(reg);
  const TypeInfo& w = info(want);
  if (r.kind == TypeKind::kPredicate || w.kind == TypeKind::kPredicate) {
    return r.kind == w.kind;
  }
  if (r.bits != w.bits) {
    // Narrower memory types and sources are cut from, or extended to, an integer register; floating point
    // only to and from plain bits.
    return wider && r.bits > w.bits && r.kind != TypeKind::kFloat &&
           (w.kind != TypeKind::kFloat || r.kind == TypeKind::kBits);
  }
  const auto plain = [](TypeKind k) { return k == TypeKind::kBits || k == TypeKind::kPacked; };
  if (plain(r.kind) || plain(w.kind)) {
    return true;
  }
  return (r.kind == TypeKind::kFloat) == (w.kind == TypeKind::kFloat);
}

Type twice(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      return Type::kNone;
  }
}

}  // namespace heddle::ptx
