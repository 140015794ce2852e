// The instruction and constant cache of each GPC (GCC), tags only: decides which fetches of the SMs go to L2.
// When a fetched line is usable is sim/sm/instruction_supply's affair.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/memory/message.h"
#include "sim/memory/tag_array.h"

namespace heddle::memory {

class GpcCache {
 public:
  // What a miss fetches: two lines (FINDINGS.md 17: 8 sectors a request).
  static constexpr uint32_t kUnitLines = 2;

  GpcCache(uint32_t gpcs, uint32_t bytes) {
    uint32_t units = std::max(1u, bytes / (kUnitLines * kLineBytes));
    uint32_t ways = std::min(kWays, units);
    for (uint32_t g = 0; g < gpcs; ++g) {
      tags_.emplace_back(units / ways, ways);
    }
  }

  void reset() {
    for (TagArray& t : tags_) {
      t.clear();
    }
  }

  // True when `gpc` already has the unit; brings it in otherwise.
  bool look_up(uint32_t gpc, uint64_t unit) {
    TagArray& t = tags_[gpc];
    auto set = static_cast<uint32_t>(unit % t.sets());
    if (t.find(set, unit)) {
      return true;
    }
    t.fill(*t.victim(set, [](const CacheLine&) { return true; }), unit);
    return false;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar.elements(tags_);
  }

 private:
  static constexpr uint32_t kWays = 8;

  std::vector<TagArray> tags_;
};

}  // namespace heddle::memory
