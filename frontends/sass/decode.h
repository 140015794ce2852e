// One line of SASS text to one isa::Instr.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontends/sass/opcode_pool.h"
#include "sim/isa/instr.h"

namespace heddle::sass {

// Decodes "@!P0 LDG.E.64 R4, desc[UR4][R2.64+0x8] ;" (the semicolon is optional) at byte offset `pc`. Source
// slots follow the text: a, b, c in the order of the source operands, constants and immediates counted. An
// opcode the table does not know is counted in `pool` and flagged. Throws heddle::Error, without file and
// line, when the text is not an instruction.
isa::Instr decode_text(uint32_t pc, std::string_view text, OpcodePool& pool);

// As above with the 128-bit encoding, bits 0..63 in `lo`: fills Instr::ctl (kFlagHasControl) and takes the
// slots from the encoding's register fields.
isa::Instr decode_text(uint32_t pc, std::string_view text, uint64_t lo, uint64_t hi, OpcodePool& pool);

// The label of a branch or BSSY whose text names one, e.g. ".L_x_3" of "BRA `(.L_x_3)"; empty otherwise.
// Instr::target is 0 for those: the caller knows where labels lie.
std::string_view target_label(std::string_view text);

}  // namespace heddle::sass
