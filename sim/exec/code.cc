#include "sim/exec/code.h"

#include <fmt/format.h>

namespace heddle::exec {

std::string Code::place(uint32_t pc) const {
  const std::string* function = nullptr;
  for (const auto& [first, name] : stretches) {
    function = first <= pc ? &name : function;
  }
  return function == nullptr ? fmt::format("{}:{}", file, lines[pc])
                             : fmt::format("{}: {}+0x{:x}", file, *function, lines[pc]);
}

}  // namespace heddle::exec
