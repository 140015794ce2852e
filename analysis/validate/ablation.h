// What each mechanism earns: the suite without it, against the suite with all of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/validate/comparison.h"

namespace heddle::analysis {

// The suite on one machine.
struct AblationRow {
  std::string name;         // of what is missing; "default" for the whole machine
  std::string instead;      // what stands in its place
  std::string config_hash;  // of the machine
  size_t failed = 0;        // kernels that could not be simulated
  ErrorStats cycles, sm_active;
  std::string largest;           // the kernel of cycles.largest
  size_t worse = 0, better = 0;  // kernels whose error differs from the default's by more than a point
  std::string most;              // the kernel whose cycles differ most from the default's
  double most_difference = 0;    // by this fraction of the measured cycles, signed
  uint64_t warp_instructions = 0;
  double cpu_seconds = 0;

  double rate() const {  // warp instructions per second
    return cpu_seconds > 0 ? static_cast<double>(warp_instructions) / cpu_seconds : 0;
  }
};

// `all` are the default's matches, for the differences; the same kernels in the same order. Only those that
// both could simulate are compared.
AblationRow ablation_row(std::span<const Match> matches, std::span<const Match> all);

// The first row is the default.
std::string ablation_text(std::span<const AblationRow> rows);

// ablation,instead,config,kernels,failed,mean,median,p90,largest,largest_kernel,sm_active_mean,difference,
// worse,better,most_changed,most_changed_by,warp_instructions,cpu_seconds,rate_ratio. Errors are fractions.
std::string ablation_csv(std::span<const AblationRow> rows);

}  // namespace heddle::analysis
