// From the references of a recorded instruction to its operands.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/kernel.h"
#include "sim/isa/program.h"
#include "sim/isa/recorded_copy.h"
#include "sim/isa/recorded_phases.h"
#include "sim/isa/recording.h"

namespace heddle::isa {

// Keeps what the operands that it reads point to until it reads the next.
class RecordedOperands {
 public:
  // Of an instruction with references, the first of which is `r`. `phases`: what is known of the block's
  // barrier objects; null: operands say all of them, nothing is left to be guessed. `rank`: the block's.
  void read(const KernelImage& image, const Instr& in, uint32_t mask, uint32_t rank,
            const RecordedPhases* phases, const WarpTrace& trace, const MemRef* r, Operands& out);

 private:
  void copy(const KernelImage& image, const Instr& in, const WarpTrace& trace, const MemRef& r,
            Operands& out);
  void synchronise(const KernelImage& image, const Instr& in, uint32_t mask, uint32_t rank,
                   const RecordedPhases* phases, const WarpTrace& trace, const MemRef& r, Operands& out);

  void commit(const KernelImage& image, uint32_t rank, const WarpTrace& trace, const MemRef& r,
              Operands& out);

  std::vector<MbarrierOp> more_;
  RecordedCopy copy_;
};

}  // namespace heddle::isa
