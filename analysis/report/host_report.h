// The tables of a host program's run.
#pragma once

#include <string>
#include <vector>

#include "analysis/store/record.h"

namespace heddle::analysis {

// Counters that tables look at: the length of the run; a host thread's waiting time, behind the name of its
// track.
inline constexpr const char* kRunTime = "time ps";
inline constexpr const char* kWaiting = " waiting ps";

// A line for each track: spans, busy time and its share of the run, waiting time, which is not busy.
std::string track_table(const std::vector<TrackUse>& tracks, const std::vector<RunCounter>& counters);

// A line for each counter; those in picoseconds ("... ps") as microseconds.
std::string counter_lines(const std::vector<RunCounter>& counters);

// The counter of that name; 0 when there is none.
uint64_t counter(const std::vector<RunCounter>& counters, std::string_view name);

}  // namespace heddle::analysis
