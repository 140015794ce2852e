// Reads of one line by the SMs that share a port and overlap in time go to L2 once; the answer serves all.
// (tools/microbench/FINDINGS.md 17: a line that all SMs read at once is asked for once per two TPCs;
// and tools/microbench/FINDINGS.md 6: a small footprint read in step by all SMs reaches twice the L2's
// bandwidth.)
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/time.h"
#include "sim/memory/address_map.h"

namespace heddle::memory {

class RequestMerger {
 public:
  RequestMerger(uint32_t groups, uint32_t entries) : entries_(entries), table_(size_t{groups} * entries) {}

  void reset() { std::fill(table_.begin(), table_.end(), Entry{}); }

  // When the data leaves L2 that a request of `group` made earlier, if one for all of `sectors` is on its way
  // at `at`; 0 otherwise.
  Ticks find(uint32_t group, uint64_t line, uint8_t sectors, Ticks at) const {
    if (entries_ == 0) {
      return 0;
    }
    const Entry& e = table_[index(group, line)];
    return e.line == line && (sectors & ~e.sectors) == 0 && at < e.done ? e.done : 0;
  }
  void add(uint32_t group, uint64_t line, uint8_t sectors, Ticks done) {
    if (entries_ != 0) {
      table_[index(group, line)] = {line, done, sectors};
    }
  }

 private:
  struct Entry {
    uint64_t line = 0;
    Ticks done = 0;
    uint8_t sectors = 0;
  };
  size_t index(uint32_t group, uint64_t line) const {
    return size_t{group} * entries_ + AddressMap::mix(line) % entries_;
  }
  uint32_t entries_;
  std::vector<Entry> table_;
};

}  // namespace heddle::memory
