// Puts measured and simulated values side by side.
#pragma once

#include <array>
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
  std::optional<LaunchRecord> launch;  // absent: it could not be simulated, or is of another shape
  std::string failure;                 // why
  bool reported = false;               // the failure was, when it happened

  // "name", or "name/launch" where the launch is not the first.
  std::string label() const;
};

// Why a launch of this shape is not what the row measured: another grid, block or cluster, where the table
// has them. Empty when it may be.
std::string other_shape(const ReferenceRow& row, const isa::LaunchShape& shape);

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

// The states of a kernel's warps as shares of its warps' time: `selected` and all reasons that both sides
// have, together 100 %. So a reason's weight does not grow with the occupancy, as warps per issue do.
struct StallShare {
  size_t match = 0;    // index into the matches
  std::string reason;  // never `selected`: it is no stall
  Pair share;          // per cent
};

// In the order of the matches, then of the reasons; a reason that one side lacks is left out.
std::vector<StallShare> stall_shares(std::span<const Match> matches);

// Why warps did not issue.
struct StallAgreement {
  struct Kernel {
    std::string label;
    std::string measured, simulated;  // the largest reason of each side; empty: no stalls at all
    double measured_share = 0, simulated_share = 0;  // theirs, per cent of the warps' time
    bool agrees() const { return measured == simulated; }
  };
  struct Reason {
    std::string name;
    size_t kernels = 0;
    double mean_measured = 0, mean_simulated = 0,
           mean_difference = 0;  // per cent of the warps' time; the last one in points and absolute
  };
  std::vector<Kernel> kernels;
  std::vector<Reason> reasons;  // those that the reference has
  size_t agreeing() const;      // kernels
};

StallAgreement compare_stalls(std::span<const Match> matches);

// The kernels taken in turns, the first, third, ... and the second, fourth, ...: whether the error depends on
// which kernels one looks at.
std::array<MetricValues, 2> alternate_halves(std::span<const Match> matches, std::string_view metric);

}  // namespace heddle::analysis
