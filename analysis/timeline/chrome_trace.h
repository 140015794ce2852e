// A run as a timeline in Chrome's JSON trace format, which Perfetto (ui.perfetto.dev) and chrome://tracing
// open.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "analysis/store/record.h"
#include "analysis/store/result_reader.h"

namespace heddle::analysis {

struct TimelineSummary {
  uint64_t spans = 0;    // written
  uint64_t samples = 0;  // points of counter tracks
  uint64_t dropped = 0;  // spans beyond the limits of the run
};

// Writes the spans of the run and, for its `launches`, a span each and the series as counter tracks: active
// warps per SM, instructions per cycle and SM, L1, L2 and DRAM traffic in bytes per ns. Each track is a
// process, each lane of it a thread. Launches follow each other, unless the run has spans of its own (host,
// streams, copy engines), whose times count from the run's start: then launches are where these put them, and
// are not written here. A span at a time: memory does not grow with the run.
TimelineSummary write_chrome_trace(std::ostream& out, ResultReader& reader, const RunRecord& run,
                                   const std::vector<LaunchRecord>& launches);

}  // namespace heddle::analysis
