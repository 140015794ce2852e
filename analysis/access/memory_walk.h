// The recorded memory accesses of a block, one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/access/access_cost.h"
#include "sim/isa/kernel.h"

namespace heddle::analysis {

class MemoryWalk {
 public:
  static constexpr uint32_t kNone = ~0u;

  // Numbers the instructions of the side from 0 on, by address; the others are passed over.
  MemoryWalk(const isa::KernelImage& image, AccessSide side) {
    for (uint32_t i = 0; i < image.code.size(); ++i) {
      first_.push_back(static_cast<uint32_t>(memory_.size()));
      const isa::Instr& in = image.code[i];
      if (in.mem_refs == 0) {
        continue;
      }
      const AccessKind kind = access_kind(image, in, side);
      memory_.push_back({i, in.mem_refs, kNone});
      if (kind != AccessKind::kNone) {
        memory_.back().number = static_cast<uint32_t>(code_.size());
        code_.push_back({i, kind});
      }
    }
  }

  struct Code {
    uint32_t index;  // in KernelImage::code
    AccessKind kind;
  };
  const std::vector<Code>& code() const { return code_; }

  // call(number, ref, mask) for each access of a warp; mask is not 0.
  template <typename F>
  void warp(const isa::WarpTrace& w, const F& call) const {
    const isa::MemRef* ref = w.refs.data();
    for (const isa::Run& run : w.runs) {
      if (run.mask == 0) {
        continue;
      }
      const uint32_t end = run.first + run.count;
      for (uint32_t i = first_[run.first]; i < memory_.size() && memory_[i].index < end; ++i) {
        if (memory_[i].number != kNone) {
          call(memory_[i].number, ref, run.mask);
        }
        ref += memory_[i].refs;
      }
    }
  }

 private:
  struct Memory {
    uint32_t index;
    uint32_t refs;    // of this instruction
    uint32_t number;  // in code_; kNone: another side's
  };
  std::vector<Memory> memory_;   // those with address lists, by index
  std::vector<uint32_t> first_;  // by code index: the first of memory_ at or behind it
  std::vector<Code> code_;
};

}  // namespace heddle::analysis
