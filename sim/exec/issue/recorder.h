// Who looks on while blocks are executed whole, without time, and writes down what their warps do as the
// streams of a recording: for what needs whole blocks (sampling, banks, coalesce, `heddle trace`).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/exec/issue/teller.h"
#include "sim/exec/observer.h"
#include "sim/isa/recording.h"

namespace heddle::executed {

class Recorder final : public exec::Observer {
 public:
  // Of a cluster: so many blocks of so many warps. `origins`: by record that is executed, which instruction
  // of the image it is of. `tellings`: of PTX, or null. All outlive this.
  Recorder(const isa::KernelImage& image, const std::vector<uint32_t>& origins, const Tellings* tellings,
           uint32_t blocks, uint32_t warps);

  // The block of that rank has ended.
  std::vector<isa::WarpTrace> finish(uint32_t rank);

  void executed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t active,
                uint32_t mask) override;
  void accessed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                const exec::Register& address, const exec::Register* to) override;
  void accessed_matrix(const exec::Block& block, uint32_t warp, uint32_t pc, uint64_t base,
                       uint64_t stride) override;
  void synchronised(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                    exec::BarrierObjectOp::Kind kind, const exec::Register& object,
                    const exec::Register& operand) override;
  void arrived(const exec::Block&, uint32_t, uint32_t, uint32_t) override {}
  void transferred(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t lane,
                   const exec::Transfer& t) override;
  void used_tensor_memory(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t lane,
                          const exec::TensorMemoryOp& op, const exec::TensorUse& use) override;

 private:
  struct Warp {
    Warp(uint32_t index, const Tellings* tellings) : teller(tellings) { trace.warp = index; }
    isa::WarpTrace trace;
    Teller teller;
    uint32_t instr = kNothing;  // the newest
    uint32_t mask = 0;          // of its lanes
  };
  Warp& of(const exec::Block& block, uint32_t warp);
  // Where the references are of the instruction that the record is of, if it is the newest that the warp has
  // executed; null: it has none.
  isa::MemRef* references(Warp& w, uint32_t pc) const;

  const isa::KernelImage& image_;
  const std::vector<uint32_t>& origins_;
  const uint32_t warps_of_block_;
  std::vector<Warp> warps_;
};

}  // namespace heddle::executed
