// Operand read: banks with one read port each, a read window of a few cycles, and the reuse cache
// (reference/microarchitecture.md 3.4). One per sub-core.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "configs/schema/spec.h"
#include "sim/engine/time.h"
#include "sim/sm/code/timed_instr.h"
#include "sim/stats/counters.h"

namespace heddle::sm {

class RegisterPorts {
 public:
  explicit RegisterPorts(const spec::RegisterFile& r)
      : ideal_(r.model() == spec::RegisterFile::IDEAL),
        bank_mask_(r.banks() - 1),
        window_(r.read_window()),
        reuse_(r.reuse_cache()) {}

  void reset() {
    next_free_.fill(0);
    cache_.fill({});
  }

  // An instruction of `warp` issues at `now` and needs its sources. Returns the cycles by which the issue of
  // the next instruction is held back because a bank's port cannot serve all reads within the window.
  uint32_t read(const TimedInstr& t, uint32_t warp, Cycle now, stats::CounterSet& counters) {
    if (ideal_ || t.n_reads == 0) {
      return 0;
    }
    Cycle worst = 0;
    for (int i = 0; i < t.n_reads; ++i) {
      const RegisterRead& r = t.reads[i];
      uint32_t bank = r.reg & bank_mask_;
      Entry& e = cache_[bank * kSlots + r.slot % kSlots];
      bool hit = reuse_ && e.valid && e.warp == warp && e.reg == r.reg;
      // Any read of this bank and slot displaces the entry, unless the instruction asks to keep it.
      e = {static_cast<uint8_t>(warp), r.reg, r.reuse};
      if (hit) {
        ++counters[stats::Counter::kReuseHits];
        continue;
      }
      if (r.again) {  // read once for all its sources (FINDINGS.md 2, row "one register three times")
        continue;
      }
      worst = std::max(worst, serve(bank, now));
    }
    return held_back(worst, now, counters);
  }

  // The same for what goes through a queue of the LSU: all registers of its address and data, past the reuse
  // cache (FINDINGS.md 51). Here they are read when it issues, on silicon when others have left the queue.
  uint32_t read_queued(const isa::Instr& in, Cycle now, stats::CounterSet& counters) {
    if (ideal_) {
      return 0;
    }
    Cycle worst = 0;
    for (int i = 0; i < in.n_src; ++i) {
      if (in.src[i].file != isa::RegFile::kGpr) {
        continue;
      }
      for (uint32_t r = in.src[i].index, end = r + in.src[i].count; r < end; ++r) {
        worst = std::max(worst, serve(r & bank_mask_, now));
      }
    }
    return held_back(worst, now, counters);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(next_free_, cache_);
  }

 private:
  static constexpr uint32_t kSlots = 3;
  static constexpr uint32_t kMaxBanks = 8;
  struct Entry {
    uint8_t warp = 0;
    uint8_t reg = 0;
    bool valid = false;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(warp, reg, valid);
    }
  };

  // When the bank's port has done one more read.
  Cycle serve(uint32_t bank, Cycle now) {
    next_free_[bank] = std::max(next_free_[bank], now) + 1;
    return next_free_[bank];
  }

  // Cycles by which reads that are done at `worst` hold back the next issue.
  uint32_t held_back(Cycle worst, Cycle now, stats::CounterSet& counters) const {
    if (worst <= now + window_) {
      return 0;
    }
    const auto cycles = static_cast<uint32_t>(worst - now - window_);
    counters[stats::Counter::kRegPortStalls] += cycles;
    return cycles;
  }

  const bool ideal_;
  const uint32_t bank_mask_;
  const uint32_t window_;
  const bool reuse_;
  std::array<Cycle, kMaxBanks> next_free_{};
  std::array<Entry, size_t{kMaxBanks} * kSlots> cache_{};
};

}  // namespace heddle::sm
