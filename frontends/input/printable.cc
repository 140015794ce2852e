#include "frontends/input/printable.h"

#include <cstdint>

namespace heddle::input {

namespace {

// Bytes of the UTF-8 character at the beginning of `s`; 0 when there is none.
size_t character(std::string_view s) {
  const auto b = static_cast<uint8_t>(s[0]);
  const size_t n = b < 0x80                 ? 1
                   : b >= 0xc2 && b <= 0xdf ? 2
                   : b >= 0xe0 && b <= 0xef ? 3
                   : b >= 0xf0 && b <= 0xf4 ? 4
                                            : 0;
  for (size_t i = 1; i < n; ++i) {
    if (i == s.size() || (static_cast<uint8_t>(s[i]) & 0xc0) != 0x80) {
      return 0;
    }
  }
  return n;
}

// ESC and its 8-bit relatives, some of which come as two bytes of UTF-8.
bool is_control(std::string_view c) {
  const auto b = static_cast<uint8_t>(c[0]);
  return b < 0x20 || b == 0x7f || (b == 0xc2 && static_cast<uint8_t>(c[1]) < 0xa0);
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t n = character(text);
    const std::string_view c = text.substr(0, n == 0 ? 1 : n);
    if (n != 0 && (!is_control(c) || kept.find(c) != std::string_view::npos)) {
      out += c;
    } else {
      for (const char byte : c) {
        constexpr const char* kDigits = "0123456789abcdef";
        const auto b = static_cast<uint8_t>(byte);
        out += "\\x";
        out += kDigits[b >> 4];
        out += kDigits[b & 15];
      }
    }
    text.remove_prefix(c.size());
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, ""); }
std::string printable_lines(std::string_view text) { return escaped(text, "\n\t"); }

}  // namespace heddle::input
