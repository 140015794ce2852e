// How close a launch came to each limit of the machine, as Nsight Compute's "speed of light" does: work done
// over what the unit could have done in all cycles of the launch. Peaks follow from the run's configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::analysis {

struct Roof {
  std::string_view name;  // "issue slots", "FMA", "L2", "DRAM"
  double percent = 0;     // of the peak over all cycles of the launch
};

// Nobody above this: latency, not throughput, bounds the launch.
inline constexpr double kBoundPct = 60;

// The configuration that a run was simulated with; nothing where the record has none that can be read. Throws
// std::logic_error for a record that is not whole: ResultReader::whole() makes it so.
std::optional<config::GpuConfig> configuration(const RunRecord& run);

// Every unit of the configuration, the busiest first. Empty without a configuration or cycles.
std::vector<Roof> roofs(const LaunchRecord& launch, const std::optional<config::GpuConfig>& gpu);

// "DRAM 71 %", or "latency (L2 34 %)" with the busiest unit; empty without roofs.
std::string bottleneck(const std::vector<Roof>& roofs);

// Peaks of the rooflines: operations and bytes per second. A machine without a unit has 0.
struct Peaks {
  double fp64 = 0, fp32 = 0, fp16 = 0, tensor = 0;  // tensor: dense products of 16-bit elements
  double l1 = 0, l2 = 0, dram = 0;
};
Peaks peaks(const config::GpuConfig& gpu);

}  // namespace heddle::analysis
