// When answers to reads last passed a GPC's port. The port towards L2 at which reads of several SMs merge
// (request_merger.h) lies on the SMs' side of it: the answer that serves them all passes it once.
// (tools/microbench/FINDINGS.md 24: SMs that load the same tiles get 79 bytes a cycle each, others 35.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/engine/time.h"
#include "sim/memory/address_map.h"

namespace heddle::memory {

class Crossings {
 public:
  // `entries`: of each group of SMs, as many as reads that merge.
  Crossings(uint32_t groups, uint32_t entries) : entries_(entries), table_(size_t{groups} * entries) {}

  void reset() { std::fill(table_.begin(), table_.end(), Entry{}); }

  // The answer to a read of `line` by `group` is behind the port at `at`.
  void add(uint32_t group, uint64_t line, Ticks at) {
    if (entries_ != 0) {
      table_[index(group, line)] = {line, at};
    }
  }
  // ... of the last such read; null: forgotten.
  const Ticks* find(uint32_t group, uint64_t line) const {
    if (entries_ == 0) {
      return nullptr;
    }
    const Entry& e = table_[index(group, line)];
    return e.line == line && e.at != Ticks{} ? &e.at : nullptr;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar.elements(table_);
  }

 private:
  struct Entry {
    uint64_t line = 0;
    Ticks at{};

    template <class Archive>
    void serialize(Archive& ar) {
      ar(line, at);
    }
  };
  size_t index(uint32_t group, uint64_t line) const {
    return size_t{group} * entries_ + AddressMap::mix(line) % entries_;
  }

  uint32_t entries_;
  std::vector<Entry> table_;
};

}  // namespace heddle::memory
