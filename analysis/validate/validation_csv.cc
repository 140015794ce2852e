#include "analysis/validate/validation_csv.h"

#include <fmt/format.h>

#include "analysis/validate/csv.h"

namespace heddle::analysis {

std::string validation_csv(std::span<const Match> matches, const std::vector<std::string>& metrics) {
  std::string out = "name,launch,metric,measured,simulated,relative_error\n";
  for (const Match& m : matches) {
    for (const std::string& metric : metrics) {
      const std::optional<double> measured = m.reference.value(metric);
      if (!measured) {
        continue;
      }
      out += fmt::format("{},{},{},{},", csv_field(m.reference.name), m.reference.launch, csv_field(metric),
                         *measured);
      if (const auto simulated = m.launch ? simulated_value(*m.launch, metric) : std::nullopt) {
        const std::optional<double> e = relative_error({*measured, *simulated});
        out += fmt::format("{},{}", *simulated, e ? fmt::format("{:.6f}", *e) : "");
      } else {
        out += ",";
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace heddle::analysis
