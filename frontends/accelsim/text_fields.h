// Helpers for the lines that are read seldom: keys, counts, list entries.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace heddle::accelsim {

inline std::string_view trim(std::string_view s) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!s.empty() && blank(s.front())) {
    s.remove_prefix(1);
  }
  while (!s.empty() && blank(s.back())) {
    s.remove_suffix(1);
  }
  return s;
}

// The whole of `s`, blanks around it aside, as one number; base 16 with or without 0x.
template <std::integral T>
std::optional<T> parse_number(std::string_view s, int base = 10) {
  s = trim(s);
  if (base == 16 && (s.starts_with("0x") || s.starts_with("0X"))) {
    s.remove_prefix(2);
  }
  T v = 0;
  const auto r = std::from_chars(s.data(), s.data() + s.size(), v, base);
  return r.ec == std::errc() && r.ptr == s.data() + s.size() ? std::optional<T>(v) : std::nullopt;
}

}  // namespace heddle::accelsim
