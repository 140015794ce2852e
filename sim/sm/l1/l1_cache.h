// The L1 data caches of an SM, one or several: sectored tags, misses in flight, and the loads that wait for
// them. `unit`: which of several; misses in flight and the loads are all units'.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/slots.h"
#include "sim/engine/time.h"
#include "sim/memory/address_map.h"
#include "sim/memory/message.h"
#include "sim/memory/tag_array.h"
#include "sim/sm/l1/l1_values.h"

namespace heddle::sm {

// A memory instruction whose data is not complete.
struct PendingLoad {
  enum class Kind : uint8_t { kRegisters, kCopy };
  Kind kind = Kind::kRegisters;
  uint8_t warp = 0;
  uint8_t group = 0;      // kCopy: LDGSTS group
  uint32_t code = 0;      // code index
  uint32_t waiting = 0;   // sectors (atomics: packets' sectors) not yet back
  Cycle ready = 0;        // when the part that hit is ready
  uint16_t bytes = 0;     // written to registers, for the write-back port
  uint8_t passes = 0;     // kCopy: wavefronts of the write to shared memory
  bool computed = false;  // its program wants the values

  template <class Archive>
  void serialize(Archive& ar) {
    ar(kind, warp, group, code, waiting, ready, bytes, passes, computed);
  }
};

class L1Cache {
 public:
  // Numbers of lines of local memory begin there, apart from everything else.
  static constexpr uint64_t kLocalTag = uint64_t{1} << 50;

  explicit L1Cache(const spec::L1Cache& c, uint32_t units = 1) : config_(c), units_(units) {}

  void reset(uint32_t l1_bytes) {
    uint32_t lines = l1_bytes / config_.line_bytes() / units_;
    uint32_t ways = std::min(config_.ways(), std::max(1u, lines));
    uint32_t sets = std::max(1u, lines / ways) * units_;
    if (tags_.sets() != sets || tags_.ways() != ways) {
      tags_ = memory::TagArray(sets, ways);
      values_.reset();
    }
    tags_.clear();
    loads_.clear();
    misses_.clear();
    waiters_.clear();
    free_waiter_ = kNone;
    sectors_in_flight_ = 0;
  }

  // ---- values, for programs that compute ----
  // Lines have values from here on.
  void keep_values() {
    if (!values_) {
      values_ = std::make_unique<L1Values>(size_t{tags_.sets()} * tags_.ways());
      invalidate_all();
    }
  }
  bool keeps_values() const { return values_ != nullptr; }
  L1Values& values() { return *values_; }
  // Gives the load what is here of `line`. After its look_up().
  void take(uint32_t unit, uint32_t load, uint64_t line) {
    if (const memory::CacheLine* l = tags_.find(set(unit, line), line)) {
      values_->take(values_->load(load), line, tags_.number(*l), l->valid);
    }
  }
  // What a store has written, after store().
  void put(uint32_t unit, uint64_t line, const memory::Payload& p) {
    if (const memory::CacheLine* l = tags_.find(set(unit, line), line)) {
      values_->store(tags_.number(*l), p);
    }
  }

  // ---- loads in flight ----
  bool room_for_load() const { return loads_.used() < config_.pending_requests(); }
  uint32_t add_load(const PendingLoad& l) { return loads_.add(l); }
  PendingLoad& load(uint32_t i) { return loads_[i]; }
  void remove_load(uint32_t i) { loads_.remove(i); }
  bool room_for_sectors(uint32_t n) const {
    return sectors_in_flight_ == 0 || sectors_in_flight_ + n <= config_.miss_sectors();
  }

  // ---- tags ----
  struct LookUp {
    uint8_t hit = 0;        // sectors that are there
    uint8_t in_flight = 0;  // sectors requested before
    uint8_t missing = 0;    // sectors to request
  };
  // `computed`: for a program that computes, which needs the values too.
  LookUp look_up(uint32_t unit, uint64_t line, uint8_t sectors, bool computed = false) {
    memory::CacheLine* l = tags_.find(set(unit, line), line);
    LookUp r;
    if (l) {
      r.hit = sectors & l->valid;
      uint8_t flying = l->aux ? joinable(misses_[l->aux - 1], computed) : 0;
      r.in_flight = sectors & flying & static_cast<uint8_t>(~r.hit);
    }
    r.missing = sectors & static_cast<uint8_t>(~(r.hit | r.in_flight));
    return r;
  }

