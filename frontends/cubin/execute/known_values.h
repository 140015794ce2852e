// Executes what a recorded warp did, as far as values are known without memory.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/cubin/execute/translate.h"
#include "sim/isa/recording.h"

namespace heddle::cubin {

// Which instructions of a kernel matter for the operands of its named barriers that are in registers.
class BarrierSlice {
 public:
  // Both outlive this.
  BarrierSlice(const isa::KernelImage& image, const Translation& translation);

  const isa::KernelImage& image() const { return image_; }
  const exec::Code& code() const { return code_; }
  // Of instruction i of the image: its first one among the executor's; the image's size is legal.
  uint32_t first(uint32_t i) const { return first_[i]; }
  // The first instruction from i on that matters; the image's size when there is none.
  uint32_t next(uint32_t i) const { return next_[i]; }

 private:
  void find();

  const isa::KernelImage& image_;
  const exec::Code& code_;
  std::vector<uint32_t> first_, next_;
};

// The warps of one block. A register is known in some lanes: what instructions make of known operands is
// known, and what comes from memory, from other warps or from the clock is not.
class KnownValues {
 public:
  // `block`: its place in the grid. The slice outlives this.
  KnownValues(const BarrierSlice& slice, const isa::Dim3& block);

  // Fills in w.barriers. False: the operands of one are not known.
  bool find_barriers(isa::WarpTrace& w);

 private:
  struct Value {
    exec::Register lanes{};
    uint32_t known = 0;  // lanes
  };

  void start(uint32_t warp);
  void execute(const exec::Inst& in, uint32_t mask);
  void compute(const exec::Inst& in, uint32_t mask);
  void synchronise(const exec::Inst& in, uint32_t mask);
  void forget(exec::Slot s);
  Value* at(exec::Slot s);
  // Of all lanes of the mask; of what is not there all.
  bool is_known(exec::Slot s, uint32_t mask);
  bool find_barrier(const exec::Inst& in, uint32_t mask, isa::WarpTrace& w);

  const BarrierSlice& slice_;
  const exec::Code& code_;
  const isa::Dim3 block_;
  std::vector<Value> frame_, warp_, constants_;
};

}  // namespace heddle::cubin
