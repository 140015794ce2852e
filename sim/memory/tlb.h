// Address translation on the way from L1 to L2: a TLB per SM, one per GPC, one per device with the page
// walkers. The TLBs of a GPC are worked by themselves; what misses them goes to the device's in the order of
// time, and until that has been done its result is a `Fill` that others may wait for, too.
#pragma once

#include <cstdint>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/time.h"
#include "sim/stats/counters.h"

namespace heddle::memory {

// Fully associative, least recently used.
class TlbLevel {
 public:
  struct Entry {
    uint64_t page = 0;
    uint64_t stamp = 0;
    Ticks ready{};      // usable from then on, once `fill` is done
    uint32_t fill = 0;  // 1 + number of the Fill that it waits for; 0: none

    template <class Archive>
    void serialize(Archive& ar) {
      ar(page, stamp, ready, fill);
    }
  };
  explicit TlbLevel(uint32_t entries) : capacity_(entries) {}
  // The index of `page`'s entry; *found tells whether it was there. It is inserted otherwise, and the caller
  // says when it is ready.
  uint32_t look_up(uint64_t page, bool* found);
  Entry& entry(uint32_t i) { return entries_[i]; }
  void clear() {
    entries_.clear();
    last_ = 0;
  }
  template <class Archive>
  void serialize(Archive& ar) {
    ar(clock_, last_, entries_);
    ar.check(entries_.size() <= capacity_, "a TLB has more entries than it has room for");
  }

 private:
  uint32_t capacity_;
  uint64_t clock_ = 0;
  size_t last_ = 0;
  std::vector<Entry> entries_;
};

// The device's TLB and its page walkers.
class PageWalkers {
 public:
  PageWalkers(const spec::Tlb& tlb, stats::CounterSet& counters);
  void reset();
  // When the translation of `region` is known that is asked for at `at`. Calls in the order of time.
  Ticks walk(uint64_t region, Ticks at);
  template <class Archive>
  void serialize(Archive& ar) {
    ar(known_);
    ar.elements(walkers_);
  }

 private:
  const Ticks walk_latency_;
  TlbLevel known_;
  std::vector<Server> walkers_;
  stats::CounterSet& counters_;
};

// The TLBs of a GPC's SMs and their common one.
class GpcTlb {
 public:
  // Of `sms` SMs.
  GpcTlb(const spec::Tlb& tlb, uint32_t sms, stats::CounterSet& counters);
  void reset();

  // A page, or a region, that is on its way.
  struct Fill {
    Cycle sent = 0;       // when the packet left its SM that asked first: the order of the walks
    Ticks at{};           // when the device's TLB is asked, or when the answer is wanted
    uint64_t region = 0;  // for a walk
    uint32_t behind = 0;  // 1 + number of the fill that it waits for; 0: it is a walk
    Ticks ready{};
  };
  struct Translation {
    Ticks at{};         // when the address is known, but not before
    uint32_t fill = 0;  // 1 + number of this fill; 0: nothing else
  };
  // SM number `sm` of the GPC asks at `at` for byte address `addr`, for a packet that left at `sent`.
  Translation translate(uint32_t sm, uint64_t addr, Ticks at, Cycle sent);

  // Fills since the last settle(), in order. Whoever has walked sets `ready` of the walks.
  std::vector<Fill>& fills() { return fills_; }
  // All walks have been done: every fill and every entry gets its time.
  void settle();
  // After settle(): when the address is known.
  Ticks known(const Translation& t) const {
    return t.fill == 0 ? t.at : std::max(t.at, fills_[t.fill - 1].ready);
  }
  // Forgets the fills; nobody asks for their translations any more.
  void forget_fills() { fills_.clear(); }
  // When there are none.
  template <class Archive>
  void serialize(Archive& ar) {
    ar.elements(l1_);
    ar(l2_);
  }

 private:
  struct Waiting {
    TlbLevel* level;
    uint32_t entry, fill;
  };
  uint32_t add_fill(const Fill& f);
  void wait(TlbLevel& level, uint32_t entry, uint32_t fill);

  const bool enabled_;
  const uint64_t page_bytes_, walk_bytes_;
  const Ticks l2_latency_, l3_latency_;
  std::vector<TlbLevel> l1_;
  TlbLevel l2_;
  std::vector<Fill> fills_;
  std::vector<Waiting> waiting_;
  stats::CounterSet& counters_;
};

}  // namespace heddle::memory
