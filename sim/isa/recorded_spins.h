// Loops in which a recorded warp waited for a barrier object: how often they were executed is a matter of the
// time under the recorder, not of the program.
#pragma once

#include <cstdint>

#include "sim/isa/recorded_phases.h"
#include "sim/isa/recording.h"

namespace heddle::isa {

// Leaves out the turns of such a loop but for the last: from a wait to the next one for the same phase, by
// the same instruction or close by, with nothing between them that touches memory or a barrier. Returns how
// many warp instructions that were.
uint64_t leave_out_spins(const RecordedSyncs& syncs, WarpTrace& w);

}  // namespace heddle::isa
