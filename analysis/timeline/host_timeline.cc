#include "analysis/timeline/host_timeline.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "analysis/timeline/trace_events.h"

namespace heddle::analysis {

std::vector<stats::Span> host_spans(const host::Result& r) {
  std::vector<stats::Span> out;
  std::map<uint32_t, std::vector<host::Ps>> lanes;  // end of the last span of each lane; spans come by start
  for (const host::TrackSpan& s : r.spans) {
    std::vector<host::Ps>& ends = lanes[s.track];
    uint32_t lane = 0;
    while (lane < ends.size() && ends[lane] > s.start) {
      ++lane;
    }
    if (lane == ends.size()) {
      ends.emplace_back();
    }
    ends[lane] = s.end;
    out.push_back({r.tracks[s.track].name, lane, r.names[s.name], s.start.count(), s.end.count(), ""});
  }
  return out;
}

void write_host_trace(std::ostream& out, const host::Result& r) {
  TraceEvents trace(out);
  trace.process(1, "host program", 0);
  std::map<std::pair<std::string, uint32_t>, uint32_t> rows;
  for (const stats::Span& s : host_spans(r)) {
    const auto [row, is_new] =
        rows.emplace(std::pair(s.track, s.lane), static_cast<uint32_t>(rows.size() + 1));
    if (is_new) {
      trace.thread(1, row->second, s.lane ? fmt::format("{} ({})", s.track, s.lane + 1) : s.track);
    }
    trace.span(1, row->second, s.name, s.start_ps, s.end_ps);
  }
  trace.end();
}

}  // namespace heddle::analysis
