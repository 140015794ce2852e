// Recordings as programs: what was recorded is what issues.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/isa/program.h"
#include "sim/isa/recorded_operands.h"
#include "sim/isa/recorded_phases.h"
#include "sim/isa/recorded_polls.h"
#include "sim/isa/recording.h"

namespace heddle::isa {

// BAR whose thread count is in a register: a recording does not have its value, but it has all arrivals.
// For one barrier of a block.
struct BarrierCount {
  uint32_t every = 0;              // warps of each phase; 0: it differs
  std::vector<uint32_t> arrivals;  // then: how often each warp comes

  uint32_t at(uint32_t phase) const;
};

// What a kernel's recordings leave open about its barriers. A number may come from a register: where nobody
// has found out its value (WarpTrace::barriers), one without a thread count is taken for __syncthreads'
// barrier 0, as in cooperative groups. Else all barriers with a thread count are matched by the order in
// which each warp comes to them: in the usual hand-over between producers and consumers the n-th of one meets
// the n-th of the other.
struct RecordedBarriers {
  explicit RecordedBarriers(const KernelImage& image);

  // Of a block, by barrier; empty when no count is in a register. There are as many phases as the warp that
  // comes most often has arrivals, with the same number of warps in each. Where the arrivals cannot be
  // divided so, a warp takes part in each phase until it has come for the last time.
  std::vector<BarrierCount> counts(const BlockTrace& block) const;
  // Whether the warps of each aligned group of as many as a barrier of a group has threads come to such
  // barriers equally often: a warp group meets at a number of its own, which is in a register.
  bool in_groups(const BlockTrace& block) const;
  // The operands of BAR number `code` of that warp of the block; `by_order` counts the warp's barriers that
  // are matched by order; `in_groups`: of the block.
  BarrierOp operands(uint32_t code, uint32_t warp, bool in_groups, uint32_t& by_order) const;

 private:
  void find_groups();

  const KernelImage& image_;
  // Barriers with a thread count are matched by the order in which each warp comes to them, because the
  // number of one is in a register.
  bool by_order_ = false;
  std::vector<uint32_t> counted_;  // all barriers, when the count of some is in a register; else none
  std::vector<bool> of_group_;     // by instruction; empty: none
  uint32_t group_warps_ = 0;       // of each
  uint32_t groups_ = 0;            // of the block
};

class RecordedBlock;

class RecordedWarp final : public WarpProgram {
 public:
  // `spins`: of the trace.
  void start(const RecordedBlock& block, const WarpTrace& trace, const std::vector<Spin>& spins) {
    block_ = &block;
    trace_ = &trace;
    spins_ = &spins;
    given_ = spin_ = 0;
    turns_ = polled_ = 0;
    turned_ = {};
    ref_ = by_order_ = 0;
  }
  std::span<const Run> next(uint64_t /*now*/) override {
    const std::span<const Run> all = trace_->runs;
    return spins_->empty() ? all.subspan(std::exchange(given_, all.size())) : next_of_spins();
  }
  void issue(uint32_t code, uint32_t mask, Operands& out) override;
  std::optional<std::span<const Run>> serialize(Archive& ar) override;
  // What its loops have executed.
  const BlockWork& turned() const { return turned_; }

 private:
  std::span<const Run> next_of_spins();
  void flags(uint32_t code, uint32_t mask, const MemRef& r, uint64_t now);

  const RecordedBlock* block_ = nullptr;
  const WarpTrace* trace_ = nullptr;
  uint32_t ref_ = 0;       // address lists of the next instruction that has some
  uint32_t by_order_ = 0;  // barriers so far: those of WarpTrace::barriers, or those matched by order
  size_t given_ = 0;       // runs
  const std::vector<Spin>* spins_ = nullptr;
  size_t spin_ = 0;      // the next one, or that in which it is
  uint64_t turns_ = 0;   // further ones of it
  uint64_t polled_ = 0;  // the cycle of the last polling load
  BlockWork turned_;
  RecordedOperands operands_;
};

class RecordedBlock final : public BlockProgram {
 public:
  RecordedBlock(const RecordedSyncs& syncs, const RecordedBarriers& barriers, const RecordedFlags& flags,
                FlagBoard& board)
      : image_(syncs.image()), syncs_(syncs), barriers_(barriers), flags_(flags), board_(board) {}

  // Takes the recording, and gives its own storage for it.
  void start(BlockTrace& trace);
  uint32_t warps() const override { return static_cast<uint32_t>(warps_.size()); }
  WarpProgram& warp(uint32_t i) override { return warps_[i]; }
  BlockWork work() const override;
  uint32_t barrier_threads(uint32_t number, uint32_t phase) const override;
  uint64_t left_out() const override;

  const KernelImage& image() const { return image_; }
  const RecordedBarriers& barriers() const { return barriers_; }
  bool in_groups() const { return in_groups_; }
  bool knows_barriers() const { return knows_barriers_; }
  const RecordedPhases& phases() const { return phases_; }
  uint32_t rank() const { return rank_; }  // in its cluster
  const RecordedFlags& flags() const { return flags_; }
  FlagBoard& board() const { return board_; }

 private:
  void find_spins();

  const KernelImage& image_;
  const RecordedSyncs& syncs_;
  const RecordedBarriers& barriers_;
  const RecordedFlags& flags_;
  FlagBoard& board_;
  std::vector<std::vector<Spin>> spins_;  // by warp
  BlockTrace trace_;
  std::vector<RecordedWarp> warps_;
  std::vector<BarrierCount> counts_;
  RecordedPhases phases_;
  uint32_t rank_ = 0;
  bool in_groups_ = false;       // RecordedBarriers::in_groups
  bool knows_barriers_ = false;  // WarpTrace::barriers has all that are in registers
  uint64_t left_out_ = 0;        // of waits for barrier objects
  BlockWork work_;
};

class RecordedGrid final : public GridProgram {
 public:
  // `source` must live as long. Up to `ahead` blocks are read at a time, by `parallel`.
  explicit RecordedGrid(BlockSource& source, uint32_t ahead = 1, ParallelFor parallel = {})
      : source_(source),
        barriers_(source.image()),
        syncs_(source.image()),
        flags_(source),
        parallel_(std::move(parallel)),
        scratch_(ahead) {}

  const KernelImage& image() const override { return source_.image(); }
  std::unique_ptr<BlockProgram> next() override;
  void recycle(std::unique_ptr<BlockProgram> block) override;
  std::string cannot_be_saved() const override { return ""; }

 private:
  std::unique_ptr<RecordedBlock> empty();
  bool read_ahead();

  BlockSource& source_;
  const RecordedBarriers barriers_;
  const RecordedSyncs syncs_;
  const RecordedFlags flags_;
  FlagBoard board_;
  const ParallelFor parallel_;
  std::vector<BlockTrace> scratch_;                   // as many as are read at a time
  std::vector<std::unique_ptr<RecordedBlock>> read_;  // the last one is the next
  std::vector<std::unique_ptr<RecordedBlock>> free_;
};

}  // namespace heddle::isa
