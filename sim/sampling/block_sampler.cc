#include "sim/sampling/block_sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "sim/base/cancelled.h"
#include "sim/base/fnv.h"
#include "sim/device/run_options.h"

namespace heddle::sampling {
namespace {

using stats::Counter;

// A wave that differs more from what was measured, by the share of work in other kinds of blocks or by the
// mean work of a block, is simulated.
constexpr double kMixTolerance = 0.2;
// So much of a wave in blocks of kinds that were not measured, and the rest of it is simulated.
constexpr double kStrangeTolerance = 0.05;

constexpr double kSectorBytes = 32;
// Evictions matter when what they write comes on top of so much of the DRAM's rate.
constexpr double kBusyDram = 0.4;
// Sets fill unevenly: between the capacity divided by this and multiplied by it, the L2 is getting full.
constexpr double kFull = 1.5;
// The smallest error that is stated for the rate, and how many times the spread that was seen.
constexpr double kLeastError = 0.07, kSpreads = 2;
// Share of a wave by which the end may differ: how far apart the last blocks of the SMs end.
constexpr double kTail = 0.2;
// How many times the expected share of new kinds is still no sign of another part of the grid.
constexpr double kNovelties = 2;

}  // namespace

BlockSummary BlockSummarizer::operator()(const isa::BlockTrace& block) {
  BlockSummary s = {isa::work_of(block)};
  std::fill(longest_.begin(), longest_.end(), 0);
  for (const isa::WarpTrace& w : block.warps) {
    for (const isa::Run& r : w.runs) {
      if (r.mask) {
        longest_[r.first] = std::max(longest_[r.first], r.count);
      }
    }
  }
  Fnv executed;  // numbers of instructions
  uint32_t left = 0;
  for (size_t i = 0; i < longest_.size(); ++i) {
    left = std::max(left, longest_[i]);
    if (left) {
      executed.add(uint64_t{i});
      --left;
    }
  }
  s.kind = executed.value();
  return s;
}

BlockSampler::BlockSampler(const spec::GpuConfig& gpu, isa::BlockSource& inner,
                           const std::atomic<bool>* cancel)
    : inner_(inner),
      cancel_(cancel),
      summarize_(inner.image()),
      total_(inner.image().shape.grid.count()),
      cluster_(std::max<uint64_t>(1, inner.image().shape.cluster.count())),
      l2_bytes_(static_cast<double>(gpu.l2().total_bytes())),
      dirty_bytes_(static_cast<double>(gpu.l2().max_dirty_bytes())),
      dram_rate_(gpu.dram().channels() * gpu.dram().bytes_per_cycle() * gpu.clocks().dram_mhz() /
                 gpu.clocks().core_mhz()) {}

void BlockSampler::placed(uint64_t wave, Cycle at) {
  wave_ = wave;
  now_ = at;
  begun_ = wave_ > 0 && total_ >= kMinWaves * wave_;
  restart(0);
}

// Measures anew, from `ignored` waves later on.
void BlockSampler::restart(double ignored) {
  const double mean = static_cast<double>(detailed_.instructions) / static_cast<double>(detailed_.blocks);
  rate_.begin(mean * static_cast<double>(wave_), now_, static_cast<double>(issued_), ignored);
  at_mark_.clear();
  marks_ = 0;
  steady_.reset();
}

bool BlockSampler::take(isa::BlockTrace& out) {
  if (!inner_.next(out)) {
    return false;
  }
  ++position_;
  return true;
}

bool BlockSampler::next(isa::BlockTrace& out) {
  bool held = false;
  if (steady_ && position_ % cluster_ == 0) {
    const SteadySpan span = *steady_;
    steady_.reset();
    held = skip(span);
  }
  if (held) {
    std::swap(out, scratch_);
  } else if (!take(out)) {
    return false;
  }
  const BlockSummary s = summarize_(out);
  detailed_.add(s);
  running_.emplace(out.linear, s);
  return true;
}

// The share of blocks of kinds never seen before that is to be expected: that of the kinds seen once (Good
// and Turing). Where control flow depends on data, nearly every block is a kind of its own.
double BlockSampler::novelty() const {
  const auto once =
      std::count_if(measured_.begin(), measured_.end(), [](const auto& m) { return m.second.blocks == 1; });
  return static_cast<double>(once) / measured_blocks_;
}

bool BlockSampler::alike(const Mix& mix, double work, double blocks) const {
  double apart = 0;
  for (const auto& [kind, share] : mix) {
    const auto m = measured_.find(kind);
    apart += std::max(0.0, share.work / work - (m == measured_.end() ? 0 : m->second.work / measured_work_));
  }
  const double mean = measured_work_ / measured_blocks_;
  return apart <= kMixTolerance + kNovelties * novelty() &&
         std::fabs(work / blocks - mean) <= kMixTolerance * mean;
}

// Leaves out whole waves, so that the last partial one stays as long as it is. True: scratch_ holds the next
// block to simulate, which was read to see that it is of another kind.
bool BlockSampler::skip(const SteadySpan& span) {
  const uint64_t end = position_ + (total_ - position_) / wave_ * wave_;
  if (end == position_) {
    return false;
  }
  Gap gap;
  gap.span = span;
  gap.counts = at_mark_.back();
  const stats::CounterSet& from = at_mark_[at_mark_.size() - 1 - (span.last_mark - span.first_mark)];
  for (int i = 0; i < stats::kCounterCount; ++i) {
    gap.counts.count[i] -= from.count[i];
  }
  for (int i = 0; i < stats::kStallCount; ++i) {
    gap.counts.stall[i] -= from.stall[i];
  }
  const double expected = kNovelties * novelty();
  bool held = false, other = false;
  Mix mix;
  uint64_t unknown = 0;  // instructions of kinds that were not measured
  double work = 0, blocks = 0, strange = 0;
  while (position_ < end && take(scratch_)) {
    if (cancel_ && cancel_->load(std::memory_order_relaxed)) {
      throw Cancelled("interrupted in kernel " + image().name);
    }
    const BlockSummary s = summarize_(scratch_);
    const bool known = measured_.contains(s.kind);
    strange += !known;
    // A cluster is left out as a whole.
    if (strange > (kStrangeTolerance + expected) * static_cast<double>(wave_) &&
        (position_ - 1) % cluster_ == 0) {
      held = other = true;
      break;
    }
    skipped_.add(s);
    gap.work += s.instructions;
    unknown += known ? 0 : s.instructions;
    mix[s.kind].work += static_cast<double>(s.instructions);
    work += static_cast<double>(s.instructions);
    if (++blocks == static_cast<double>(wave_)) {
      if (!alike(mix, work, blocks)) {
        other = true;
        break;
      }
      mix.clear();
      work = blocks = strange = 0;
    }
  }
  if (gap.work) {
    gap.strange = std::max(0.0, static_cast<double>(unknown) / static_cast<double>(gap.work) - expected);
    gaps_.push_back(gap);
  }
  if (other) {
    // The blocks that are resident now are of the old kind.
    restart(1);
    measured_.clear();
    measured_work_ = measured_blocks_ = 0;
  } else {
    begun_ = false;
  }
  return held;
}

void BlockSampler::block_done(uint64_t linear) {
  const auto block = running_.find(linear);
  const auto work = static_cast<double>(block->second.instructions);
  Share& share = measured_[block->second.kind];
  ++share.blocks;
  share.work += work;
  measured_work_ += work;
  ++measured_blocks_;
  running_.erase(block);
}

// The L2 fills up now and will be full before the grid ends: then it begins to write back, and the rate
// changes if the DRAM is busy.
bool BlockSampler::filling(const stats::CounterSet& now, const SteadySpan& span) const {
  const stats::CounterSet& before = at_mark_[at_mark_.size() - 1 - (span.last_mark - span.first_mark)];
  // Look-ups for the other partition are a second count of the same accesses; reads among them make replicas.
  const auto own = [](const stats::CounterSet& c) {
    const auto sm = static_cast<double>(c[Counter::kL2FromSm]),
               far = static_cast<double>(c[Counter::kL2FromFabric]);
    return sm > 0 ? sm / (sm + far) : 1;
  };
  const auto written = [&](const stats::CounterSet& c) {
    return static_cast<double>(c[Counter::kL2Writes]) * own(c) * kSectorBytes;
  };
  const auto filled = [&](const stats::CounterSet& c) {
    return static_cast<double>(c[Counter::kDramReadBytes]) + written(c) +
           static_cast<double>(c[Counter::kL2Reads]) * (1 - own(c)) * kSectorBytes;
  };
  const auto moved = [&](const stats::CounterSet& c) {
    return static_cast<double>(c[Counter::kDramReadBytes]) + written(c);
  };
  if (moved(now) - moved(before) < kBusyDram * dram_rate_ * span.cycles) {
    return false;
  }
  const double left =
      static_cast<double>(total_) / measured_blocks_ * measured_work_ - static_cast<double>(issued_);
  const auto fills = [&](const auto& amount, double capacity) {
    const double grown = amount(now) - amount(before);
    return amount(now) < capacity * kFull && amount(now) + grown * left / span.work > capacity / kFull;
  };
  return fills(filled, l2_bytes_) || (dirty_bytes_ > 0 && fills(written, dirty_bytes_));
}

void BlockSampler::quantum(Cycle now, uint64_t issued, const std::function<stats::CounterSet()>& counters) {
  now_ = now;
  issued_ = issued;
  if (!begun_) {
    return;
  }
  rate_.progress(now, static_cast<double>(issued));
  if (rate_.marks() == marks_) {
    return;
  }
  const stats::CounterSet all = counters();
  for (; marks_ < rate_.marks(); ++marks_) {
    at_mark_.push_back(all);
  }
  while (at_mark_.size() > SteadyState::kWaves * SteadyState::kMarksPerWave + 1) {
    at_mark_.pop_front();
  }
  steady_ = rate_.steady();
  if (!steady_ || measured_blocks_ < static_cast<double>(wave_) / 2) {
    steady_.reset();
  } else if (filling(all, *steady_)) {
    filling_ = true;
    steady_.reset();
  } else if (filling_) {
    filling_ = false;
    restart(0);
  }
}

void BlockSampler::complete(stats::KernelResult& r) const {
  stats::Sampling& out = r.sampling;
  out.requested = true;
  out.total_blocks = total_;
  out.detailed_blocks = total_ - skipped_.blocks;
  if (gaps_.empty()) {
    out.cycles_low = out.cycles_high = r.cycles;
    out.reason = wave_ == 0 || total_ < kMinWaves * wave_
                     ? "fewer than " + std::to_string(kMinWaves) + " waves of blocks"
                     : "no steady state";
    return;
  }
  double cycles = 0, error = 0, wave = 0;
  std::array<double, stats::kCounterCount> count{};
  std::array<double, stats::kStallCount> stall{};
  for (const Gap& g : gaps_) {
    const double factor = static_cast<double>(g.work) / g.span.work;
    const double taken = factor * g.span.cycles;
    cycles += taken;
    error += taken * (std::max(kLeastError, kSpreads * g.span.spread) + g.strange);
    const double waves =
        static_cast<double>(g.span.last_mark - g.span.first_mark) / SteadyState::kMarksPerWave;
    wave = std::max(wave, g.span.cycles / waves);
    for (int i = 0; i < stats::kCounterCount; ++i) {
      count[i] += factor * static_cast<double>(g.counts.count[i]);
    }
    for (int i = 0; i < stats::kStallCount; ++i) {
      stall[i] += factor * static_cast<double>(g.counts.stall[i]);
    }
  }
  const double grown = static_cast<double>(detailed_.instructions + skipped_.instructions) /
                       static_cast<double>(detailed_.instructions);
  const stats::CounterSet detailed = r.totals;
  for (int i = 0; i < stats::kCounterCount; ++i) {
    r.totals.count[i] += static_cast<uint64_t>(std::llround(count[i]));
  }
  for (int i = 0; i < stats::kStallCount; ++i) {
    r.totals.stall[i] += static_cast<uint64_t>(std::llround(stall[i]));
  }
  for (int i = 0; i < stats::kCounterCount; ++i) {
    if (stats::kCounterInfo[i].follows == stats::Follows::kBlocks) {
      r.totals.count[i] = stats::scaled(detailed.count[i], grown);
    }
  }
  r.totals[Counter::kInstExecuted] = detailed[Counter::kInstExecuted] + skipped_.instructions;
  r.totals[Counter::kThreadInstPredOn] = detailed[Counter::kThreadInstPredOn] + skipped_.thread_pred_on;
  r.totals[Counter::kBlocksLaunched] = detailed[Counter::kBlocksLaunched] + skipped_.blocks;
  for (auto& [opcode, n] : r.unknown_opcodes) {
    n = stats::scaled(n, grown);
  }
  const auto added = static_cast<uint64_t>(std::llround(cycles));
  r.cycles += added;
  r.sm_active_cycles_max += added;
  r.sm_active_cycles_sum += added * r.sms;  // all SMs have blocks in the steady state
  const auto bound = static_cast<uint64_t>(std::ceil(error + kTail * wave));
  out.cycles_low = r.cycles - std::min(bound, added);
  out.cycles_high = r.cycles + bound;
}

}  // namespace heddle::sampling
