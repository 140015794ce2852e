// Accesses of global memory that the machine performs: what they are in its terms.
#pragma once

#include <cstdint>

#include "sim/exec/memory_op.h"
#include "sim/isa/program.h"

namespace heddle::executed {

bool may_be_global(exec::Space space);
// Whether the machine can: not of more than 16 bytes a lane, no atomics of several words.
bool can_be_served(const exec::MemoryOp& op);
// All lanes' addresses are in global memory.
bool all_global(const exec::Access& a);
// Addresses and data, of atomics also what they do.
isa::AtomicOp pack(const exec::Access& a, isa::LaneRoom& room);
// What came back, for the lanes of a.mask.
void unpack(const isa::LaneValues& values, exec::Access& a);

}  // namespace heddle::executed
