// Tags of a sectored, set-associative cache with LRU replacement. Used by L1 and by the L2 slices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sim/engine/time.h"
#include "sim/engine/zeroed.h"

namespace heddle::memory {

struct CacheLine {
  uint64_t line = 0;  // address / line size
  Ticks ready{};      // owner's field (L2: when the newest fill arrives)
  uint32_t aux = 0;   // owner's field (L1: pending-miss entry; L2: see l2.h)
  uint8_t valid = 0;  // sector mask
  uint8_t dirty = 0;  // sector mask
  uint8_t flags = 0;  // owner's field

  template <class Archive>
  void serialize(Archive& ar) {
    ar(line, ready, aux, valid, dirty, flags);
  }
};

class TagArray {
 public:
  TagArray() = default;
  TagArray(uint32_t sets, uint32_t ways)
      : sets_(sets),
        ways_(ways),
        tags_(size_t{sets} * ways),
        stamps_(size_t{sets} * ways),
        lines_(size_t{sets} * ways) {}

  uint32_t sets() const { return sets_; }
  uint32_t ways() const { return ways_; }
  // Grows with each use of an entry.
  uint32_t clock() const { return clock_; }

  void clear() {
    if (clock_ != 0) {
      std::fill(stamps_.begin(), stamps_.end(), 0);
      clock_ = 0;
    }
  }

  // A hint that `set` is about to be looked at.
  void prefetch(uint32_t set) const {
    __builtin_prefetch(&tags_[size_t{set} * ways_]);
    __builtin_prefetch(&stamps_[size_t{set} * ways_]);
  }

  // Once that has come: the same for the entry that holds `line`, or else will probably be replaced.
  void prefetch_entry(uint32_t set, uint64_t line) const {
    const size_t first = size_t{set} * ways_;
    const auto tag = static_cast<uint32_t>(line);
    size_t entry = first;
    for (size_t i = first; i < first + ways_; ++i) {
      if (tags_[i] == tag) {
        entry = i;
        break;
      }
      entry = stamps_[i] < stamps_[entry] ? i : entry;
    }
    __builtin_prefetch(&lines_[entry], 1);
  }

  // The entry holding `line` in `set`, touched as most recently used; null when absent.
  CacheLine* find(uint32_t set, uint64_t line) {
    const size_t first = size_t{set} * ways_;
    const auto tag = static_cast<uint32_t>(line);
    for (size_t i = first; i < first + ways_; ++i) {
      if (tags_[i] == tag && stamps_[i] != 0 && lines_[i].line == line) {
        stamps_[i] = ++clock_;
        return &lines_[i];
      }
    }
    return nullptr;
  }

  // The entry to replace in `set`: a free one, else the least recently used one that `evictable` accepts;
  // null when there is none. The caller reads what it needs of the old content and then calls fill().
  template <class Evictable>
  CacheLine* victim(uint32_t set, Evictable&& evictable) {
    const size_t first = size_t{set} * ways_;
    size_t least = first;
    for (size_t i = first; i < first + ways_; ++i) {
      if (stamps_[i] == 0) {
        return &lines_[i];
      }
      least = stamps_[i] < stamps_[least] ? i : least;
    }
    // Usually the oldest of all will do, and the others need not be fetched to be asked.
    return evictable(lines_[least]) ? &lines_[least] : oldest(set, evictable);
  }

  // The least recently used entry of `set`.
  CacheLine& least_recent(uint32_t set) {
    const size_t first = size_t{set} * ways_;
    return lines_[static_cast<size_t>(std::min_element(&stamps_[first], &stamps_[first] + ways_) -
                                      &stamps_[0])];
  }
  // The least recently used live entry of `set` that `wanted` accepts; null when there is none.
  template <class Wanted>
  CacheLine* oldest(uint32_t set, Wanted&& wanted) {
    const size_t first = size_t{set} * ways_;
    uint32_t oldest = ~0u;
    CacheLine* best = nullptr;
    for (size_t i = first; i < first + ways_; ++i) {
      if (stamps_[i] != 0 && stamps_[i] < oldest && wanted(lines_[i])) {
        oldest = stamps_[i];
        best = &lines_[i];
      }
    }
    return best;
  }
  // A free entry of `set`; null when there is none.
  CacheLine* free(uint32_t set) {
    const size_t first = size_t{set} * ways_;
    for (size_t i = first; i < first + ways_; ++i) {
      if (stamps_[i] == 0) {
        return &lines_[i];
      }
    }
    return nullptr;
  }
  // How many live entries of `set` are `wanted`.
  template <class Wanted>
  uint32_t count(uint32_t set, Wanted&& wanted) const {
    const size_t first = size_t{set} * ways_;
    uint32_t n = 0;
    for (size_t i = first; i < first + ways_; ++i) {
      n += stamps_[i] != 0 && wanted(lines_[i]);
    }
    return n;
  }
  // Entries of a set are filled in order: this one is the last.
  bool last_way(const CacheLine& l) const { return (index(l) + 1) % ways_ == 0; }

  template <class F>
  void for_each_live(F&& f) {
    for (size_t i = 0; i < stamps_.size(); ++i) {
      if (stamps_[i] != 0) {
        f(lines_[i]);
      }
    }
  }

  // Its place among all entries.
  size_t number(const CacheLine& l) const { return index(l); }
  bool live(const CacheLine& l) const { return stamps_[index(l)] != 0; }

  void fill(CacheLine& l, uint64_t line) {
    l = {.line = line};
    tags_[index(l)] = static_cast<uint32_t>(line);
    stamps_[index(l)] = ++clock_;
  }

  CacheLine& entry(size_t number) { return lines_[number]; }

  // Live entries; what others hold is never looked at.
  template <class Archive>
  void serialize(Archive& ar) {
    ar.expect("sets", sets_);
    ar.expect("ways", ways_);
    ar(clock_);
    if (ar.reading()) {
      std::fill(stamps_.begin(), stamps_.end(), 0);
    }
    size_t next = 0;  // entry
    for (uint64_t gap = 0;; next += gap + 1) {
      gap = 0;  // to the next live one
      while (!ar.reading() && next + gap < stamps_.size() && stamps_[next + gap] == 0) {
        ++gap;
      }
      ar(gap);
      ar.check(gap <= stamps_.size() - next, "an entry that there is not");
      const size_t i = next + gap;
      if (i == stamps_.size()) {
        return;
      }
      ar(stamps_[i], lines_[i]);
      tags_[i] = static_cast<uint32_t>(lines_[i].line);
    }
  }

 private:
  size_t index(const CacheLine& l) const { return static_cast<size_t>(&l - lines_.data()); }

  uint32_t sets_ = 0;
  uint32_t ways_ = 0;
  uint32_t clock_ = 0;
  // What a search reads lies by itself: the sets of the L2 are seldom in the host's cache.
  Zeroed<uint32_t> tags_;    // lower bits of the line
  Zeroed<uint32_t> stamps_;  // last use; 0: free
  Zeroed<CacheLine> lines_;
};

}  // namespace heddle::memory
