// Records with plausible and distinct values, for tests.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/store/record.h"

namespace heddle::analysis {

RunRecord sample_run();

// `seed` varies every number.
stats::KernelResult sample_result(uint64_t seed);

// A record of sample_result(seed) for launch `launch` of `trace`.
LaunchRecord sample_launch(const std::string& trace, uint32_t launch, uint64_t seed);

}  // namespace heddle::analysis
