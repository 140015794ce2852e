// Remembers which blocks of a grid have been seen. Costs nothing while they come in linear order, as they
// mostly do.
#pragma once

#include <cstdint>
#include <set>

namespace heddle::accelsim {

class BlockOrder {
 public:
  // False when the block was seen before.
  bool add(uint64_t linear) {
    if (linear < next_ || ahead_.contains(linear)) {
      return false;
    }
    if (linear != next_) {
      ahead_.insert(linear);
      return true;
    }
    ++next_;
    while (!ahead_.empty() && *ahead_.begin() == next_) {
      ahead_.erase(ahead_.begin());
      ++next_;
    }
    return true;
  }

 private:
  uint64_t next_ = 0;         // all blocks below have been seen
  std::set<uint64_t> ahead_;  // seen, above next_
};

}  // namespace heddle::accelsim
