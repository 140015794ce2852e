// The tables of a host program's run.
#pragma once

#include <string>
#include <vector>

#include "analysis/store/record.h"

namespace heddle::analysis {

// A line for each track: spans, time and share of `end_ps`, the length of the run.
std::string track_table(const std::vector<TrackUse>& tracks, uint64_t end_ps);

// A line for each counter; those in picoseconds ("... ps") as microseconds.
std::string counter_lines(const std::vector<RunCounter>& counters);

// The counter of that name; 0 when there is none.
uint64_t counter(const std::vector<RunCounter>& counters, std::string_view name);

}  // namespace heddle::analysis
