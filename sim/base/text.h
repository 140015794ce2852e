// Words and numbers of texts.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace heddle {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Without the blanks at both ends.
inline std::string_view trim(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) {
    s.remove_prefix(1);
  }
  while (!s.empty() && is_blank(s.back())) {
    s.remove_suffix(1);
  }
  return s;
}

// Nothing unless all of `s` is one number that T can hold. Of floating-point numbers also "inf" and "nan".
template <typename T>
std::optional<T> parse_number(std::string_view s, [[maybe_unused]] int base = 10) {
  T v = 0;
  std::from_chars_result r;
  if constexpr (std::is_floating_point_v<T>) {
    r = std::from_chars(s.data(), s.data() + s.size(), v);
  } else {
    r = std::from_chars(s.data(), s.data() + s.size(), v, base);
  }
  return r.ec == std::errc() && r.ptr == s.data() + s.size() ? std::optional<T>(v) : std::nullopt;
}

// "0x1f".
inline std::string hex(uint64_t v) {
  char digits[16];
  return "0x" + std::string(digits, std::to_chars(digits, digits + sizeof digits, v, 16).ptr);
}

}  // namespace heddle
