// What a warp that is executed while it is simulated has handed out: the operands of what issues, and no more
// of what has issued than the LSU may still have to take.
#pragma once

#include <cstddef>
#include <deque>

#include "sim/isa/program.h"
#include "sim/isa/recorded_operands.h"
#include "sim/isa/recording.h"

namespace heddle::executed {

class HandedOut {
 public:
  // A place for what comes next. All that came before has issued.
  isa::WarpTrace& fresh();
  // An instruction of what came last issues.
  void issue(const isa::KernelImage& image, const isa::Instr& in, uint32_t mask, uint32_t rank,
             const isa::RecordedPhases* phases, isa::Operands& out);

 private:
  // Addresses of instructions that have issued and that the LSU has not taken yet: at most as many as its
  // queues have room for, far fewer than these.
  static constexpr size_t kKept = 256;
  static constexpr size_t kStorage = size_t{1} << 14;  // bytes that are worth using again

  std::deque<isa::WarpTrace> kept_;  // each piece, the last one behind the others
  size_t references_ = 0;            // of all but the last
  size_t ref_ = 0;                   // of the last: the next one that has not issued
  isa::RecordedOperands operands_;
};

}  // namespace heddle::executed
