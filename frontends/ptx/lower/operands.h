// Operands that stand in machine code as they are: predicates that always hold, numbers, constants.
#pragma once

#include <bit>
#include <cstdint>

#include "frontends/sass/record/record.h"

namespace heddle::ptx::lower {

using SassKind = sass::Operand::Kind;

inline constexpr sass::Operand kPT{.kind = SassKind::kPredicate, .index = sass::kTruePredicate};
inline constexpr sass::Operand kNotPT{
    .kind = SassKind::kPredicate, .negate = true, .index = sass::kTruePredicate};
inline constexpr sass::Operand kUPT{.kind = SassKind::kUniformPredicate, .index = sass::kTruePredicate};
inline constexpr sass::Operand kNotUPT{
    .kind = SassKind::kUniformPredicate, .negate = true, .index = sass::kTruePredicate};
inline constexpr sass::Operand kUP0{.kind = SassKind::kUniformPredicate};
inline constexpr sass::Operand kURZ{.kind = SassKind::kUniform, .index = sass::kZeroUniform};
inline constexpr sass::Operand kRZ{.kind = SassKind::kRegister, .index = sass::kZeroRegister};
inline constexpr sass::Operand kR1{.kind = SassKind::kRegister, .index = 1};
inline constexpr sass::Operand kB0{.kind = SassKind::kBarrier};
inline constexpr sass::Operand kSB0{.kind = SassKind::kScoreboard};
inline constexpr sass::Operand kGroupCounter{.kind = SassKind::kGroupCounter};

// A number, even where it is 0: not RZ.
inline constexpr sass::Operand immediate(int64_t n) {
  return {.kind = SassKind::kNumber,
          .written = sass::Operand::Written::kSigned,
          .bits = static_cast<uint64_t>(n)};
}
// Of 32 bits.
inline constexpr sass::Operand number(float f) {
  return {.kind = SassKind::kNumber,
          .written = sass::Operand::Written::kFloat,
          .bits = std::bit_cast<uint32_t>(f)};
}
// c[bank][offset]
inline constexpr sass::Operand constant(uint32_t bank, int64_t offset) {
  return {.kind = SassKind::kConstant, .bank = bank, .offset = offset};
}
inline constexpr sass::Operand special_register(sass::SpecialRegister r) {
  return {.kind = SassKind::kSpecial, .index = static_cast<uint32_t>(r)};
}

}  // namespace heddle::ptx::lower
