// A table of measured kernels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/kernel.h"

namespace heddle::analysis {

struct ReferenceRow {
  std::string name;                                   // of the trace's directory
  uint32_t launch = 1;                                // position in that capture, from 1
  std::map<std::string, double, std::less<>> values;  // by metric name; empty fields are absent
  std::optional<isa::Dim3> cluster;                   // that it ran with; a trace may not know it
  std::optional<isa::Dim3> grid, block;               // that it ran with

  std::optional<double> value(std::string_view metric) const;
};

struct Reference {
  std::string file;
  std::vector<ReferenceRow> rows;
};

// The two figures with names of their own, beside Nsight's metrics.
inline constexpr char kCycles[] = "cycles";
inline constexpr char kSmActiveCycles[] = "sm_active_cycles";

// Columns: `name` (or `trace`), optionally `launch`; `cycles_median` or `cycles`; optionally
// `sm_active_cycles_max_median` or `sm_active_cycles`; `grid` and `block` as "(512, 1, 1)";
// `launch__cluster_dim_x`, `_y` and `_z`; any metric of the catalogue by its name. Others are ignored. So the
// CSV of `heddle run --summary` is a reference table too. Throws heddle::Error "FILE:LINE: what".
Reference read_reference(const std::filesystem::path& file);
Reference parse_reference(std::string_view text, std::string file);

}  // namespace heddle::analysis
