// What a recording does not have of named barriers: the numbers and thread counts that are in registers.
#pragma once

#include <memory>

#include "sim/isa/recording.h"

namespace heddle::cubin {

// The source, which fills in WarpTrace::barriers where the kernel's machine code shows them: along the path
// that each warp has taken, its integer instructions are executed as far as their operands follow from the
// thread, the block, the launch's shape and parameters and the code alone. Where they do not follow for one
// barrier of a block, none of the block is told. Sources whose kernel has no such barrier, no encodings, or
// instructions that cannot be executed are given back as they are.
std::unique_ptr<isa::BlockSource> with_barrier_operands(std::unique_ptr<isa::BlockSource> source);

}  // namespace heddle::cubin
