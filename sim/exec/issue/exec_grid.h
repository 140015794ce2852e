// Machine code that is executed while it is simulated: an instruction is when it issues. Registers, branches
// and the block's own memories change then; loads, stores and atomics of global memory go to the machine with
// their values, which performs them where and when it serves them, so simulated time decides who sees what.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/exec/cluster.h"
#include "sim/exec/issue/exec_warp.h"
#include "sim/isa/program.h"

namespace heddle::executed {

class ExecBlock final : public isa::BlockProgram {
 public:
  // `cluster` is shared by its blocks.
  ExecBlock(const ExecCode& code, std::shared_ptr<exec::Cluster> cluster, uint32_t rank);
  uint32_t warps() const override { return static_cast<uint32_t>(warps_.size()); }
  isa::WarpProgram& warp(uint32_t i) override { return warps_[i]; }
  void begins_on(uint32_t sm) override;
  isa::BlockWork work() const override;
  void serialize(Archive& ar) override;
  // For its warps: one of them has ended.
  void warp_ended();
  exec::Block& block() const { return *cluster_->blocks()[rank_]; }

 private:
  const ExecCode& code_;
  const std::shared_ptr<exec::Cluster> cluster_;
  const uint32_t rank_;
  std::vector<ExecWarp> warps_;
};

class ExecGrid final : public isa::GridProgram {
 public:
  // `image`, which is `computed` and has the launch's shape, and `origins` outlive this: by record of the
  // launch's code, which instruction of the image it is of. `output` gets what the blocks that ended have
  // printed. `serves`: see ExecCode; without it blocks are executed in one order on one thread.
  ExecGrid(const isa::KernelImage& image, const std::vector<uint32_t>& origins, const Tellings* tellings,
           const exec::Launch& launch, std::shared_ptr<std::string> output, const isa::Device& device,
           bool serves);

  const isa::KernelImage& image() const override { return code_.image; }
  std::unique_ptr<isa::BlockProgram> next() override;
  // Blocks of a cluster reach each other's shared memory when they issue.
  bool in_order() const override { return !code_.serves || launch_.cluster.count() > 1; }
  bool reads_at_once() const override;
  isa::GlobalMemory* memory() override { return launch_.memory; }
  void recycle(std::unique_ptr<isa::BlockProgram> block) override;
  std::string cannot_be_saved() const override;
  // All of the launch's memory, and what was printed.
  void serialize(Archive& ar) override;

 private:
  exec::Launch launch_;
  const ExecCode code_;
  const std::shared_ptr<std::string> output_;
  const size_t printed_before_;  // bytes of output_, by others
  uint64_t next_cluster_ = 0, position_ = 0;
  std::shared_ptr<exec::Cluster> cluster_;  // of whose blocks the next one is
  uint32_t next_rank_ = 0;
};

}  // namespace heddle::executed
