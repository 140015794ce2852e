#include "analysis/access/pattern_counts.h"

#include <algorithm>

namespace heddle::analysis {
namespace {

constexpr size_t kFirst = 1024;  // places of the table

// Appends the addresses of the lanes of `mask` to `out`.
uint32_t pack(const uint64_t address[32], uint32_t mask, uint64_t* out) {
  uint32_t n = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    out[n++] = address[std::countr_zero(m)];
  }
  return n;
}

}  // namespace

uint32_t PatternCounts::find_or_add(uint32_t number, uint32_t mask, const uint64_t address[32],
                                    const uint64_t* from, bool& added) {
  if (patterns_.size() * 2 >= table_.size()) {
    grow();
  }
  uint64_t words[64];
  uint32_t n = pack(address, mask, words);
  n += from ? pack(from, mask, words + n) : 0;
  uint64_t a = uint64_t{number} << 32 | mask, b = n;  // two chains at a time
  for (uint32_t i = 0; i + 1 < n; i += 2) {
    a = (a ^ words[i]) * 0x9e3779b97f4a7c15;
    b = (b ^ words[i + 1]) * 0xbf58476d1ce4e5b9;
    a ^= a >> 32;
    b ^= b >> 32;
  }
  a = (a ^ b ^ (n & 1 ? words[n - 1] : 0)) * 0x9e3779b97f4a7c15;
  const auto hash = static_cast<uint32_t>(a >> 32);
  size_t i = hash & (table_.size() - 1);
  for (; table_[i] != 0; i = (i + 1) & (table_.size() - 1)) {
    const uint32_t index = table_[i] - 1;
    const Pattern& p = patterns_[index];
    if (hashes_[index] == hash && p.number == number && p.mask == mask && p.copy == (from != nullptr) &&
        std::equal(words, words + n, pool_.begin() + static_cast<ptrdiff_t>(p.at))) {
      added = false;
      return index;
    }
  }
  added = true;
  Pattern p;
  p.number = number;
  p.mask = mask;
  p.at = pool_.size();
  p.copy = from != nullptr;
  pool_.insert(pool_.end(), words, words + n);
  patterns_.push_back(p);
  hashes_.push_back(hash);
  table_[i] = static_cast<uint32_t>(patterns_.size());
  return static_cast<uint32_t>(patterns_.size() - 1);
}

void PatternCounts::expand(const Pattern& p, uint64_t address[32], uint64_t from[32]) const {
  const uint64_t* word = pool_.data() + p.at;
  for (uint32_t m = p.mask; m; m &= m - 1) {
    address[std::countr_zero(m)] = *word++;
  }
  for (uint32_t m = p.copy ? p.mask : 0; m; m &= m - 1) {
    from[std::countr_zero(m)] = *word++;
  }
}

void PatternCounts::clear() {
  patterns_.clear();
  pool_.clear();
  hashes_.clear();
  std::fill(table_.begin(), table_.end(), 0);
}

void PatternCounts::grow() {
  table_.assign(std::max(kFirst, table_.size() * 2), 0);
  for (uint32_t p = 0; p < hashes_.size(); ++p) {
    size_t i = hashes_[p] & (table_.size() - 1);
    while (table_[i] != 0) {
      i = (i + 1) & (table_.size() - 1);
    }
    table_[i] = p + 1;
  }
}

}  // namespace heddle::analysis
