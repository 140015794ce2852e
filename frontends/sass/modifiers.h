// Modifiers that no assembler writes: a sign of a damaged side file, or of a newer GPU.
#pragma once

#include <string_view>

#include "frontends/sass/mma_shape.h"
#include "frontends/sass/opcode_table.h"

namespace heddle::sass {

// Whether an opcode of the table has a modifier that decides its time and is not known: the shape of a matrix
// product, the function of MUFU, the operation of SYNCS, the width of an access. Others are not looked at.
bool has_odd_modifier(std::string_view opcode, const OpcodeInfo& info, const MmaShape& shape);

}  // namespace heddle::sass
