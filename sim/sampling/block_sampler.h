// Leaves out blocks of a long grid. It stands between the trace and the work distributor: once the grid is
// worked off at a constant rate, whole waves of blocks like those just seen are read and dropped, and what
// they would have taken is added to the result. The rest of the grid, its last partial wave too, is
// simulated.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/device/launch_watcher.h"
#include "sim/isa/recording.h"
#include "sim/sampling/steady_state.h"
#include "sim/stats/result.h"

namespace heddle::sampling {

// Blocks whose warps execute the same parts of the code are of one kind; how often they execute them is their
// work.
struct BlockSummary : isa::BlockWork {
  uint64_t kind = 0;  // hash of the set of instructions executed by at least one lane
};
class BlockSummarizer {
 public:
  explicit BlockSummarizer(const isa::KernelImage& image) : longest_(image.code.size()) {}
  BlockSummary operator()(const isa::BlockTrace& block);

 private:
  std::vector<uint32_t> longest_;  // by instruction: the longest run from there
};

class BlockSampler final : public isa::BlockSource, public device::LaunchWatcher {
 public:
  // Shorter grids are simulated.
  static constexpr uint64_t kMinWaves = 4;

  // `cancel` may be null: it ends the reading of blocks that are left out.
  BlockSampler(const spec::GpuConfig& gpu, isa::BlockSource& inner, const std::atomic<bool>* cancel);

  const isa::KernelImage& image() const override { return inner_.image(); }
  bool next(isa::BlockTrace& out) override;

  void placed(uint64_t wave, Cycle at) override;
  void block_done(uint64_t linear) override;
  void quantum(Cycle now, uint64_t issued, const std::function<stats::CounterSet()>& counters) override;
  uint64_t left_out() const override { return skipped_.blocks; }
  // Adds what was left out, and says so in result.sampling.
  void complete(stats::KernelResult& result) const override;

 private:
  struct Total : isa::BlockWork {
    uint64_t blocks = 0;
    void add(const BlockSummary& s) {
      ++blocks;
      *this += s;
    }
  };
  // What the blocks left out at one place are taken to do.
  struct Gap {
    SteadySpan span;           // the rate
    stats::CounterSet counts;  // in the span
    uint64_t work = 0;         // left out
    double strange = 0;  // share of it by blocks of kinds that were not measured, beyond what chance gives
  };
  struct Share {
    double blocks = 0, work = 0;
  };
  using Mix = std::unordered_map<uint64_t, Share>;  // by kind

  bool take(isa::BlockTrace& out);
  bool skip(const SteadySpan& span);
  double novelty() const;
  bool alike(const Mix& mix, double work, double blocks) const;
  void restart(double ignored);
  bool filling(const stats::CounterSet& now, const SteadySpan& span) const;

  isa::BlockSource& inner_;
  const std::atomic<bool>* cancel_;
  BlockSummarizer summarize_;
  const uint64_t total_, cluster_;
  const double l2_bytes_, dirty_bytes_;  // what the L2 holds, and of written data
  const double dram_rate_;               // bytes per core cycle
  uint64_t wave_ = 0;
  uint64_t position_ = 0;  // blocks read
  bool begun_ = false;
  SteadyState rate_;
  std::optional<SteadySpan> steady_;
  std::deque<stats::CounterSet> at_mark_;  // counters at the newest marks
  uint64_t marks_ = 0;
  std::unordered_map<uint64_t, BlockSummary> running_;  // by BlockTrace::linear
  Mix measured_;                                        // of the blocks done since the rate is measured
  double measured_work_ = 0, measured_blocks_ = 0;
  Cycle now_ = 0;
  uint64_t issued_ = 0;
  bool filling_ = false;  // the caches were not full when the rate was constant for the first time
  Total detailed_, skipped_;
  std::vector<Gap> gaps_;
  isa::BlockTrace scratch_;
};

}  // namespace heddle::sampling
