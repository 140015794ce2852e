// Where lanes that part at a branch meet again: at its immediate post-dominator, found once for a function.
#pragma once

#include <cstdint>

#include "sim/exec/code.h"

namespace heddle::exec {

// Sets Inst::reconverge of the branches in [first, end), which is one function: a jump leads to one of these
// or to `end`. kNoPc where they need not meet before the function returns.
void find_reconvergence(Code& code, uint32_t first, uint32_t end);

}  // namespace heddle::exec
