// Blocks of which too much would be kept if they were executed whole before they are simulated: each warp is
// executed a piece at a time, when what it did before has issued. The warps have the same turns as blocks
// that are executed whole (exec::Block::run), so what they do is the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontends/executed/executed_cluster.h"
#include "frontends/executed/handed_out.h"
#include "frontends/executed/vain.h"
#include "sim/isa/program.h"
#include "sim/isa/recorded_phases.h"

namespace heddle::executed {

// What all such blocks of a launch share.
struct PieceShared {
  PieceShared(const isa::KernelImage& image, std::shared_ptr<std::string> output);

  const isa::KernelImage& image;
  const std::shared_ptr<std::string> output;
  const bool register_barriers;  // the operands of some are found when warps come to them
  // As LiveGrid::phases().
  const bool counts_arrivals;
  const isa::RecordedPhases no_phases;
  const isa::RecordedPhases* phases() const { return counts_arrivals ? nullptr : &no_phases; }
  Vain vain;
  uint64_t most_handed_out =
      0;  // instructions of a piece, but for what was executed before there were pieces
};

// The warps of a cluster's blocks, and which of them may have a turn.
class PieceCluster {
 public:
  PieceCluster(PieceShared& shared, std::unique_ptr<ExecutedCluster> executed);

  // The warp is executed until there is something to take, or it has ended. False: it waits for others, and
  // these have to issue first.
  bool advance(uint32_t rank, uint32_t warp, uint64_t now);
  void take(uint32_t rank, uint32_t warp, isa::WarpTrace& out);
  bool ended(uint32_t rank, uint32_t warp) const { return warps_[place(rank, warp)].ended; }
  exec::Block& block(uint32_t rank) const { return *executed_->cluster->blocks()[rank]; }
  Recorder& recorder() { return *executed_->recorder; }
  PieceShared& shared() { return shared_; }

 private:
  struct State {
    bool ended = false;
    uint64_t looked = UINT64_MAX;  // in vain, when the others of its block had written so much
    uint32_t waited = 0;           // asked one time after the other, with nothing to take
  };
  size_t place(uint32_t rank, uint32_t warp) const { return size_t{rank} * warps_of_block_ + warp; }
  uint64_t others_writes(uint32_t rank, uint32_t warp) const;
  bool turn(uint32_t rank, uint32_t warp, bool look, uint64_t now);
  bool full(uint32_t rank, uint32_t warp) const;

  PieceShared& shared_;
  const std::unique_ptr<ExecutedCluster> executed_;
  const uint32_t warps_of_block_;
  std::vector<State> warps_;
  std::vector<bool> done_;  // blocks
};

class PieceBlock;
class PieceWarp final : public isa::WarpProgram {
 public:
  PieceWarp(PieceBlock& block, uint32_t index) : block_(block), index_(index) {}

  // Throws Error for what the program may not do, or when nobody can go on.
  std::span<const isa::Run> next(uint64_t now) override;
  bool waits() const override { return waits_; }
  void issue(uint32_t code, uint32_t mask, isa::Operands& out) override;
  const isa::BlockWork& work() const { return work_; }

 private:
  PieceBlock& block_;
  const uint32_t index_;
  bool waits_ = false;
  bool first_ = true;
  HandedOut handed_out_;
  isa::BlockWork work_;
};

class PieceBlock final : public isa::BlockProgram {
 public:
  PieceBlock(std::shared_ptr<PieceCluster> cluster, uint32_t rank);
  uint32_t warps() const override { return static_cast<uint32_t>(warps_.size()); }
  isa::WarpProgram& warp(uint32_t i) override { return warps_[i]; }
  isa::BlockWork work() const override;

 private:
  friend class PieceWarp;
  const std::shared_ptr<PieceCluster> cluster_;
  const uint32_t rank_;
  std::vector<PieceWarp> warps_;
};

}  // namespace heddle::executed
