// The instructions of a profiled launch that cost most.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/stats/profile.h"

namespace heddle::analysis {

// A table of the `top` instructions by the warp-cycles charged to them: per cent of all, the largest stall,
// the source line where the trace has them, the SASS. Empty without a profile.
std::string hot_spots(const std::vector<stats::InstructionProfile>& code, size_t top = 8);

}  // namespace heddle::analysis
