// Lanes that wait until others have come, for the handlers that make or end such waits.
#pragma once

#include <cstdint>

#include "sim/exec/warp/core.h"

namespace heddle::exec {

// The lanes of the mask are a group of their own from now on; those of g that are not go on behind.
void leave_others(WarpCore& w, Group& g, uint32_t mask);
// Those who wait at a `.sync` for these lanes execute it, if all have come. `in`: one of their instructions.
void perform_sync(WarpCore& w, const Inst& in, uint32_t wait_for);
// Counts the warp at the block's barrier, if all come that have to.
void count_barrier(WarpCore& w, uint32_t number);
// Whom a group waits for at its BSYNC, as the barrier is now.
uint32_t participants(WarpCore& w, const Group& g);
// Lets those of these lanes go on that wait at a BSYNC, if all of them do.
bool meet(WarpCore& w, uint32_t lanes);
// Lanes that parted wait for the others at the same place of the same frame. True when all 32 have come.
bool gather_lanes(WarpCore& w, Group& g, uint32_t mask);
// The lanes that gather_lanes() has waited for go on. True: g at once.
bool leave_together(WarpCore& w, Group& g, uint32_t mask);

// A barrier of the block is complete. `result`: of a reduction.
void pass_barrier(WarpCore& w, uint32_t number, uint64_t result);
void pass_cluster_barrier(WarpCore& w);

}  // namespace heddle::exec
