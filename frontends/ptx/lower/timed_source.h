// The blocks of a launch as a recording that is made while it is read: a block is executed when it is asked
// for, and what its warps do is told in the lowered kernel's instructions.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "frontends/ptx/lower/lower.h"
#include "sim/exec/cluster.h"
#include "sim/exec/launch.h"
#include "sim/isa/recording.h"

namespace heddle::ptx::lower {

class BlockRecorder;

class TimedSource final : public isa::BlockSource {
 public:
  // `launch`: of the kernel, with its shape and parameters; its memory outlives this, and has what the kernel
  // computes once all blocks were asked for. `origins`: of Translation. `output` gets what the blocks that
  // ended have printed; null: it is dropped. Throws NotLowered, and Error for what the launch may not be.
  TimedSource(const Module& module, const Function& kernel, const exec::Launch& launch,
              const std::vector<uint32_t>& origins, std::shared_ptr<std::string> output = nullptr);
  ~TimedSource() override;

  const isa::KernelImage& image() const override { return image_; }
  // Throws Error for what the program may not do, or when no block can go on.
  bool next(isa::BlockTrace& out) override;

 private:
  struct Active {
    std::unique_ptr<BlockRecorder> recorder;
    std::unique_ptr<exec::Cluster> cluster;
  };
  uint64_t room() const;
  void begin();
  void run_first();

  exec::Launch launch_;
  std::unique_ptr<const Kernel> lowered_;
  isa::KernelImage image_;
  const std::vector<uint32_t>& origins_;
  uint64_t next_cluster_ = 0;
  uint64_t position_ = 0;
  std::deque<std::unique_ptr<Active>> active_;
  std::deque<isa::BlockTrace> ready_;
  std::shared_ptr<std::string> output_;
};

}  // namespace heddle::ptx::lower
