// The blocks of a launch as a recording that is made while it is read: a block is executed when it is asked
// for, and a recorder tells what its warps do in the machine's instructions.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "frontends/executed/executed_cluster.h"
#include "frontends/executed/recorded_registers.h"
#include "frontends/executed/recorder.h"
#include "frontends/executed/telling.h"
#include "sim/exec/cluster.h"
#include "sim/exec/launch.h"
#include "sim/isa/launch_order.h"
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
  // By record of the launch's code, which instruction of the image it is of. Outlives this. Instructions are
  // executed when they issue then (ExecGrid), where the machine can perform what they do to global memory.
  // `code`: what is executed then. `tellings`: of PTX, or null.
  void execute_at_issue(const exec::Code& code, const std::vector<uint32_t>& origins,
                        const Tellings* tellings = nullptr) {
    issued_ = &code;
    origins_ = &origins;
    tellings_ = tellings;
  }
  // Else LiveGrid of code that depends on time, BoundedGrid of other code.
  std::unique_ptr<isa::GridProgram> program(const isa::Device& device) override;

  // How much of what blocks did may be kept until it has been simulated, in bytes; beyond, they are executed
  // in pieces. Without keep_at_most(): 64 MiB, 512 MiB of code that waits for barrier objects, since of its
  // recordings waits in vain can be left out.
  uint64_t most_kept() const;
  void keep_at_most(uint64_t bytes) { most_kept_ = bytes; }

 private:
  friend class BoundedGrid;
  uint64_t room() const;
  std::unique_ptr<ExecutedCluster> begin();
  exec::Block::Status run_turn(ExecutedCluster& c, uint64_t most);
  void run_first(uint64_t most);
  // The next cluster in launch order, executed to its end, or until about `most` bytes are kept of it. Null:
  // there is none.
  std::unique_ptr<ExecutedCluster> execute(uint64_t most);
  // Of a cluster that has ended.
  void finish(ExecutedCluster& c, std::deque<isa::BlockTrace>& out);
  // The next block in launch order: which one it is.
  template <class Block>
  void place(Block& b) {
    b.index = isa::block_at(position_, launch_.grid, launch_.cluster);
    b.linear = position_++;
  }

  exec::Launch launch_;
  isa::KernelImage image_;
  const MakeRecorder make_;
  uint64_t next_cluster_ = 0;
  uint64_t position_ = 0;
  std::deque<std::unique_ptr<ExecutedCluster>> active_;
  std::deque<isa::BlockTrace> ready_;
  std::shared_ptr<std::string> output_;
  const exec::Code* issued_ = nullptr;
  const std::vector<uint32_t>* origins_ = nullptr;
  const Tellings* tellings_ = nullptr;
  uint64_t most_kept_ = 0;  // 0: as most_kept() says
  bool note_barriers_ = false;
};

// All blocks of the cluster have ended.
bool ended(const ExecutedCluster& c);

}  // namespace heddle::executed
