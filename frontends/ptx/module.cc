#include "frontends/ptx/module.h"

#include <algorithm>
#include <cstddef>

#include "sim/base/align.h"

namespace heddle::ptx {

std::string Function::register_name(uint32_t id) const {
  const uint32_t number = register_numbers[id];
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), number,
                                      [](uint32_t n, const RegisterRange& r) { return n < r.first; });
  const RegisterRange& r = *(after - 1);
  std::string out(r.name);
  const uint32_t at = number - r.first;
  if (r.numbered) {
    out += std::to_string(at / r.vector);
  }
  if (r.vector > 1) {
    out += std::string(".") + "xyzwabcd"[at % r.vector];
  }
  return out;
}

const Function* Module::function(std::string_view name) const {
  const auto it =
      std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
  return it == functions.end() ? nullptr : &*it;
}

const Variable* Module::variable(std::string_view name) const {
  const auto it = std::find_if(variables.begin(), variables.end(),
                               [&](const Variable& v) { return v.function == kNone && v.name == name; });
  return it == variables.end() ? nullptr : &*it;
}

uint64_t shared_bytes(const Module& module, const Function& function) {
  uint64_t at = 0;
  for (const uint32_t id : function.variables) {
    const Variable& v = module.variables[id];
    if (v.space == Space::kShared) {
      at = round_up(at, uint64_t{v.align}) + v.size;
    }
  }
  return at;
}

}  // namespace heddle::ptx
