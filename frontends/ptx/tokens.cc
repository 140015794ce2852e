#include "frontends/ptx/tokens.h"

namespace heddle::ptx {

void Tokens::need(char c, std::string_view legal) {
  if (!take(c)) {
    unexpected(legal);
  }
}

std::string_view Tokens::need_name(std::string_view legal) {
  if (!now_.is(TokenKind::kName)) {
    unexpected(legal);
  }
  const std::string_view text = now_.text;
  next();
  return text;
}

std::string_view Tokens::need_string(std::string_view legal) {
  if (!now_.is(TokenKind::kString)) {
    unexpected(legal);
  }
  const std::string_view text = now_.text;
  next();
  return text;
}

void Tokens::unexpected(std::string_view legal) const {
  fail(now_.at, "unexpected " + describe(now_) + " (legal: " + std::string(legal) + ")");
}

}  // namespace heddle::ptx
