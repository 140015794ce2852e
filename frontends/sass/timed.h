// The timing model's view of a machine instruction.
#pragma once

#include <cstdint>

#include "frontends/sass/opcode_pool.h"
#include "frontends/sass/record/record.h"
#include "sim/isa/instr.h"

namespace heddle::sass {

// What decode_text() makes of the record's text and encoding, without the text. Throws as it does.
isa::Instr timed(uint32_t pc, const Decoded& d, OpcodePool& pool);

}  // namespace heddle::sass
