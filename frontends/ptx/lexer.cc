#include "frontends/ptx/lexer.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <string>

#include "sim/base/text.h"

namespace heddle::ptx {
namespace {

enum : uint8_t { kWord = 1, kFirst = 2, kDigit = 4, kBlank = 8, kSigns = 16, kExponent = 32 };

constexpr std::array<uint8_t, 256> classes() {
  std::array<uint8_t, 256> c{};
  for (int i = 'a'; i <= 'z'; ++i) {
    c[static_cast<size_t>(i)] = kWord | kFirst;
    c[static_cast<size_t>(i) - 'a' + 'A'] = kWord | kFirst;
  }
  for (int i = '0'; i <= '9'; ++i) {
    c[static_cast<size_t>(i)] = kWord | kDigit;
  }
  c['_'] = c['$'] = kWord | kFirst;
  c['e'] |= kExponent;
  c['E'] |= kExponent;
  for (const char sign : std::string_view("()[]{}<>,;:=+-*/%!~&|^?@")) {
    c[static_cast<uint8_t>(sign)] = kSigns;
  }
  c['%'] |= kFirst;
  c[' '] = c['\t'] = c['\r'] = c['\n'] = c['\f'] = c['\v'] = kBlank;
  return c;
}

constexpr std::array<uint8_t, 256> kClass = classes();

bool is_class(char c, uint8_t mask) { return (kClass[static_cast<uint8_t>(c)] & mask) != 0; }

}  // namespace

void Lexer::skip_blanks() {
  const size_t size = text_.size();
  for (;;) {
    while (at_ < size && is_class(text_[at_], kBlank)) {
      ++at_;
    }
    if (at_ >= size) {
      return;
    }
    const char c = text_[at_];
    // What a preprocessor leaves begins with #: #line, # 1 "file".
    if (c == '#' || (c == '/' && at_ + 1 < size && text_[at_ + 1] == '/')) {
      skip_line();
    } else if (c == '/' && at_ + 1 < size && text_[at_ + 1] == '*') {
      const size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) {
        fail(at_, "comment without an end (legal: /* ... */)");
      }
      at_ = end + 2;
    } else if (c == '\0' && text_.find_first_not_of('\0', at_) == std::string_view::npos) {
      at_ = size;  // as in images that end in a zero byte
    } else {
      return;
    }
  }
}

void Lexer::skip_line() {
  const size_t end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
}

Token Lexer::make(TokenKind kind, size_t start, size_t end) {
  Token t;
  t.kind = kind;
  t.at = static_cast<uint32_t>(start);
  t.text = text_.substr(start, end - start);
  at_ = end;
  return t;
}

size_t Lexer::end_of_word(size_t at) const {
  while (at < text_.size() && is_class(text_[at], kWord)) {
    ++at;
  }
  return at;
}

// Behind ".u32", "::cta.u32" and so on, which begin at `at`.
size_t Lexer::end_of_suffixes(size_t at) const {
  for (;;) {
    if (at + 1 < text_.size() && text_[at] == '.' && is_class(text_[at + 1], kWord)) {
      at = end_of_word(at + 1);
    } else if (at + 2 < text_.size() && text_[at] == ':' && text_[at + 1] == ':' &&
               is_class(text_[at + 2], kWord)) {
      at = end_of_word(at + 2);
    } else {
      return at;
    }
  }
}

Token Lexer::next() {
  skip_blanks();
  const size_t start = at_;
  if (start >= text_.size()) {
    return make(TokenKind::kEnd, text_.size(), text_.size());
  }
  const char c = text_[start];
  if (is_class(c, kFirst)) {
    return name(start);
  }
  const bool digit_follows = start + 1 < text_.size() && is_class(text_[start + 1], kDigit);
  if (is_class(c, kDigit) || (c == '.' && digit_follows)) {
    return number(start);
  }
  if (c == '.') {
    return directive(start);
  }
  return c == '"' ? string(start) : sign(start);
}

Token Lexer::name(size_t start) {
  size_t end = end_of_word(start + 1);
  if (text_[start] == '%' && end == start + 1) {
    return sign(start);  // the operator of constant expressions
  }
  if (end < text_.size() && text_[end] == '.') {
    end = end_of_suffixes(end);
  }
  return make(TokenKind::kName, start, end);
}

Token Lexer::directive(size_t start) {
  size_t end = end_of_word(start + 1);
  if (end == start + 1) {
    fail(start, "a '.' without a word (legal: a directive such as .reg)");
  }
  while (end + 2 < text_.size() && text_[end] == ':' && text_[end + 1] == ':' &&
         is_class(text_[end + 2], kWord)) {
    end = end_of_word(end + 2);
  }
  return make(TokenKind::kDirective, start, end);
}

