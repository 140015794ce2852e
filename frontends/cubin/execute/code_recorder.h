// What warps do, from the executor's instructions to the machine's that they come from.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/executed/recorder.h"
#include "sim/isa/kernel.h"

namespace heddle::cubin {

class CodeRecorder final : public executed::Recorder {
 public:
  // `origins`: of Translation. Both outlive this.
  CodeRecorder(const isa::KernelImage& image, const std::vector<uint32_t>& origins, uint32_t blocks,
               uint32_t warps);

  void executed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t active,
                uint32_t mask) override;
  void accessed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                const exec::Register& address, const exec::Register* to) override;
  void accessed_matrix(const exec::Block& block, uint32_t warp, uint32_t pc, uint64_t base,
                       uint64_t stride) override;
  void synchronised(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                    exec::BarrierObjectOp::Kind kind, const exec::Register& object,
                    const exec::Register& operand) override;
  void transferred(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t lane,
                   const exec::Transfer& t) override;
  // Machine code that is read has none.
  void used_tensor_memory(const exec::Block& /*block*/, uint32_t /*warp*/, uint32_t /*pc*/, uint32_t /*lane*/,
                          const exec::TensorMemoryOp& /*op*/, const exec::TensorUse& /*use*/) override {}

 private:
  isa::WarpTrace& trace_of(const exec::Block& block, uint32_t warp) {
    return trace(place(block.rank(), warp));
  }
  // Where the references of the instruction are that the warp executed last; null: it has none.
  isa::MemRef* references(isa::WarpTrace& t, uint32_t pc) const;

  const isa::KernelImage& image_;
  const std::vector<uint32_t>& origins_;
};

}  // namespace heddle::cubin
