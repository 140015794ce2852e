// A launch that is executed while it is simulated: a warp executes an instruction when it is about to issue,
// and what depends on time (exec::Code::timed: clocks, locks, flags, tickets) when it has issued. So what
// blocks see of each other is decided by simulated time, and nothing is kept of what has issued.
//
// Values that do not depend on time are executed up to kAhead instructions early, and all of memory is that
// of the host: a store can be seen once its warp has executed it, not when it comes to the L2.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontends/executed/handed_out.h"
#include "frontends/executed/recorder.h"
#include "frontends/executed/vain.h"
#include "sim/exec/cluster.h"
#include "sim/exec/launch.h"
#include "sim/isa/program.h"

namespace heddle::executed {

class LiveCluster;
class LiveBlock;
class LiveGrid;

class LiveWarp final : public isa::WarpProgram {
 public:
  LiveWarp(LiveBlock& block, uint32_t index) : block_(block), index_(index) {}

  // Throws Error for what the program may not do, or when nobody can go on.
  std::span<const isa::Run> next(uint64_t now) override;
  bool waits() const override { return waits_; }
  void issue(uint32_t code, uint32_t mask, isa::Operands& out) override;

 private:
  static constexpr uint64_t kAhead = 256;  // instructions

  void execute(isa::WarpTrace& out);

  LiveBlock& block_;
  const uint32_t index_;
  friend class LiveBlock;
  bool waits_ = false, ended_ = false;
  HandedOut handed_out_;
  isa::BlockWork work_;
};

class LiveBlock final : public isa::BlockProgram {
 public:
  LiveBlock(LiveGrid& grid, std::shared_ptr<LiveCluster> cluster, uint32_t rank);
  uint32_t warps() const override { return static_cast<uint32_t>(warps_.size()); }
  isa::WarpProgram& warp(uint32_t i) override { return warps_[i]; }
  void begins_on(uint32_t sm) override;
  isa::BlockWork work() const override;

 private:
  friend class LiveWarp;
  exec::Block& executed() const;

  LiveGrid& grid_;
  const std::shared_ptr<LiveCluster> cluster_;
  const uint32_t rank_;
  std::vector<LiveWarp> warps_;
};

class LiveGrid final : public isa::GridProgram {
 public:
  // `image`, with the launch's shape, outlives this; `output` gets what the blocks that ended have printed.
  LiveGrid(const isa::KernelImage& image, const exec::Launch& launch, MakeRecorder make,
           std::shared_ptr<std::string> output, const isa::Device& device);
  ~LiveGrid() override;

  const isa::KernelImage& image() const override { return image_; }
  std::unique_ptr<isa::BlockProgram> next() override;
  bool in_order() const override { return true; }

 private:
  friend class LiveWarp;
  friend class LiveBlock;
  friend class LiveCluster;
  // What the machine knows of barrier objects: all, or, where copies arrive at them that it does not count
  // (cp.async.mbarrier.arrive), nothing but bytes.
  const isa::RecordedPhases* phases() const { return counts_arrivals_ ? nullptr : &no_phases_; }

  const isa::KernelImage& image_;
  const bool counts_arrivals_;
  const isa::RecordedPhases no_phases_;
  const uint32_t sms_;
  exec::SimulatedTime time_;
  exec::Launch launch_;
  const MakeRecorder make_;
  const std::shared_ptr<std::string> output_;
  uint64_t next_cluster_ = 0, position_ = 0;
  Vain vain_;
  std::shared_ptr<LiveCluster> cluster_;  // of whose blocks the next one is
  uint32_t next_rank_ = 0;
};

}  // namespace heddle::executed
