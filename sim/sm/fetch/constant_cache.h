// Constant caches: a small one per sub-core, one per SM, the GCC behind it. Lines are the dense numbers that
// bind() gave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/engine/time.h"
#include "sim/sm/fetch/instruction_supply.h"
#include "sim/stats/counters.h"

namespace heddle::sm {

class ConstantCache {
 public:
  ConstantCache(const config::ConstantCache& c, uint32_t subcores, stats::CounterSet& counters,
                FetchPort port)
      : config_(c), counters_(counters), port_(port), l0_(subcores) {}

  // Everything is cold, no kernel has lines.
  void reset() {
    for (LineCache& c : l0_) {
      c.reset(config_.l0_bytes() / config_.line_bytes());
    }
    l1_.reset(config_.l1_bytes() / config_.line_bytes());
    seen_.clear();
    parameter_.clear();
    launched_.clear();
  }
  // A kernel with constant lines from `first` on has been launched. `parameter`, of each of them: the launch
  // has just written it. With the first launch of a kernel these lines often are not in the GPC yet, with
  // later ones they are (FINDINGS.md 49).
  void add(uint32_t first, const std::vector<bool>& parameter) {
    const auto count = static_cast<uint32_t>(parameter.size());
    for (LineCache& c : l0_) {
      c.add(first, count);
    }
    l1_.add(first, count);
    seen_.resize(std::max<size_t>(seen_.size(), first + count));
    parameter_.resize(seen_.size());
    launched_.resize(seen_.size());
    for (uint32_t i = 0; i < count; ++i) {
      seen_[first + i] = parameter[i] && launched_[first + i];
      parameter_[first + i] = parameter[i] && !launched_[first + i];
    }
  }

  // When a constant line is in the first level of `subcore`.
  Cycle read(uint32_t subcore, uint32_t line, Cycle now) {
    if (config_.model() == config::ConstantCache::PERFECT) {
      return now;
    }
    LineCache& c = l0_[subcore];
    Cycle ready = c.ready(line);
    if (ready == kNever) {
      ++counters_[stats::Counter::kConstMisses];
      ready = shared(line, now) + config_.l1_latency();
      c.insert(line, ready);
    } else {
      c.touch(line);
    }
    return std::max(ready, now);
  }

  // When a line is in the SM's constant cache.
  Cycle shared(uint32_t line, Cycle now) {
    if (config_.model() == config::ConstantCache::PERFECT) {
      return now;
    }
    Cycle ready = l1_.ready(line);
    if (ready == kNever) {
      ready = now + (parameter_[line] ? config_.parameter_latency()
                     : seen_[line]    ? config_.gcc_latency()
                                      : config_.memory_latency());
      if (!seen_[line] && !parameter_[line]) {
        // Dense numbers stand for the addresses: neighbours in the bank are neighbours here.
        port_.send(
            memory::kConstantLines + kOtherBanks + uint64_t{line} * config_.line_bytes() / memory::kLineBytes,
            now);
      }
      launched_[line] = launched_[line] || parameter_[line];
      seen_[line] = true;
      l1_.insert(line, ready);
    } else {
      l1_.touch(line);
    }
    return std::max(ready, now);
  }

  // Whoever reads has added the same kernels.
  template <class Archive>
  void serialize(Archive& ar) {
    ar.elements(l0_);
    ar(l1_, seen_, parameter_, launched_);
    ar.check(seen_.size() == parameter_.size() && seen_.size() == launched_.size(),
             "constants that the kernel does not have");
  }

 private:
  static constexpr uint64_t kOtherBanks = 1 << 16;  // lines; bank 0 comes with the launch

  const config::ConstantCache config_;
  stats::CounterSet& counters_;
  FetchPort port_;
  std::vector<LineCache> l0_;
  LineCache l1_;
  std::vector<bool> seen_;
  std::vector<bool> parameter_;  // of a kernel's first launch
  std::vector<bool> launched_;   // the same, once a launch has read them
};

}  // namespace heddle::sm
