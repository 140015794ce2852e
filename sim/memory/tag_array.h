// Tags of a sectored, set-associative cache with LRU replacement. Used by L1 and by the L2 slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::memory {

struct CacheLine {
  uint64_t line = 0;  // address / line size; meaningful only when epoch is the array's
  uint32_t epoch = 0;
  uint32_t stamp = 0;  // last use
  uint32_t aux = 0;    // owner's field (L1: pending-miss entry; L2: unused)
  uint8_t valid = 0;   // sector mask
  uint8_t dirty = 0;   // sector mask
  uint8_t flags = 0;   // owner's field
  uint64_t ready = 0;  // owner's field (L2: ticks at which the newest fill arrives)
};

class TagArray {
 public:
  TagArray() = default;
  TagArray(uint32_t sets, uint32_t ways) : sets_(sets), ways_(ways), lines_(size_t{sets} * ways) {}

  uint32_t sets() const { return sets_; }
  uint32_t ways() const { return ways_; }

  // Forgets everything, in constant time.
  void clear() {
    ++epoch_;
    clock_ = 0;
  }

  // The entry holding `line` in `set`, touched as most recently used; null when absent.
  CacheLine* find(uint32_t set, uint64_t line) {
    CacheLine* s = &lines_[size_t{set} * ways_];
    for (uint32_t w = 0; w < ways_; ++w) {
      if (s[w].line == line && s[w].epoch == epoch_) {
        s[w].stamp = ++clock_;
        return &s[w];
      }
    }
    return nullptr;
  }

  // The entry to replace in `set`: a free one, else the least recently used one that `evictable` accepts;
  // null when there is none. The caller reads what it needs of the old content and then calls fill().
  template <class Evictable>
  CacheLine* victim(uint32_t set, Evictable&& evictable) {
    CacheLine* s = &lines_[size_t{set} * ways_];
    CacheLine* best = nullptr;
    for (uint32_t w = 0; w < ways_; ++w) {
      if (s[w].epoch != epoch_) {
        return &s[w];
      }
      if ((!best || s[w].stamp < best->stamp) && evictable(s[w])) {
        best = &s[w];
      }
    }
    return best;
  }

  // The least recently used live entry of `set` that `wanted` accepts; null when there is none.
  template <class Wanted>
  CacheLine* oldest(uint32_t set, Wanted&& wanted) {
    CacheLine* best = nullptr;
    for (CacheLine* l = &lines_[size_t{set} * ways_]; l != &lines_[size_t{set} * ways_] + ways_; ++l) {
      if (live(*l) && (!best || l->stamp < best->stamp) && wanted(*l)) {
        best = l;
      }
    }
    return best;
  }
  // Entries of a set are filled in order: this one is the last.
  bool last_way(const CacheLine& l) const { return (&l - lines_.data() + 1) % ways_ == 0; }

  template <class F>
  void for_each_live(F&& f) {
    for (CacheLine& l : lines_) {
      if (l.epoch == epoch_) {
        f(l);
      }
    }
  }

  bool live(const CacheLine& l) const { return l.epoch == epoch_; }

  void fill(CacheLine& l, uint64_t line) { l = {line, epoch_, ++clock_, 0, 0, 0, 0, 0}; }

 private:
  uint32_t sets_ = 0;
  uint32_t ways_ = 0;
  uint32_t epoch_ = 1;
  uint32_t clock_ = 0;
  std::vector<CacheLine> lines_;
};

}  // namespace heddle::memory
