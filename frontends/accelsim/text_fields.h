// Helpers for the lines that are read seldom: keys, counts, list entries.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>

#include "sim/base/text.h"

namespace heddle::accelsim {

// The whole of `s`, blanks around it aside, as one number; base 16 with or without 0x.
template <std::integral T>
std::optional<T> parse_field(std::string_view s, int base = 10) {
  s = trim(s);
  if (base == 16 && (s.starts_with("0x") || s.starts_with("0X"))) {
    s.remove_prefix(2);
  }
  return parse_number<T>(s, base);
}

}  // namespace heddle::accelsim
