// Validation results for other programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/validate/comparison.h"

namespace heddle::analysis {

// One row per kernel and metric: name,launch,metric,measured,simulated,relative_error. `simulated` is empty
// where a kernel could not be simulated, `relative_error` (a fraction) where it is not defined.
std::string validation_csv(std::span<const Match> matches, const std::vector<std::string>& metrics);

// More rows of that table: shares of the warps' time in per cent, metric `stall_share.REASON`.
std::string stall_csv(std::span<const Match> matches);

}  // namespace heddle::analysis
