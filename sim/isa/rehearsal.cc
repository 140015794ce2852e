#include "sim/isa/rehearsal.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace heddle::isa {
namespace {

struct State {
  uint32_t phase = 0, missing = 0;
  bool completed = false;  // a phase
};

class Stage {
 public:
  Stage(const std::vector<std::vector<SyncStep>>& warps, std::map<uint64_t, RehearsedBarrier>& barriers)
      : warps_(warps), barriers_(barriers), at_(warps.size()), seen_(warps.size()) {
    for (const auto& [address, b] : barriers) {
      states_[address] = {b.parity, b.arrivals, false};
    }
  }

  void run() {
    for (;;) {
      while (advance()) {
      }
      const std::set<uint64_t> stuck = waited_for();
      if (stuck.empty()) {
        return;
      }
      if (!begin_odd(stuck)) {
        for (const uint64_t address : stuck) {
          barriers_[address] = {};
        }
      }
    }
  }

 private:
  // As far as each warp gets; whether any did.
  bool advance() {
    bool any = false;
    for (size_t w = 0; w < warps_.size(); ++w) {
      for (; at_[w] < warps_[w].size() && take(warps_[w][at_[w]], seen_[w]); ++at_[w]) {
        any = true;
      }
    }
    return any;
  }

  bool take(const SyncStep& step, std::map<uint64_t, uint32_t>& seen) {
    const auto b = barriers_.find(step.at);
    if (b == barriers_.end() || b->second.arrivals == 0) {
      return true;
    }
    State& s = states_[step.at];
    if (step.arrivals == 0) {
      // What other barriers hold back runs ahead here: a phase that is over counts, however long ago.
      uint32_t& from = seen[step.at];
      const uint32_t wanted = from + ((from & 1) != step.parity);
      if (s.phase > wanted) {
        from = wanted + 1;
        return true;
      }
      return (s.phase & 1) != step.parity;
    }
    s.missing -= std::min(s.missing, step.arrivals);
    if (s.missing == 0) {
      ++s.phase;
      s.missing = b->second.arrivals;
      s.completed = true;
    }
    return true;
  }

  std::set<uint64_t> waited_for() const {
    std::set<uint64_t> out;
    for (size_t w = 0; w < warps_.size(); ++w) {
      if (at_[w] < warps_[w].size()) {
        out.insert(warps_[w][at_[w]].at);
      }
    }
    return out;
  }

  bool begin_odd(const std::set<uint64_t>& stuck) {
    bool any = false;
    for (const uint64_t address : stuck) {
      RehearsedBarrier& b = barriers_[address];
      State& s = states_[address];
      if (b.may_begin_odd && !s.completed) {
        b.may_begin_odd = false;
        b.parity = 1;
        s.phase = 1;
        any = true;
      }
    }
    return any;
  }

  const std::vector<std::vector<SyncStep>>& warps_;
  std::map<uint64_t, RehearsedBarrier>& barriers_;
  std::map<uint64_t, State> states_;
  std::vector<size_t> at_;                          // the next step of each warp
  std::vector<std::map<uint64_t, uint32_t>> seen_;  // phases of each object that it has waited for
};

}  // namespace

void rehearse(const std::vector<std::vector<SyncStep>>& warps,
              std::map<uint64_t, RehearsedBarrier>& barriers) {
  Stage(warps, barriers).run();
}

}  // namespace heddle::isa
