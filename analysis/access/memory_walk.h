// The recorded memory accesses of a block, one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/access/access_cost.h"
#include "sim/isa/recording.h"

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
      memory_.push_back({in.mem_refs, kNone});
      if (kind != AccessKind::kNone) {
        memory_.back().number = static_cast<uint32_t>(code_.size());
        code_.push_back({i, kind});
      }
    }
    first_.push_back(static_cast<uint32_t>(memory_.size()));
  }

  struct Code {
    uint32_t index;  // in KernelImage::code
    AccessKind kind;
  };
  const std::vector<Code>& code() const { return code_; }

  // call(number, ref, mask) for each access of a warp; mask is not 0. `ref` are the references of its runs.
  template <typename Ref, typename F>
  void warp(std::span<const isa::Run> runs, const Ref* ref, const F& call) const {
    for (const isa::Run& run : runs) {
      if (run.mask == 0) {
        continue;
      }
      const Memory* const end = memory_.data() + first_[run.first + run.count];
      for (const Memory* m = memory_.data() + first_[run.first]; m != end; ++m) {
        if (m->number != kNone) {
          call(m->number, ref, run.mask);
        }
        ref += m->refs;
      }
    }
  }

 private:
  struct Memory {
    uint32_t refs;    // of this instruction
    uint32_t number;  // in code_; kNone: another side's
  };
  std::vector<Memory> memory_;   // those with address lists, by index
  std::vector<uint32_t> first_;  // by code index, its end included: the first of memory_ at or behind it
  std::vector<Code> code_;
};

}  // namespace heddle::analysis
