// An instruction from the columns of an Accel-Sim text trace, for traces that come without a side file.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "frontends/sass/opcode_pool.h"
#include "sim/isa/instr.h"

namespace heddle::sass {

// `dst_regs` and `src_regs` are the vector-register numbers of the trace line; 255 (RZ) is dropped. The trace
// names only the first register of a wide operand: counts come from the opcode (LDG.E.128 writes four).
// `mem_width` is the trace's access-width column: 0 = no address in this line; otherwise bytes, used when the
// opcode names no width. Control fields stay at their defaults. Register lists longer than isa::kMaxDst and
// kMaxSrc are cut.
isa::Instr decode_fields(uint32_t pc, std::string_view opcode, std::span<const uint8_t> dst_regs,
                         std::span<const uint8_t> src_regs, uint32_t mem_width, OpcodePool& pool);

}  // namespace heddle::sass
