// Number scanning over text whose end is marked by a '\n' inside the buffer, so that no length is checked per
// byte.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::accelsim {

// Value of a hexadecimal digit, 0xff for any other byte.
inline constexpr std::array<uint8_t, 256> kHexDigit = [] {
  std::array<uint8_t, 256> t{};
  t.fill(0xff);
  for (int i = 0; i < 10; ++i) {
    t['0' + i] = static_cast<uint8_t>(i);
  }
  for (int i = 0; i < 6; ++i) {
    t['a' + i] = t['A' + i] = static_cast<uint8_t>(10 + i);
  }
  return t;
}();

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_token_end(char c) { return c == '\n' || is_blank(c); }

inline const char* skip_blanks(const char* p) {
  while (is_blank(*p)) {
    ++p;
  }
  return p;
}

inline const char* skip_token(const char* p) {
  while (!is_token_end(*p)) {
    ++p;
  }
  return p;
}

inline std::string_view token_at(const char* p) { return {p, static_cast<size_t>(skip_token(p) - p)}; }

// Each scanner reads one number at p that must be followed by a blank or the line's end, and returns the
// position behind it; nullptr when there is no such number or it does not fit.

inline const char* scan_hex(const char* p, uint64_t& value) {
  if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
    p += 2;
  }
  uint64_t v = 0;
  const char* start = p;
  for (uint8_t d; (d = kHexDigit[static_cast<uint8_t>(*p)]) != 0xff; ++p) {
    if (v >> 60) {
      return nullptr;
    }
    v = v << 4 | d;
  }
  value = v;
  return p != start && is_token_end(*p) ? p : nullptr;
}

inline const char* scan_hex32(const char* p, uint32_t& value) {
  uint64_t v = 0;
  p = scan_hex(p, v);
  value = static_cast<uint32_t>(v);
  return p && v >> 32 == 0 ? p : nullptr;
}

inline const char* scan_dec(const char* p, uint64_t& value) {
  uint64_t v = 0;
  const char* start = p;
  for (uint32_t d; (d = static_cast<uint8_t>(*p) - uint32_t{'0'}) < 10; ++p) {
    if (__builtin_mul_overflow(v, uint64_t{10}, &v) || __builtin_add_overflow(v, uint64_t{d}, &v)) {
      return nullptr;
    }
  }
  value = v;
  return p != start && is_token_end(*p) ? p : nullptr;
}

inline const char* scan_signed(const char* p, int64_t& value) {
  const bool negative = *p == '-';
  uint64_t v = 0;
  p = scan_dec(p + negative, v);
  if (!p || v > uint64_t{INT64_MAX} + negative) {
    return nullptr;
  }
  value = static_cast<int64_t>(negative ? 0 - v : v);
  return p;
}

}  // namespace heddle::accelsim
