// The CUDA guide's sliding-window kernel (reference/cuda-model.md L201-L222, hw/h200/hostbench.cu k_sliding)
// without a trace: its code is straight, and its addresses follow from the thread's number.
//
//   persist[tid % frequent] *= 2;  stream[tid] *= 2;
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/isa/recording.h"

namespace heddle::hostbench {

class SlidingWindow final : public isa::BlockSource {
 public:
  // Where the two arrays begin.
  static constexpr uint64_t kPersist = 0x7f0000000000, kStream = 0x7f8000000000;
  static constexpr uint32_t kThreads = 1024;  // of a block

  // `sass`: the kernel's code as a side file has it (traces/h200/hostbench/sliding_window.sass); `name`
  // stands for it in messages. `frequent_bytes`, a multiple of 128, are read and written again and again
  // beside a stream of 4096 bytes by each of `blocks`. Throws Error when the code is not of the form above.
  SlidingWindow(std::string sass, const std::string& name, uint64_t frequent_bytes, uint32_t blocks);

  const isa::KernelImage& image() const override { return image_; }
  bool next(isa::BlockTrace& out) override;

 private:
  isa::KernelImage image_;
  std::vector<isa::Run> runs_;  // of every warp
  uint64_t instructions_ = 0;
  const uint64_t frequent_bytes_;
  uint32_t block_ = 0;
};

}  // namespace heddle::hostbench
