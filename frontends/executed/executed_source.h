// The blocks of a launch as a recording that is made while it is read: a block is executed when it is asked
// for, and a recorder tells what its warps do in the machine's instructions.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "frontends/executed/recorded_registers.h"
#include "frontends/executed/recorder.h"
#include "sim/exec/cluster.h"
#include "sim/exec/launch.h"
#include "sim/isa/recording.h"

namespace heddle::executed {

class ExecutedSource : public isa::BlockSource {
 public:
  // `image`: the code; the launch's shape and parameters are put into it. `launch`: as exec::completed()
  // gives it; its memory outlives this, and has what the kernel computes once all blocks were asked for.
  // `output` gets what the blocks that ended have printed; null: it is dropped.
  ExecutedSource(isa::KernelImage image, const exec::Launch& launch, MakeRecorder make,
                 std::shared_ptr<std::string> output);
  ~ExecutedSource() override;

  const isa::KernelImage& image() const override { return image_; }
  // Throws Error for what the program may not do, or when no block can go on.
  bool next(isa::BlockTrace& out) override;
  // Of code that depends on time.
  std::unique_ptr<isa::GridProgram> program(const isa::Device& device) override;

 private:
  struct Active {
    std::unique_ptr<Recorder> recorder;
    std::unique_ptr<exec::Cluster> cluster;
  };
  uint64_t room() const;
  void begin();
  void run_first();

  exec::Launch launch_;
  isa::KernelImage image_;
  const MakeRecorder make_;
  uint64_t next_cluster_ = 0;
  uint64_t position_ = 0;
  std::deque<std::unique_ptr<Active>> active_;
  std::deque<isa::BlockTrace> ready_;
  std::shared_ptr<std::string> output_;
};

}  // namespace heddle::executed
