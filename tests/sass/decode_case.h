// Table-driven checks of decode_text().
#pragma once

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>

#include "frontends/sass/decode.h"
#include "tests/sass/show.h"

namespace heddle::sass {

struct DecodeCase {
  const char* text;
  const char* what;      // show_class()
  const char* operands;  // show_operands()
};

inline isa::Instr decode_one(std::string_view text) {
  OpcodePool pool;
  return decode_text(0x40, text, pool);
}

inline void check_cases(std::initializer_list<DecodeCase> cases) {
  for (const DecodeCase& c : cases) {
    INFO(c.text);
    const isa::Instr in = decode_one(c.text);
    CHECK(show_class(in) == c.what);
    CHECK(show_operands(in) == c.operands);
    CHECK(in.pc == 0x40);
    CHECK((in.flags & isa::kFlagHasControl) == 0);
  }
}

}  // namespace heddle::sass
