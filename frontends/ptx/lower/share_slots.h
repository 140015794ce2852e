// Fewer registers for what is executed: the state of all warps of a GPU is kept at a time, and PTX has a
// register for each value.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/exec/code.h"

namespace heddle::ptx::lower {

// Registers of one block's alone that are written before they are read there lie in the same place as others
// that are needed before or after. Not those of loads, whose values come later, nor those that are made of
// them without an instruction of the machine's (Later), nor `fixed`, by register. `starts`: of the function's
// blocks, in order, and where the last one ends.
void share_slots(exec::Code& code, exec::FunctionInfo& f, const std::vector<uint32_t>& starts,
                 std::vector<bool> fixed);

}  // namespace heddle::ptx::lower
