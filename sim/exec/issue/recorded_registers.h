// A bulk or tensor copy that was executed, as the uniform registers that a recording would have of it.
#pragma once

#include <array>
#include <cstdint>

#include "sim/exec/async/transfer.h"
#include "sim/isa/async_op.h"

namespace heddle::executed {

inline constexpr uint32_t kParameterBase = 0x210;  // in constant bank 0, on sm_90

// isa/async_op.h, tools/tracer/OPERANDS.md. A tensor map among the parameters lies in constant bank 0
// (FINDINGS.md 24).
std::array<uint64_t, isa::kRecordedRegisters> recorded_registers(const exec::Transfer& t);

}  // namespace heddle::executed
