// A record as nvdisasm writes it, without the names of labels.
#pragma once

#include <string>

#include "frontends/sass/record/record.h"

namespace heddle::sass {

// "@!P0 IADD3 R1, R2, 0x10, RZ"
std::string text(const Decoded& d);
// "IMAD.WIDE.U32"
std::string text(const Opcode& o);
// What a float is as the disassembler writes it.
std::string float_text(double value);
// Of a special register, "SR_TID.X"; "" where it has none but its number.
std::string_view special_name(uint32_t number);
// What stands before the bracket of a uniform register: "gdesc"; "" of other operands.
std::string_view bracketed(Operand::Kind kind);

}  // namespace heddle::sass
