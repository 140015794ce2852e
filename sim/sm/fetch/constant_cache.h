// Constant caches. Operands and ULDC have a small one per sub-core, LDC one per SM; behind them is a large
// one, and the GCC. The SMs of a GPC share the way of the lines. Lines are the dense numbers that bind()
// gave.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/time.h"
#include "sim/sm/code/timed_instr.h"
#include "sim/sm/fetch/instruction_supply.h"
#include "sim/stats/counters.h"

namespace heddle::sm {

class ConstantCache {
 public:
  // `place`: the SM's in its GPC, which has `sms`.
  ConstantCache(const spec::ConstantCache& c, uint32_t subcores, uint32_t place, uint32_t sms,
                stats::CounterSet& counters, FetchPort port)
      : config_(c),
        turn_(Cycle{place % c.gcc_sms()} * c.gcc_interval()),
        gpc_sms_(sms),
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
    way_ = late_ = {};
    lines_.clear();
  }
  // A kernel with constant lines from `first` on has been launched. `sharers`: SMs of the GPC that have its
  // blocks. They start together and want the same lines, so that each waits for the others'; what the launch
  // has just written comes to them one after the other (FINDINGS.md 50, 54). `code`: bytes of the kernel's,
  // which the launch fetches ahead of its parameters.
  void add(uint32_t first, const std::vector<ConstantLine>& kinds, uint32_t sharers, uint64_t code) {
    const auto count = static_cast<uint32_t>(kinds.size());
    for (LineCache& c : operands_) {
      c.add(first, count);
    }
    loads_.add(first, count);
    l1_.add(first, count);
    lines_.resize(std::max<size_t>(lines_.size(), first + count));
    for (uint32_t i = 0; i < count; ++i) {
      Line& l = lines_[first + i];
      l.kind = kinds[i];
      l.seen = false;
      l.sharers = sharers;
      l.kernel = first;
      l.again = l.launched;
      l.read = kNever;
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
    ar(loads_, l1_, way_, late_);
    ar.elements(lines_);
  }

 private:
  static constexpr uint64_t kOtherBanks = 1 << 16;  // lines; bank 0 comes with the launch

  struct Line {
    bool seen = false;  // the GPC has it
    ConstantLine kind = ConstantLine::kOther;
    uint32_t sharers = 1;  // SMs of the GPC
    // Of the kernel's first line for all: whether this launch or one before has read what is in bank 0,
    // whether one before had, whether parameters come behind much code, and when that was first read.
    uint32_t kernel = 0;
    bool launched = false;
    bool again = false;
    bool late = false;
    Cycle read = kNever;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(seen, kind, sharers, kernel, launched, again, late, read);
    }
  };

  Cycle first_level(LineCache& c, uint32_t line, Cycle now, uint32_t latency) {
    if (config_.model() == spec::ConstantCache::PERFECT) {
      return now;
    }
    Cycle ready = c.ready(line);
    if (ready == kNever) {
      ++counters_[stats::Counter::kConstMisses];
      const Cycle at_l1 = behind(line, now);
      // Lines that are on their way do not keep those that are there.
      Ticks& way = at_l1 > now + config_.gcc_latency() ? late_ : way_;
      const Ticks start = std::max(way, to_ticks(at_l1));
      way = start + Ticks(std::llround(config_.line_interval() * kTicksPerCycle * lines_[line].sharers));
      ready = to_cycles_up(start) + latency;
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
    ready =
        now + (l.kind != ConstantLine::kOther || l.seen ? config_.gcc_latency() : config_.memory_latency());
    if (l.kind == ConstantLine::kShape) {
      ready = std::max(ready, shape_there(l, now));
    } else if (l.kind == ConstantLine::kParameter) {
      ready = std::max(ready, parameters_there(l, now));
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

  // When the SM has what is in bank 0 of the kernel whose line is read: with the first launch of a kernel
  // some time behind the first instruction that reads any of it, as a kernel's first one does.
  Cycle shape_there(const Line& l, Cycle now) {
    return first_read(l, now) + (lines_[l.kernel].again ? 0 : turn(l));
  }
  Cycle parameters_there(const Line& l, Cycle now) {
    const Cycle first = first_read(l, now);
    const Line& k = lines_[l.kernel];
    return first + (k.again ? 0
                            : std::max<Cycle>(turn(l), config_.parameter_latency()) +
                                  (k.late ? config_.launch_code_latency() : 0));
  }
  Cycle first_read(const Line& l, Cycle now) {
    Line& k = lines_[l.kernel];
    if (k.read == kNever) {
      k.read = now;
      k.launched = true;
    }
    return k.read;
  }
  Cycle turn(const Line& l) const { return turn_ * l.sharers / gpc_sms_; }

  const spec::ConstantCache config_;
  const Cycle turn_;  // of the SM, where all of the GPC run the kernel
  const uint32_t gpc_sms_;
  stats::CounterSet& counters_;
  FetchPort port_;
  std::vector<LineCache> operands_;
  LineCache loads_, l1_;
  Ticks way_{}, late_{};  // taken until then
  std::vector<Line> lines_;
};

}  // namespace heddle::sm
