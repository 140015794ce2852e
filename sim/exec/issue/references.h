// The operands of what is executed as a recording has them.
#pragma once

#include <cstdint>

#include "sim/exec/observer.h"
#include "sim/isa/recording.h"

namespace heddle::executed {

// Lanes' addresses, their values put into `t` where they need it.
isa::MemRef reference(isa::WarpTrace& t, uint32_t mask, const exec::Register& address);

// The operands of an instruction on barrier objects as the machine has them (tools/tracer/OPERANDS.md).
isa::MemRef reference(isa::WarpTrace& t, uint32_t mask, exec::BarrierObjectOp::Kind kind,
                      const exec::Register& object, const exec::Register& operand);

// Of an instruction on tensor memory.
isa::MemRef reference(isa::WarpTrace& t, const exec::TensorMemoryOp& op, const exec::TensorUse& use);

// Of a bulk or tensor copy.
isa::MemRef reference(isa::WarpTrace& t, const exec::Transfer& transfer);

}  // namespace heddle::executed
