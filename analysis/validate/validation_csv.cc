#include "analysis/validate/validation_csv.h"

#include <fmt/format.h>

#include "analysis/report/format.h"

namespace heddle::analysis {

namespace {

std::string row(const Match& m, std::string_view metric, double measured, std::optional<double> simulated) {
  std::string out = fmt::format("{},{},{},{},", csv_field(m.reference.name), m.reference.launch,
                                csv_field(metric), measured);
  if (!simulated) {
    return out + ",\n";
  }
  const std::optional<double> e = relative_error({measured, *simulated});
  return out + fmt::format("{},{}\n", *simulated, e ? fmt::format("{:.6f}", *e) : "");
}

}  // namespace

std::string validation_csv(std::span<const Match> matches, const std::vector<std::string>& metrics) {
  std::string out = "name,launch,metric,measured,simulated,relative_error\n";
  for (const Match& m : matches) {
    for (const std::string& metric : metrics) {
      if (const std::optional<double> measured = m.reference.value(metric)) {
        out += row(m, metric, *measured, m.launch ? simulated_value(*m.launch, metric) : std::nullopt);
      }
    }
  }
  return out;
}

std::string stall_csv(std::span<const Match> matches) {
  std::string out;
  for (const StallShare& s : stall_shares(matches)) {
    out += row(matches[s.match], "stall_share." + s.reason, s.share.measured, s.share.simulated);
  }
  return out;
}

}  // namespace heddle::analysis
