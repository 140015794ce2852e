// Puts measured and simulated values side by side.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/store/record.h"
#include "analysis/validate/reference.h"
#include "analysis/validate/statistics.h"

namespace heddle::analysis {

// A row of the reference table and its simulation.
struct Match {
  ReferenceRow reference;
  std::optional<LaunchRecord> launch;  // absent: it could not be simulated
  std::string failure;                 // why

  // "name", or "name/launch" where the launch is not the first.
  std::string label() const;
};

// The simulated counterpart of ReferenceRow::value: kCycles, kSmActiveCycles or a catalogued metric.
std::optional<double> simulated_value(const LaunchRecord& launch, std::string_view metric);

// The values of one metric, of the kernels for which both sides have it.
struct MetricValues {
  std::vector<size_t> match;  // index into the matches, parallel to `pairs`
  std::vector<Pair> pairs;
};

MetricValues common_values(std::span<const Match> matches, std::string_view metric);

// One metric over all kernels.
struct MetricSummary {
  std::string metric;
  std::string unit;
  size_t kernels = 0;
  size_t exact = 0;            // equal to the two decimals that Nsight prints
  size_t undefined = 0;        // measured zero, simulated not: not in mean_relative
  double mean_relative = 0;    // mean absolute relative error
  double mean_difference = 0;  // mean absolute difference, in the metric's unit
};

// Every metric of the catalogue that at least one kernel has on both sides, in the catalogue's order.
std::vector<MetricSummary> summarize_metrics(std::span<const Match> matches);

// Why warps did not issue. `selected` is left out: it is no stall.
struct StallAgreement {
  struct Kernel {
    std::string label;
    std::string measured, simulated;  // the largest reason of each side; empty: no stalls at all
    bool agrees() const { return measured == simulated; }
  };
  struct Reason {
    std::string name;
    size_t kernels = 0;
    double mean_measured = 0, mean_simulated = 0,
           mean_difference = 0;  // warps per issue; the last one absolute
  };
  std::vector<Kernel> kernels;
  std::vector<Reason> reasons;  // those that the reference has
};

StallAgreement compare_stalls(std::span<const Match> matches);

}  // namespace heddle::analysis
