// The words of modifiers, and the fields of an Op that they fill.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "frontends/ptx/op.h"

namespace heddle::ptx {

// One for each field name of the rows (form_rows.h).
enum class Field : uint8_t {
  // clang-format off
  kFlag, kType, kRounding, kCompare, kBool, kSpace, kSourceSpace, kScope, kSemantics, kCache, kL1, kL2,
  kL2Secondary, kPrefetch, kVector, kCombine, kPart, kMode, kMode2, kShape, kLayoutA, kLayoutB, kNumber, kGeometry,
  kChannel, kGroup, kProduct, kCells, kQuarters, kHint
  // clang-format on
};

// By the name in the rows: "rnd". kFlag when it is no field's.
Field field_named(std::string_view name);

// The set @NAME, or all words of the field NAME, with commas; empty when there is none.
std::string_view word_set(std::string_view name);

// Puts what `word` says into `op`. False when the field has no such word.
bool set_field(Op& op, Field field, std::string_view word);

// The first PTX version (times ten) and target that know this word.
struct Since {
  uint8_t version = 10;
  uint16_t sm = 0;
};
Since word_since(Field field, std::string_view word);

std::string_view name(Space space);
std::optional<Space> space_named(std::string_view name);

}  // namespace heddle::ptx