  // Makes `load` wait for `sectors` of `line`, of which `missing` are about to be requested. Returns the id
  // for the request. `cached` false keeps the data out of the tags.
  uint32_t wait_for(uint32_t unit, uint64_t line, uint8_t sectors, uint8_t missing, uint32_t load,
                    bool cached) {
    const bool computed = loads_[load].computed;
    uint32_t m = kNone;
    if (cached) {
      memory::CacheLine* l = tags_.find(set(unit, line), line);
      if (!l) {
        l = tags_.victim(set(unit, line), [](const memory::CacheLine& c) { return c.aux == 0; });
        if (l) {
          place(*l, line);
        }
      }
      if (l && l->aux == 0) {
        m = new_miss(line, l, computed);
        l->aux = m + 1;
      } else if (l && (misses_[l->aux - 1].pending & missing) == 0) {
        m = l->aux - 1;
      } else if (l) {
        // What is on its way for the line may be older than what is asked for: it has to be asked for again.
        add_waiter(l->aux - 1, load, sectors & static_cast<uint8_t>(~missing));
        sectors &= missing;
      }
    }
    if (m == kNone) {
      m = new_miss(line, nullptr, computed);
    }
    misses_[m].pending |= missing;
    sectors_in_flight_ += std::popcount(missing);
    add_waiter(m, load, sectors);
    return m;
  }

  // Where in the outbox the newest request for miss `m` is, for as long as it has not left.
  uint32_t& request_of(uint32_t m) { return misses_[m].request; }
  bool may_grow(uint32_t m) const { return !misses_[m].closed; }

  // The data of miss `m` goes into the cache.
  bool is_cached(uint32_t m) const { return misses_[m].entry != nullptr; }
  // The unit of a miss that is_cached().
  uint32_t unit_of(uint32_t m) const {
    return static_cast<uint32_t>(tags_.number(*misses_[m].entry) / tags_.ways()) / (tags_.sets() / units_);
  }
  // `sectors` of miss `m` have arrived. Calls take(load, line, its sectors) for every load that waits for
  // some, and done(load) for every one that has all its data.
  template <class Take, class Done>
  void fill(uint32_t m, uint8_t sectors, const memory::Payload* values, Take&& take, Done&& done) {
    Miss& miss = misses_[m];
    miss.pending &= static_cast<uint8_t>(~sectors);
    sectors_in_flight_ -= std::popcount(sectors);
    memory::CacheLine* l = miss.entry;
    if (l) {
      // Of a recording among programs that compute: it has no values. Nor has local memory, which nobody asks
      // for any.
      const bool lacks = values_ && !values && miss.line < kLocalTag;
      const auto fresh = static_cast<uint8_t>(lacks ? 0 : sectors & ~miss.stale);
      if (values) {
        values_->fill(tags_.number(*l), static_cast<uint8_t>(fresh & ~l->valid), *values);
      }
      l->valid |= fresh;
    }
    uint32_t* link = &miss.waiters;
    while (*link != kNone) {
      Waiter& w = waiters_[*link];
      uint8_t got = w.sectors & sectors;
      w.sectors &= static_cast<uint8_t>(~got);
      PendingLoad& p = loads_[w.load];
      p.waiting -= std::popcount(got);
      uint32_t load = w.load;
      bool complete = p.waiting == 0 && got;
      if (got) {
        take(load, miss.line, got);
      }
      if (w.sectors == 0) {
        uint32_t gone = *link;
        *link = w.next;
        waiters_[gone].next = free_waiter_;
        free_waiter_ = gone;
      } else {
        link = &w.next;
      }
      if (complete) {
        done(load);
      }
    }
    if (miss.pending == 0) {
      if (l) {
        l->aux = 0;
      }
      misses_.remove(m);
    }
  }

  // Write-through, and a store allocates: what it has written can be read if it wrote the whole sector, and
  // hit by further stores in any case; other units drop it. Returns the sectors that were there.
  uint8_t store(uint32_t unit, uint64_t line, uint8_t sectors, uint8_t whole) {
    for (uint32_t other = 0; other < units_; ++other) {
      if (other != unit) {
        invalidate_in(other, line, sectors);
      }
    }
    memory::CacheLine* l = tags_.find(set(unit, line), line);
    if (!l) {
      l = tags_.victim(set(unit, line), [](const memory::CacheLine& c) { return c.aux == 0; });
      if (!l) {
        return 0;
      }
      place(*l, line);
    }
    auto found = static_cast<uint8_t>(sectors & (l->valid | l->flags));
    l->flags |= sectors;
    l->valid |= whole;
    return found;
  }
  // Drops `sectors` of `line` in all units (atomics and strong accesses act at L2).
  void invalidate(uint64_t line, uint8_t sectors) {
    for (uint32_t unit = 0; unit < units_; ++unit) {
      invalidate_in(unit, line, sectors);
    }
  }
  // CCTL.IVALL: nothing that is there now may hit any more.
  void invalidate_all() {
    tags_.for_each_live([this](memory::CacheLine& l) {
      l.valid = l.flags = 0;
      drop(l, (1u << memory::kSectorsPerLine) - 1);
    });
  }

