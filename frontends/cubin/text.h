// A record as nvdisasm writes it, without the names of labels.
#pragma once

#include <string>

#include "frontends/cubin/record.h"

namespace heddle::cubin {

// "@!P0 IADD3 R1, R2, 0x10, RZ"
std::string text(const Decoded& d);
// "IMAD.WIDE.U32"
std::string opcode_text(const Decoded& d);
// What a float is as the disassembler writes it.
std::string float_text(double value);
// Of a special register, "SR_TID.X"; "" where it has none but its number.
std::string_view special_name(uint32_t number);

}  // namespace heddle::cubin
