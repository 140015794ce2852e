// What the warps of a cluster's blocks do, as the streams of a recording.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/exec/block.h"
#include "sim/exec/observer.h"
#include "sim/isa/recording.h"

namespace heddle::executed {

class Recorder : public exec::Observer {
 public:
  // The block of that rank has ended.
  virtual std::vector<isa::WarpTrace> finish(uint32_t rank) = 0;
};

// Puts an instance of the instruction number `instr` behind the others.
void add_run(isa::WarpTrace& t, uint32_t instr, uint32_t mask);

// Lanes' addresses, their values put into `t` where they need it.
isa::MemRef reference(isa::WarpTrace& t, uint32_t mask, const exec::Register& address);

// The operands of an instruction on barrier objects as the machine has them (tools/tracer/OPERANDS.md).
isa::MemRef reference(isa::WarpTrace& t, uint32_t mask, exec::BarrierObjectOp::Kind kind,
                      const exec::Register& object, const exec::Register& operand);

// Of a bulk or tensor copy.
isa::MemRef reference(isa::WarpTrace& t, const exec::Transfer& transfer);

}  // namespace heddle::executed
