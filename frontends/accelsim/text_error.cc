#include "frontends/accelsim/text_error.h"

#include "sim/base/error.h"

namespace heddle::accelsim {

void fail_at(std::string_view file, uint64_t line, std::string_view what) {
  std::string m(file);
  m += ':';
  m += std::to_string(line);
  m += ": ";
  m += what;
  throw Error(m);
}

std::string quote(std::string_view text) {
  constexpr size_t kMax = 60;
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && text.back() == '\r') {
    text.remove_suffix(1);
  }
  std::string s = "'";
  for (size_t i = 0; i < text.size() && i < kMax; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7f) {
      s += text[i];
    } else {
      s += "\\x";
      s += "0123456789abcdef"[c >> 4];
      s += "0123456789abcdef"[c & 15];
    }
  }
  s += text.size() > kMax ? "'..." : "'";
  return s;
}

}  // namespace heddle::accelsim
