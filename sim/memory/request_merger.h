// Reads of one line by the SMs that share a port and overlap in time go to L2 once; the answer serves all.
// (tools/microbench/FINDINGS.md 17: a line that all SMs read at once is asked for once per two TPCs;
// and tools/microbench/FINDINGS.md 6: a small footprint read in step by all SMs reaches twice the L2's
// bandwidth.)
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/time.h"
#include "sim/memory/address_map.h"
#include "sim/memory/l2.h"

namespace heddle::memory {

class RequestMerger {
 public:
  RequestMerger(uint32_t groups, uint32_t entries) : entries_(entries), table_(size_t{groups} * entries) {}

  void reset() {
    std::fill(table_.begin(), table_.end(), Entry{});
    crossing_.clear();
  }

  // When the data leaves L2 that a request of `group` made earlier, if one for all of `sectors` is on its way
  // at `at`, when the later one passes the port; null otherwise. Whether it is on its way is told without the
  // others that cross the fabric.
  const L2::Served* find(uint32_t group, uint64_t line, uint8_t sectors, Ticks at) const {
    if (entries_ == 0) {
      return nullptr;
    }
    const Entry& e = table_[index(group, line)];
    return e.line == line && (sectors & ~e.sectors) == 0 && at < e.until ? &e.served : nullptr;
  }
  void add(uint32_t group, uint64_t line, uint8_t sectors, const L2::Served& served) {
    if (entries_ == 0) {
      return;
    }
    const size_t i = index(group, line);
    table_[i] = {line, served.done, served, sectors};
    if (served.transfer != 0) {
      crossing_.push_back(i);
    }
  }
  // The transfers of `l2` have been booked.
  void settle(const L2& l2) {
    for (size_t i : crossing_) {
      table_[i].served = {l2.end(table_[i].served), 0};
    }
    crossing_.clear();
  }

  // Between two exchanges: no entry waits for a transfer.
  template <class Archive>
  void serialize(Archive& ar) {
    ar.elements(table_);
  }

 private:
  struct Entry {
    uint64_t line = 0;
    Ticks until{};
    L2::Served served;
    uint8_t sectors = 0;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(line, until, served.done, served.transfer, sectors);
    }
  };
  size_t index(uint32_t group, uint64_t line) const {
    return size_t{group} * entries_ + AddressMap::mix(line) % entries_;
  }
  uint32_t entries_;
  std::vector<Entry> table_;
  std::vector<size_t> crossing_;  // entries that wait for a transfer
};

}  // namespace heddle::memory
