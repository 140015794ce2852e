// printf of kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::exec {

// The text of a format as C's printf has it. `take`: the next argument of so many bytes, 4 or 8; `text`: the
// string at an address. Conversions that there are not stand as they are.
std::string formatted(const std::string& format, const std::function<uint64_t(uint32_t bytes)>& take,
                      const std::function<std::string(uint64_t address)>& text);

}  // namespace heddle::exec
