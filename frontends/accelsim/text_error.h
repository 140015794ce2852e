// Error messages about text files. They quote what was found, so what was found must not break the one-line
// rule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::accelsim {

// Throws heddle::Error "FILE:LINE: what".
[[noreturn]] void fail_at(std::string_view file, uint64_t line, std::string_view what);

// `text` in single quotes, up to its end of line, cut after 60 bytes, control and non-ASCII bytes as \xNN.
std::string quote(std::string_view text);

}  // namespace heddle::accelsim