  uint32_t sectors_in_flight() const { return sectors_in_flight_; }

  template <class Archive>
  void serialize(Archive& ar) {
    uint32_t sets = tags_.sets(), ways = tags_.ways();  // as the split for the kernel has it
    bool valued = values_ != nullptr;
    ar(sets, ways, valued);
    if (sets != tags_.sets() || ways != tags_.ways()) {
      ar.check(ways <= config_.ways() && sets <= kMostSets && sets % units_ == 0, "an L1 of another size");
      tags_ = memory::TagArray(sets, ways);
    }
    if (ar.reading()) {
      values_ = valued ? std::make_unique<L1Values>(size_t{sets} * ways) : nullptr;
    }
    ar(tags_);
    loads_.serialize(ar, [&](PendingLoad& l, uint32_t number) {
      ar(l);
      ar.check(valued || !l.computed, "a load of values in an L1 without them");
      if (l.computed) {
        ar(values_->load(number));
      }
    });
    ar(misses_, waiters_, free_waiter_, sectors_in_flight_);
    tags_.for_each_live([&](memory::CacheLine& l) {
      if (ar.reading() && l.aux) {
        ar.check(l.aux <= misses_.places(), "a miss that there is not");
        misses_[l.aux - 1].entry = &l;
      }
      if (valued && l.line < kLocalTag) {
        values_->serialize_line(ar, tags_.number(l), l.valid);
      }
    });
  }

 private:
  static constexpr uint32_t kNone = ~0u;
  static constexpr uint32_t kMostSets = 1 << 20;
  struct Miss {
    uint64_t line = 0;
    memory::CacheLine* entry = nullptr;  // the one whose aux it is
    uint32_t waiters = kNone;
    bool computed = false;  // the answer has values
    uint8_t pending = 0;
    uint8_t stale = 0;    // pending sectors that were invalidated: not for the tags, nor for later loads
    bool closed = false;  // something was invalidated since: its request must not grow
    uint32_t request = 0;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(line, waiters, computed, pending, stale, closed, request);
    }
  };
  struct Waiter {
    uint32_t load;
    uint8_t sectors;
    uint32_t next;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(load, sectors, next);
    }
  };

  // A unit's sets lie one behind the other.
  uint32_t set(uint32_t unit, uint64_t line) const {
    const uint32_t sets = units_ == 1 ? tags_.sets() : tags_.sets() / units_;
    return unit * sets + static_cast<uint32_t>(memory::AddressMap::mix(line) % sets);
  }
  void invalidate_in(uint32_t unit, uint64_t line, uint8_t sectors) {
    if (memory::CacheLine* l = tags_.find(set(unit, line), line)) {
      l->valid &= static_cast<uint8_t>(~sectors);
      l->flags &= static_cast<uint8_t>(~sectors);
      drop(*l, sectors);
    }
  }
  void place(memory::CacheLine& l, uint64_t line) {
    tags_.fill(l, line);
    if (values_) {
      values_->forget(tags_.number(l));
    }
  }
  // `sectors` of it are no longer what is in memory.
  void drop(const memory::CacheLine& l, uint8_t sectors) {
    if (l.aux) {
      misses_[l.aux - 1].stale |= misses_[l.aux - 1].pending & sectors;
      misses_[l.aux - 1].closed = true;
    }
    if (values_) {
      values_->forget(tags_.number(l), sectors);
    }
  }
  // Sectors on their way that a load may wait for.
  static uint8_t joinable(const Miss& m, bool computed) {
    return computed && !m.computed ? 0 : m.pending & static_cast<uint8_t>(~m.stale);
  }
  uint32_t new_miss(uint64_t line, memory::CacheLine* entry, bool computed) {
    return misses_.add({line, entry, kNone, computed});
  }
  void add_waiter(uint32_t m, uint32_t load, uint8_t sectors) {
    if (sectors != 0) {
      misses_[m].waiters = new_waiter({load, sectors, misses_[m].waiters});
      loads_[load].waiting += std::popcount(sectors);
    }
  }
  uint32_t new_waiter(const Waiter& w) {
    if (free_waiter_ == kNone) {
      waiters_.push_back(w);
      return static_cast<uint32_t>(waiters_.size() - 1);
    }
    uint32_t i = free_waiter_;
    free_waiter_ = waiters_[i].next;
    waiters_[i] = w;
    return i;
  }

  const spec::L1Cache config_;
  const uint32_t units_;
  memory::TagArray tags_;
  std::unique_ptr<L1Values> values_;
  Slots<PendingLoad> loads_;
  Slots<Miss> misses_;
  std::vector<Waiter> waiters_;
  uint32_t free_waiter_ = kNone;
  uint32_t sectors_in_flight_ = 0;
};

}  // namespace heddle::sm
