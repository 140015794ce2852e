// Everything worth reading about one launch.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/roofs.h"
#include "analysis/store/record.h"

namespace heddle::analysis {

// Sections: launch, time, roofs (where they are given), occupancy, issue, memory, stalls.
std::string kernel_details(const LaunchRecord& launch, const std::vector<Roof>& roofs = {});

}  // namespace heddle::analysis
