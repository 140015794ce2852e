// Calls of functions that the system has, and the values that go into calls and come out.
#pragma once

#include <cstdint>

#include "sim/exec/warp/core.h"

namespace heddle::exec {

// Of a frame that is g's; of a place wider than eight bytes the first ones.
uint64_t value(WarpCore& w, const Group& g, const ValuePlace& place, uint32_t lane);
void set_value(WarpCore& w, const Group& g, const ValuePlace& place, uint32_t lane, uint64_t value);

// printf, malloc, free, assert and the CUDA runtime, lane by lane.
void builtin(WarpCore& w, const Group& g, const CallOp& op, const FunctionInfo& f, uint32_t mask);
// runtime.cc: of the CUDA runtime. Returns what the function does.
uint64_t runtime(WarpCore& w, const Group& g, const CallOp& op, const FunctionInfo& f, uint32_t lane);

}  // namespace heddle::exec
