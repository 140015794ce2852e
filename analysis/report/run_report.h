// The tables of a run.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::analysis {

// What was run, and the totals over its launches.
std::string run_heading(const RunRecord& run, std::span<const LaunchRecord> launches);

// Two tables with a line per launch: time and issue; bottleneck (with the configuration), memory and stalls.
// At most `limit` launches, then a line that says how many more there are.
std::string launch_tables(std::span<const LaunchRecord> launches, size_t limit = static_cast<size_t>(-1),
                          const std::optional<config::GpuConfig>& gpu = std::nullopt);

// "sampled, +- 3.2 %, 512 of 4,096 blocks simulated", or why all blocks were simulated; empty when nobody
// asked for sampling.
std::string sampling_text(const LaunchRecord& launch);

// What became of `--sample`. Empty without it.
std::string sampling_note(std::span<const LaunchRecord> launches);

// Notes on launches whose results need care: sampled, no control bits, unknown opcodes. Empty when there are
// none.
std::string launch_notes(std::span<const LaunchRecord> launches);

}  // namespace heddle::analysis
