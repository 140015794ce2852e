#include "sim/host/core/limits.h"

#include <array>
#include <utility>

namespace heddle::host {

void set_limit(Limits& limits, std::string_view name, uint64_t value) {
  const std::array<std::pair<std::string_view, uint64_t*>, 6> all = {{{"steps", &limits.steps},
                                                                      {"commands", &limits.commands},
                                                                      {"nodes", &limits.nodes},
                                                                      {"spans", &limits.spans},
                                                                      {"records", &limits.records},
                                                                      {"findings", &limits.findings}}};
  std::string names;
  for (const auto& [known, where] : all) {
    if (known == name) {
      *where = value;
      return;
    }
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  throw Error("no limit \"" + std::string(name) + "\"; legal: " + names);
}

std::string beyond(uint64_t limit, const std::string& what, const char* name) {
  return "more than " + std::to_string(limit) + " " + what + " (limit " + name + ", which can be raised)";
}

}  // namespace heddle::host
