// Constant caches. Operands and ULDC have a small one per sub-core, LDC one per SM; behind them is a large
// one, whose port the SMs of a TPC share, and the GCC. Lines are the dense numbers that bind() gave.
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
  // `place`: the SM's in its GPC.
  ConstantCache(const config::ConstantCache& c, uint32_t subcores, uint32_t place,
                stats::CounterSet& counters, FetchPort port)
      : config_(c),
        turn_(Cycle{place % c.gcc_sms()} * c.gcc_interval()),
        counters_(counters),
        port_(port),
        operands_(subcores) {}

  // Everything is cold, no kernel has lines.
  void reset() {
    for (LineCache& c : operands_) {
      c.reset(config_.l0_bytes() / config_.line_bytes());
    }
    loads_.reset(config_.l0_bytes() / config_.line_bytes());
    l1_.reset(config_.l1_bytes() / config_.line_bytes());
    l1_port_ = late_port_ = 0;
    lines_.clear();
  }
  // A kernel with constant lines from `first` on has been launched. `parameter`, of each of them: the launch
  // has just written it. With the first launch of a kernel these often are not in the GPC yet when the first
  // of them is wanted, with later ones they are (FINDINGS.md 49). `sharers`: SMs of the TPC that have its
  // blocks. They start together and want the same lines, so that each waits for the others' (FINDINGS.md 50).
  // `code`: bytes of the kernel's, which the launch fetches ahead of them.
  void add(uint32_t first, const std::vector<bool>& parameter, uint32_t sharers, uint64_t code) {
    const auto count = static_cast<uint32_t>(parameter.size());
    for (LineCache& c : operands_) {
      c.add(first, count);
    }
    loads_.add(first, count);
    l1_.add(first, count);
    lines_.resize(std::max<size_t>(lines_.size(), first + count));
    for (uint32_t i = 0; i < count; ++i) {
      Line& l = lines_[first + i];
      l.parameter = parameter[i];
      l.seen = false;
      l.sharers = sharers;
      l.kernel = first;
      l.there = l.launched ? 0 : kNever;
      l.late = code > config_.launch_code_bytes();
    }
  }

  // When an operand's line is in the cache of `subcore`.
  Cycle read(uint32_t subcore, uint32_t line, Cycle now) {
    return first_level(operands_[subcore], line, now, config_.operand_latency());
  }
  // When a line is in the cache of LDC.
  Cycle load(uint32_t line, Cycle now) { return first_level(loads_, line, now, config_.l1_latency()); }

  // Whoever reads has added the same kernels.
  template <class Archive>
  void serialize(Archive& ar) {
    ar.expect("lines of constants", static_cast<uint32_t>(lines_.size()));
    ar.elements(operands_);
    ar(loads_, l1_, l1_port_, late_port_);
    ar.elements(lines_);
  }

 private:
  static constexpr uint64_t kOtherBanks = 1 << 16;  // lines; bank 0 comes with the launch

  struct Line {
    bool seen = false;  // the GPC has it
    bool parameter = false;
    uint32_t sharers = 1;
    // Of the kernel's first line for all: whether a launch has read parameters, whether they come behind much
    // code, and when the GPC has them.
    uint32_t kernel = 0;
    bool launched = false;
    bool late = false;
    Cycle there = kNever;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(seen, parameter, sharers, kernel, launched, late, there);
    }
  };

  Cycle first_level(LineCache& c, uint32_t line, Cycle now, uint32_t latency) {
    if (config_.model() == config::ConstantCache::PERFECT) {
      return now;
    }
    Cycle ready = c.ready(line);
    if (ready == kNever) {
      ++counters_[stats::Counter::kConstMisses];
      const Cycle at_l1 = behind(line, now);
      // Lines that are on their way do not keep those that are there.
      Cycle& port = at_l1 > now + config_.gcc_latency() ? late_port_ : l1_port_;
      const Cycle start = std::max(port, at_l1);
      port = start + Cycle{config_.l1_interval()} * lines_[line].sharers;
      ready = start + latency;
      c.insert(line, ready);
    } else {
      c.touch(line);
    }
    return std::max(ready, now);
  }

  // When the cache behind has the line.
  Cycle behind(uint32_t line, Cycle now) {
    Cycle ready = l1_.ready(line);
    if (ready != kNever) {
      l1_.touch(line);
      return std::max(ready, now);
    }
    Line& l = lines_[line];
    ready = now + (l.parameter || l.seen ? config_.gcc_latency() : config_.memory_latency());
    if (l.parameter) {
      Line& k = lines_[l.kernel];
      if (k.there == kNever) {
        k.there = now + turn_ + config_.parameter_latency() + (k.late ? config_.launch_code_latency() : 0);
        k.launched = true;
      }
      ready = std::max(ready, k.there);
    } else if (!l.seen) {
      // Dense numbers stand for the addresses: neighbours in the bank are neighbours here.
      port_.send(
          memory::kConstantLines + kOtherBanks + uint64_t{line} * config_.line_bytes() / memory::kLineBytes,
          now);
    }
    l.seen = true;
    l1_.insert(line, ready);
    return ready;
  }

  const config::ConstantCache config_;
  const Cycle turn_;
  stats::CounterSet& counters_;
  FetchPort port_;
  std::vector<LineCache> operands_;
  LineCache loads_, l1_;
  Cycle l1_port_ = 0, late_port_ = 0;
  std::vector<Line> lines_;
};

}  // namespace heddle::sm