// 0f3F800000 and 0d3FF0000000000000.
Token Lexer::exact_float(size_t start) {
  const bool single = (text_[start + 1] | 0x20) == 'f';
  const size_t end = end_of_word(start);
  const size_t digits = single ? 8 : 16;
  const auto value = parse_number<uint64_t>(text_.substr(start + 2, end - start - 2), 16);
  if (!value || end - start - 2 != digits) {
    fail(start,
         "malformed number " + quoted(text_.substr(start, end - start)) +
             (single ? " (legal: 0f and 8 hexadecimal digits)" : " (legal: 0d and 16 hexadecimal digits)"));
  }
  Token t = make(single ? TokenKind::kFloat32 : TokenKind::kFloat64, start, end);
  t.bits = *value;
  return t;
}

// 1.5e-3; its first word ends at `end`.
Token Lexer::decimal(size_t start, size_t end) {
  if (end < text_.size() && text_[end] == '.') {
    end = end_of_word(end + 1);
  }
  if (end < text_.size() && is_class(text_[end - 1], kExponent) && (text_[end] == '-' || text_[end] == '+')) {
    end = end_of_word(end + 1);
  }
  const auto value = parse_number<double>(text_.substr(start, end - start));
  if (!value) {
    fail(start, "malformed number " + quoted(text_.substr(start, end - start)) +
                    " (legal: a decimal such as 1.5e-3 in the range of f64)");
  }
  Token t = make(TokenKind::kFloat64, start, end);
  t.bits = std::bit_cast<uint64_t>(*value);
  return t;
}

Token Lexer::number(size_t start) {
  // Most are short and decimal.
  size_t digit = start;
  uint64_t short_value = 0;
  while (digit < text_.size() && is_class(text_[digit], kDigit) && digit - start < 18) {
    short_value = short_value * 10 + static_cast<uint64_t>(text_[digit++] - '0');
  }
  if (digit > start && digit < text_.size() && !is_class(text_[digit], kWord) && text_[digit] != '.' &&
      (text_[start] != '0' || digit == start + 1)) {
    Token t = make(TokenKind::kInteger, start, digit);
    t.bits = short_value;
    return t;
  }
  const char second = start + 1 < text_.size() ? static_cast<char>(text_[start + 1] | 0x20) : '\0';
  const bool zero = text_[start] == '0';
  if (zero && (second == 'f' || second == 'd')) {
    return exact_float(start);
  }
  size_t end = end_of_word(start);
  const bool prefixed = zero && (second == 'x' || second == 'b');
  const std::string_view word = text_.substr(start, end - start);
  const bool fraction = end < text_.size() && text_[end] == '.';
  const bool exponent = std::any_of(word.begin(), word.end(), [](char c) { return is_class(c, kExponent); });
  if (!prefixed && (fraction || exponent)) {
    return decimal(start, end);
  }
  std::string_view digits = word;
  const bool marked = digits.size() > 1 && (digits.back() | 0x20) == 'u';
  if (marked) {
    digits.remove_suffix(1);
  }
  int base = 10;
  if (prefixed) {
    base = second == 'x' ? 16 : 2;
    digits.remove_prefix(2);
  } else if (zero && digits.size() > 1) {
    base = 8;
  }
  const auto value = parse_number<uint64_t>(digits, base);
  if (!value) {
    fail(start, "malformed number " + quoted(word) +
                    " (legal: decimal, 0x hexadecimal, 0 octal, 0b binary, of 64 bits, with or without U)");
  }
  Token t = make(TokenKind::kInteger, start, end);
  t.bits = *value;
  t.is_unsigned = marked || (*value >> 63) != 0;
  return t;
}

Token Lexer::string(size_t start) {
  size_t end = start + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
    end += text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n' ? 2U : 1U;
  }
  if (end >= text_.size() || text_[end] != '"') {
    fail(start, "string without an end (legal: \"...\" in one line)");
  }
  Token t = make(TokenKind::kString, start + 1, end);
  t.at = static_cast<uint32_t>(start);
  at_ = end + 1;
  return t;
}

Token Lexer::sign(size_t start) {
  const char c = text_[start];
  const char d = start + 1 < text_.size() ? text_[start + 1] : '\0';
  if (!is_class(c, kSigns)) {
    fail(start, "unexpected " + quoted(text_.substr(start, 1)) + " (legal: PTX text in ASCII)");
  }
  const bool two = (d == '=' && (c == '<' || c == '>' || c == '=' || c == '!')) ||
                   (c == d && (c == '<' || c == '>' || c == '&' || c == '|' || c == '@'));
  Token t = make(TokenKind::kSign, start, start + (two ? 2 : 1));
  t.sign = two ? static_cast<uint16_t>(static_cast<uint8_t>(c) * 256 + static_cast<uint8_t>(d))
               : static_cast<uint8_t>(c);
  return t;
}

std::string describe(const Token& token) {
  return token.kind == TokenKind::kEnd ? "the end of the file" : quoted(token.text);
}

}  // namespace heddle::ptx
