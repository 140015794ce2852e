// From an instruction taken apart, by its text or by its record, to one isa::Instr.
#pragma once

#include <cstdint>

#include "frontends/sass/opcode_pool.h"
#include "frontends/sass/operand.h"
#include "sim/isa/instr.h"

namespace heddle::sass {

struct Encoding {
  uint64_t lo, hi;
};

// `t.opcode` is the text of `opcode`, which is the pool's; `e`: where it is known. Throws heddle::Error,
// without file and line, for more registers than an instruction can have.
isa::Instr decode_operands(uint32_t pc, const TextInstruction& t, uint16_t opcode, const Encoding* e,
                           OpcodePool& pool);

}  // namespace heddle::sass
