// A launch that is executed: as blocks for who wants them whole, as a recording would have them, or as a
// program whose instructions are executed when they issue.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/exec/cluster.h"
#include "sim/exec/issue/telling.h"
#include "sim/exec/launch.h"
#include "sim/isa/recording.h"

namespace heddle::executed {

class ExecutedSource : public isa::BlockSource {
 public:
  // `image`: the code; the launch's shape and parameters are put into it. `launch`: as exec::completed()
  // gives it; its memory outlives this, and has what the kernel computes once all blocks were asked for.
  // `origins`: by record of the launch's code, which instruction of the image it is of; `tellings`: of PTX,
  // or null. They outlive this. `output` gets what the blocks that ended have printed; null: it is dropped.
  ExecutedSource(isa::KernelImage image, const exec::Launch& launch, const std::vector<uint32_t>& origins,
                 const Tellings* tellings, std::shared_ptr<std::string> output);
  ~ExecutedSource() override;

  const isa::KernelImage& image() const override { return image_; }
  // A block is executed when it is asked for, one after the other, without time, and a Recorder tells what
  // its warps do. Throws Error for what the program may not do, or when no block can go on.
  bool next(isa::BlockTrace& out) override;
  // An ExecGrid.
  std::unique_ptr<isa::GridProgram> program(const isa::Device& device) override;

 private:
  struct Begun;
  std::unique_ptr<Begun> begin();
  void run_first();

  exec::Launch launch_;
  isa::KernelImage image_;
  const std::vector<uint32_t>& origins_;
  const Tellings* const tellings_;
  const std::shared_ptr<std::string> output_;
  uint64_t next_cluster_ = 0;
  uint64_t position_ = 0;
  std::deque<std::unique_ptr<Begun>> active_;
  std::deque<isa::BlockTrace> ready_;
};

}  // namespace heddle::executed
