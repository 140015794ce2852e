// Validation results for a reader.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/validate/comparison.h"

namespace heddle::analysis {

// One line per kernel: measured, simulated, error. Kernels that could not be simulated are listed with the
// reason; kernels without a measured value are left out.
std::string kernel_table(std::span<const Match> matches, std::string_view metric);

// Two lines: mean, median, ... of the error of `values`.
std::string error_summary(std::span<const Match> matches, const MetricValues& values, std::string_view title);

std::string metrics_overview(const std::vector<MetricSummary>& metrics);

std::string stall_text(const StallAgreement& stalls);

// The error of the two halves of alternate_halves(), and by how many points they differ.
std::string split_text(std::span<const Match> matches, std::string_view metric, std::string_view title);

}  // namespace heddle::analysis
