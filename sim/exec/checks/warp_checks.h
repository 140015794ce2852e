// What Launch::checks looks for while a warp executes: what it tells Races and SyncRules, and what they find.
// Each throws ThreadFault for what is wrong. Called only where WarpCore::races or sync_rules are there.
#pragma once

#include <cstdint>
#include <string>

#include "sim/exec/async/ops.h"
#include "sim/exec/warp/core.h"

namespace heddle::exec {

struct At;

void check_access(WarpCore& w, const Group& g, const Access& a);
// What is wrong with an operation on a barrier object; "": nothing.
std::string misuse(WarpCore& w, const BarrierObjectOp& op, const At& at);
void order_by_object(WarpCore& w, const BarrierObjectOp& op, const At& at, uint64_t result);
// Of the lanes of g that execute a barrier or pass it by.
void check_barrier_operands(WarpCore& w, const Group& g, const Inst& in, uint32_t mask);
// When all lanes of the warp that have not ended are at the barrier; `any`: some of them.
void check_barrier(WarpCore& w, const Group& any, uint32_t number, uint32_t threads);
// Who executes an instruction for the lanes of a mask is one of them.
void check_mask(const WarpCore& w, const Group& g, const Register& masks);

}  // namespace heddle::exec
