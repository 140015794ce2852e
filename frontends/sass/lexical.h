// Pieces of SASS text that several operand kinds share: register names, integers, character classes.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/isa/instr.h"

namespace heddle::sass {

struct RegisterName {
  isa::RegFile file = isa::RegFile::kNone;
  uint8_t index = 0;
  bool zero = false;        // RZ, URZ, PT, UPT
  bool all = false;         // PR, UPR: every predicate of the file
  bool wide = false;        // .64
  bool narrow = false;      // .U32: 32-bit index of a 64-bit address
  bool reuse = false;       // .reuse
  bool descriptor = false;  // UR4 of desc[UR4][R2.64]
};

namespace lexical {

// Throws heddle::Error "WHAT 'WHERE' (legal: LEGAL)"; long texts are cut.
[[noreturn]] void fail(std::string_view what, std::string_view where, std::string_view legal);

bool is_word(char c);  // letters, digits, '_' and '$'

// A decimal number of at most three digits, or -1.
int small_number(std::string_view digits);

// "-R2.64.reuse", "!P0", "|R3|": false when the text is something else. Throws for an index out of range.
bool parse_register(std::string_view text, RegisterName& r);

// "-0x10", "42"; false for anything else, floating-point numbers included.
bool parse_integer(std::string_view text, int64_t& value);

}  // namespace lexical
}  // namespace heddle::sass
