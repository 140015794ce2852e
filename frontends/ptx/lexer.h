// Words, numbers and signs of PTX text (ptx.md 1.2).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "frontends/ptx/source.h"

namespace heddle::ptx {

enum class TokenKind : uint8_t {
  kEnd,
  kName,       // a name with its suffixes: %r1, %tid.x, ld.shared::cta.u32
  kDirective,  // .reg, .v4, .shared::cta
  kInteger,
  kFloat64,  // a decimal, or 0d and 16 hexadecimal digits
  kFloat32,  // 0f and 8 hexadecimal digits
  kString,   // text is without the quotes
  kSign,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool is_unsigned = false;  // kInteger: has a U, or does not fit in 63 bits
  uint16_t sign = 0;         // kSign: the character; of two: the first * 256 + the second
  uint32_t at = 0;
  std::string_view text;  // as it stands in the source
  uint64_t bits = 0;      // kInteger: the value; kFloat64, kFloat32: the IEEE bits

  bool is(char c) const { return kind == TokenKind::kSign && sign == static_cast<uint8_t>(c); }
  bool is(char c, char d) const {
    return kind == TokenKind::kSign &&
           sign == static_cast<uint16_t>(static_cast<uint8_t>(c) * 256 + static_cast<uint8_t>(d));
  }
  bool is(TokenKind k) const { return kind == k; }
  bool is_directive(std::string_view name) const { return kind == TokenKind::kDirective && text == name; }
};

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(&source), text_(source.text()) {}

  // Throws heddle::Error for bytes that begin nothing, and for malformed numbers, strings and comments.
  Token next();

  // From the token that has just been read, skips to behind the line's end: for @@dwarf lines.
  void skip_line();

 private:
  void skip_blanks();
  Token name(size_t start);
  Token directive(size_t start);
  Token number(size_t start);
  Token decimal(size_t start, size_t end);
  Token exact_float(size_t start);
  Token string(size_t start);
  Token sign(size_t start);
  size_t end_of_word(size_t at) const;
  size_t end_of_suffixes(size_t at) const;
  Token make(TokenKind kind, size_t start, size_t end);
  [[noreturn]] void fail(size_t at, std::string_view what) const {
    source_->fail(static_cast<uint32_t>(at), what);
  }

  const Source* source_;
  std::string_view text_;
  size_t at_ = 0;
};

// "'mov'", "the end of the file": for messages.
std::string describe(const Token& token);

}  // namespace heddle::ptx
