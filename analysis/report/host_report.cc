#include "analysis/report/host_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/table.h"

namespace heddle::analysis {
namespace {

double us(uint64_t ps) { return static_cast<double>(ps) / 1e6; }

}  // namespace

std::string track_table(const std::vector<TrackUse>& tracks, const std::vector<RunCounter>& counters) {
  TextTable table({{"track", TextTable::Align::kLeft}, {"spans"}, {"busy us"}, {"busy %"}, {"waiting us"}});
  const uint64_t end = counter(counters, kRunTime);
  for (const TrackUse& t : tracks) {
    const uint64_t waiting = std::min(t.busy_ps, counter(counters, t.track + kWaiting));
    const uint64_t busy = t.busy_ps - waiting;
    table.add({t.track, std::to_string(t.spans), fmt::format("{:.3f}", us(busy)),
               fmt::format("{:.1f}", end ? 100 * us(busy) / us(end) : 0),
               waiting > 0 ? fmt::format("{:.3f}", us(waiting)) : ""});
  }
  return table.str();
}

std::string counter_lines(const std::vector<RunCounter>& counters) {
  std::string out;
  for (const RunCounter& c : counters) {
    out += c.name.ends_with(" ps")
               ? fmt::format("{}us {:.3f}\n", c.name.substr(0, c.name.size() - 2), us(c.value))
               : fmt::format("{} {}\n", c.name, c.value);
  }
  return out;
}

uint64_t counter(const std::vector<RunCounter>& counters, std::string_view name) {
  for (const RunCounter& c : counters) {
    if (c.name == name) {
      return c.value;
    }
  }
  return 0;
}

}  // namespace heddle::analysis
