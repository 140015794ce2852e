#include "sim/exec/code.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::exec {

bool Code::depends_on_time() const {
  return std::any_of(specials.begin(), specials.end(), [](Special s) { return s == Special::kSmid; }) ||
         std::any_of(insts.begin(), insts.end(), [this](const Inst& in) { return timed(in); });
}

std::string Code::place(uint32_t pc) const {
  const std::string* function = nullptr;
  for (const auto& [first, name] : stretches) {
    function = first <= pc ? &name : function;
  }
  return function == nullptr ? fmt::format("{}:{}", file, lines[pc])
                             : fmt::format("{}: {}+0x{:x}", file, *function, lines[pc]);
}

}  // namespace heddle::exec
