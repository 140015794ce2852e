// Sizes as people write them.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace heddle::config {

// Takes "KiB", "MiB" or "GiB" off the end of `text`; returns what the number before it is to be multiplied
// by.
inline uint64_t take_byte_unit(std::string_view& text) {
  for (const auto& [unit, factor] :
       {std::pair<std::string_view, uint64_t>{"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30}}) {
    if (text.ends_with(unit)) {
      text.remove_suffix(unit.size());
      return factor;
    }
  }
  return 1;
}

}  // namespace heddle::config
