// Dependences without control bits: per warp, the cycle from which each register is readable.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/engine/time.h"
#include "sim/isa/instr.h"
#include "sim/stats/counters.h"

namespace heddle::sm {

class RegisterScoreboard {
 public:
  void reset() { entries_.fill({}); }

  // The cycle from which `in` has its sources and may write its destinations; kNever while one is waiting for
  // a result of variable latency. *why is set to the kind of the latest dependence.
  Cycle ready(const isa::Instr& in, Cycle now, stats::Stall* why) const {
    Cycle at = now;
    auto look = [&](const isa::Operand& o) {
      for (uint32_t i = first(o), e = i + o.count; i < e && i < kEntries; ++i) {
        if (entries_[i].ready > at) {
          at = entries_[i].ready;
          *why = entries_[i].why;
        }
      }
    };
    for (int i = 0; i < in.n_src; ++i) {
      look(in.src[i]);
    }
    for (int i = 0; i < in.n_dst; ++i) {
      look(in.dst[i]);
    }
    return at;
  }

  // Destinations of `in` are readable from `at` (kNever: when complete() says so).
  void set(const isa::Instr& in, Cycle at, stats::Stall why) {
    for (int d = 0; d < in.n_dst; ++d) {
      for (uint32_t i = first(in.dst[d]), e = i + in.dst[d].count; i < e && i < kEntries; ++i) {
        entries_[i] = {at, why};
      }
    }
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(entries_);
  }

 private:
  static constexpr uint32_t kGpr = 0, kUniform = 256, kPredicate = 336, kUniformPredicate = 344,
                            kConvergence = 352;
  static constexpr uint32_t kEntries = 368;
  struct Entry {
    Cycle ready = 0;
    stats::Stall why = stats::Stall::kWait;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(ready, why);
    }
  };

  static uint32_t first(const isa::Operand& o) {
    switch (o.file) {
      case isa::RegFile::kGpr:
        return kGpr + o.index;
      case isa::RegFile::kUniform:
        return kUniform + o.index;
      case isa::RegFile::kPredicate:
        return kPredicate + o.index;
      case isa::RegFile::kUniformPredicate:
        return kUniformPredicate + o.index;
      case isa::RegFile::kConvergence:
        return kConvergence + o.index;
      default:
        return kEntries;
    }
  }

  std::array<Entry, kEntries> entries_{};
};

}  // namespace heddle::sm
