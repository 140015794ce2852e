// The stream of tokens that the parser stands in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontends/ptx/lexer.h"

namespace heddle::ptx {

class Tokens {
 public:
  explicit Tokens(const Source& source) : source_(&source), lexer_(source), now_(lexer_.next()) {}

  const Token& now() const { return now_; }
  void next() { now_ = lexer_.next(); }
  void skip_line() {
    lexer_.skip_line();
    next();
  }

  // Whether the sign `c` stands here; if so, goes behind it.
  bool take(char c) {
    if (!now_.is(c)) {
      return false;
    }
    next();
    return true;
  }
  // Goes behind what must stand here; `legal` is for the message.
  void need(char c, std::string_view legal);
  std::string_view need_name(std::string_view legal);
  std::string_view need_string(std::string_view legal);

  // "unexpected 'x' (legal: ...)" at this token.
  [[noreturn]] void unexpected(std::string_view legal) const;
  [[noreturn]] void fail(uint32_t at, std::string_view what) const { source_->fail(at, what); }

 private:
  const Source* source_;
  Lexer lexer_;
  Token now_;
};

}  // namespace heddle::ptx
