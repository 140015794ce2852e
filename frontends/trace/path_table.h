// Warp paths by number.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/input/limits.h"
#include "sim/isa/recording.h"

namespace heddle::trace {

using Path = std::vector<isa::Run>;

// Whether a warp may execute so many instructions, and what is said when not.
inline bool within(const Path& path, const input::Limit& most) {
  uint64_t instructions = 0;
  for (const isa::Run& r : path) {
    instructions += r.count;
  }
  return instructions <= most.value;
}
inline std::string too_long(const input::Limit& most) {
  return "a warp of more than " + std::to_string(most.value) + " instructions (legal: " + most.legal() + ")";
}

class PathTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  void clear() {
    paths_.clear();
    numbers_.clear();
    runs_ = 0;
  }
  uint32_t find(const Path& p, uint64_t hash) const {
    const auto it = numbers_.find(hash);
    return it != numbers_.end() && equal(paths_[it->second], p) ? it->second : kNone;
  }
  uint32_t add(const Path& p, uint64_t hash) {
    const auto number = static_cast<uint32_t>(paths_.size());
    paths_.push_back(p);
    numbers_.emplace(hash, number);  // of two paths with one hash, the first is found
    runs_ += p.size();
    return number;
  }
  const std::vector<Path>& paths() const { return paths_; }
  size_t runs() const { return runs_; }

  static uint64_t hash(const Path& p) {
    uint64_t h = p.size();
    for (const isa::Run& r : p) {
      h = (h ^ (uint64_t{r.first} << 32 | r.count)) * 0x9e3779b97f4a7c15;
      h = ((h ^ h >> 29) + r.mask) * 0xbf58476d1ce4e5b9;
      h ^= h >> 32;
    }
    return h;
  }

 private:
  static bool equal(const Path& a, const Path& b) {
    if (a.size() != b.size()) {
      return false;
    }
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i].first != b[i].first || a[i].count != b[i].count || a[i].mask != b[i].mask) {
        return false;
      }
    }
    return true;
  }

  std::vector<Path> paths_;
  std::unordered_map<uint64_t, uint32_t> numbers_;
  size_t runs_ = 0;
};

}  // namespace heddle::trace
