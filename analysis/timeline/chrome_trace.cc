#include "analysis/timeline/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "analysis/report/format.h"
#include "analysis/report/roofs.h"
#include "analysis/timeline/trace_events.h"

namespace heddle::analysis {
namespace {

constexpr double kSectorBytes = 32;
constexpr int kGpuProcess = 1;

// Lanes of an SM are block or warp slots; other tracks mostly have one lane.
std::string lane_name(const stats::Span& s) {
  const std::string_view kind = s.track.ends_with(" warps")  ? "warp slot"
                                : s.track.starts_with("SM ") ? "block slot"
                                                             : "lane";
  return fmt::format("{} {}", kind, s.lane);
}

struct Tracks {
  std::map<std::string, int> pid;
  std::map<std::pair<int, uint32_t>, bool> lanes;
};

// The processes are listed in their natural order: SM 2 before SM 10.
int sort_index(const std::string& track) {
  const size_t digit = track.find_first_of("0123456789");
  const int number = digit == std::string::npos ? 0 : std::atoi(track.c_str() + digit);
  return track.starts_with("SM ") ? 100'000 + 2 * number + track.ends_with(" warps") : 1000 + number;
}

// A value holds until the next one of its track.
uint64_t counters(TraceEvents& trace, const LaunchRecord& l, const std::vector<stats::SeriesSample>& series,
                  uint64_t offset, double sms) {
  const double ps_per_cycle = 1e6 / l.core_mhz;
  const auto ps = [&](uint64_t cycle) {
    return offset + static_cast<uint64_t>(std::llround(static_cast<double>(cycle) * ps_per_cycle));
  };
  uint64_t before = 0, samples = 0;
  const auto write = [&](uint64_t at, const std::array<double, stats::kSeriesCounters.size()>& v,
                         double cycles) {
    const double ns = cycles * ps_per_cycle / 1000;
    trace.counter(kGpuProcess, "active warps per SM", at, {{"warps", v[0] / cycles / sms}});
    trace.counter(kGpuProcess, "warp instructions per cycle and SM", at, {{"issued", v[1] / cycles / sms}});
    trace.counter(kGpuProcess, "L1, B/ns", at,
                  {{"hit", v[3] * kSectorBytes / ns}, {"miss", (v[2] - v[3]) * kSectorBytes / ns}});
    // Memory barriers, at the end of a launch, are more hits than look-ups (derive.cc).
    trace.counter(
        kGpuProcess, "L2, B/ns", at,
        {{"hit", v[5] * kSectorBytes / ns}, {"other", std::max(0.0, v[4] - v[5]) * kSectorBytes / ns}});
    trace.counter(kGpuProcess, "DRAM, B/ns", at, {{"read", v[6] / ns}, {"write", v[7] / ns}});
    ++samples;
  };
  for (const stats::SeriesSample& s : series) {
    std::array<double, stats::kSeriesCounters.size()> v{};
    for (size_t i = 0; i < v.size(); ++i) {
      v[i] = static_cast<double>(s.growth[i]);
    }
    write(ps(before), v, static_cast<double>(s.cycle - before));
    before = s.cycle;
  }
  if (!series.empty()) {
    write(ps(before), {}, 1);
  }
  return samples;
}

}  // namespace

TimelineSummary write_chrome_trace(std::ostream& out, ResultReader& reader, const RunRecord& run,
                                   const std::vector<LaunchRecord>& launches) {
  TimelineSummary summary;
  TraceEvents trace(out);
  bool absolute = false;
  reader.for_each_span(run.id,
                       [&](int64_t launch, const stats::Span&) { absolute = absolute || launch == 0; });

  trace.process(kGpuProcess, "GPU " + run.gpu, 0);
  if (!absolute) {
    trace.thread(kGpuProcess, 0, "kernels");
  }
  const std::optional<config::GpuConfig> gpu = configuration(run);
  const double sms = gpu ? gpu->topology().sms() : 1;
  std::map<int64_t, uint64_t> offset;
  uint64_t end = 0;
  for (const LaunchRecord& l : launches) {
    offset[l.id] = absolute ? 0 : end;
    summary.dropped += reader.dropped_spans(l.id);
    if (absolute) {
      continue;
    }
    const auto length = static_cast<uint64_t>(std::llround(static_cast<double>(l.cycles) * 1e6 / l.core_mhz));
    trace.span(kGpuProcess, 0, fmt::format("{}/{} {}", l.trace, l.launch, demangled(l.kernel)), end,
               end + length, fmt::format("{{\"cycles\":{},\"launch\":{}}}", l.cycles, l.id));
    ++summary.spans;
    summary.samples += counters(trace, l, reader.profile(l.id).series, end, sms);
    end += length;
  }

  Tracks tracks;
  reader.for_each_span(run.id, [&](int64_t launch, const stats::Span& s) {
    const auto [it, added] =
        tracks.pid.emplace(s.track, kGpuProcess + 1 + static_cast<int>(tracks.pid.size()));
    if (added) {
      trace.process(it->second, s.track, sort_index(s.track));
    }
    if (tracks.lanes.emplace(std::pair(it->second, s.lane), true).second) {
      trace.thread(it->second, s.lane, lane_name(s));
    }
    const auto at = offset.find(launch);
    const uint64_t base = at == offset.end() ? 0 : at->second;
    trace.span(it->second, s.lane, s.name, base + s.start_ps, base + s.end_ps, s.args);
    ++summary.spans;
  });
  trace.end();
  return summary;
}

}  // namespace heddle::analysis
