// Which source operand position (a, b, c) each vector register of an encoded instruction takes.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/isa/instr.h"

namespace heddle::sass {

// Sets Operand::slot of the vector-register sources of `in` from the encoding's register fields. A source
// that no field holds keeps its slot. Not for instructions that encode a lone source as Rb, nor for LDGSTS.
void assign_slots(uint64_t lo, uint64_t hi, std::string_view base, isa::Instr& in);

}  // namespace heddle::sass
