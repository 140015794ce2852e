// From an instruction's text before its operands ("ld.global.nc.v4.f32") to its Op.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/ptx/op.h"

namespace heddle::ptx {

// What a module is written for.
struct Target {
  uint8_t version = 90;  // PTX version times ten
  uint16_t sm = 90;
  char suffix = '\0';  // 'a', 'f' or none
};

struct Decoded {
  // Those whose modifiers agree and that the target has, in the table's order: their operands decide. Empty
  // when there is an error.
  std::vector<Op> candidates;
  std::string error;      // what is wrong and what would be legal, one line
  uint32_t error_at = 0;  // bytes from the text's beginning
};

// `text` stays alive as long as the Ops.
Decoded decode(std::string_view text, const Target& target);

}  // namespace heddle::ptx
