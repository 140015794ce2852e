// How often which addresses were accessed, exactly: what does not change when all addresses move is not the
// same here.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "analysis/access/access_cost.h"

namespace heddle::analysis {

class PatternCounts {
 public:
  struct Pattern {
    uint32_t number = 0;  // of the instruction, as MemoryWalk counts
    uint32_t mask = 0;
    AccessCost cost;
    uint64_t times = 0;
    size_t at = 0;      // in the pool: an address for each lane of `mask`
    bool copy = false;  // then the addresses that the data come from follow
  };

  // `max_words`: addresses that are kept; 8 bytes each.
  explicit PatternCounts(size_t max_words) : max_words_(max_words) {}

  // The pattern's index. `from` are a copy's, else null; both hold the lanes of `mask`. A new pattern has no
  // cost yet, and `added` says so.
  uint32_t find_or_add(uint32_t number, uint32_t mask, const uint64_t address[32], const uint64_t* from,
                       bool& added);
  Pattern& operator[](uint32_t i) { return patterns_[i]; }
  const std::vector<Pattern>& all() const { return patterns_; }
  // address[lane], and from[lane] of a copy.
  void expand(const Pattern& p, uint64_t address[32], uint64_t from[32]) const;

  // Time to use and clear() it, so that memory stays bounded. Patterns can still be added.
  bool full() const { return pool_.size() > max_words_; }
  void clear();

 private:
  void grow();

  size_t max_words_;
  std::vector<Pattern> patterns_;
  std::vector<uint64_t> pool_;
  std::vector<uint32_t> hashes_;  // by pattern
  std::vector<uint32_t> table_;   // open addressing: 1 + pattern; 0: empty
};

}  // namespace heddle::analysis
