#include "analysis/report/host_report.h"

#include <fmt/format.h>

#include "analysis/report/table.h"

namespace heddle::analysis {
namespace {

double us(uint64_t ps) { return static_cast<double>(ps) / 1e6; }

}  // namespace

std::string track_table(const std::vector<TrackUse>& tracks, uint64_t end_ps) {
  TextTable table({{"track", TextTable::Align::kLeft}, {"spans"}, {"busy us"}, {"busy %"}});
  for (const TrackUse& t : tracks) {
    const double percent = end_ps ? 100 * us(t.busy_ps) / us(end_ps) : 0;
    table.add({t.track, std::to_string(t.spans), fmt::format("{:.3f}", us(t.busy_ps)),
               fmt::format("{:.1f}", percent)});
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
