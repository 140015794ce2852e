#include "analysis/timeline/host_timeline.h"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <utility>

#include "analysis/report/json.h"
#include "analysis/timeline/trace_events.h"

namespace heddle::analysis {

const char* kind_name(host::SpanKind kind) {
  constexpr const char* kNames[] = {"call", "kernel", "copy", "memset", "host function", "graph", "other"};
  return kNames[static_cast<size_t>(kind)];
}

namespace {

// As JSON: what a viewer shows beside the span.
std::string details(const host::Result& r, const host::SpanOrigin& o) {
  std::ostringstream text;
  JsonWriter json(text);
  json.begin_object().field("kind", kind_name(o.kind));
  if (o.correlation > 0) {
    json.field("correlation", o.correlation);
  }
  if (o.call > 0) {
    json.field("call", o.call);
  }
  if (o.stream < r.streams.size()) {
    json.field("stream", r.streams[o.stream]);
  }
  if (o.bytes > 0) {
    json.field("bytes", o.bytes);
  }
  json.end_object();
  return text.str();
}

}  // namespace

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
    out.push_back({r.tracks[s.track].name, lane, r.names[s.name], s.start.count(), s.end.count(),
                   details(r, s.origin)});
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
    trace.span(1, row->second, s.name, s.start_ps, s.end_ps, s.args);
  }
  trace.end();
}

}  // namespace heddle::analysis
