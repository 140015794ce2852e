// Everything worth reading about one launch.
#pragma once

#include <string>

#include "analysis/store/record.h"

namespace heddle::analysis {

// Sections: launch, time, occupancy, issue, memory, stalls.
std::string kernel_details(const LaunchRecord& launch);

}  // namespace heddle::analysis
