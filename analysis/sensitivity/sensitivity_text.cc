#include "analysis/sensitivity/sensitivity_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/format.h"
#include "analysis/report/table.h"

namespace heddle::analysis {

std::string sensitivity_text(std::span<const Sensitivity> all, size_t launches, size_t most) {
  const auto matter =
      static_cast<size_t>(std::ranges::count_if(all, [](const Sensitivity& s) { return s.change > 0; }));
  TextTable t({{"assumed value", TextTable::Align::kLeft}, {"is"}, {"changes the cycles by"}});
  for (const Sensitivity& s : all.first(std::min(matter, most))) {
    t.add({s.path, s.value, fmt::format("{:.1f} %", 100 * s.change)});
  }
  return fmt::format("{} of {} assumed numbers outside the host matter to the cycles of {} launches\n",
                     matter, all.size(), launches) +
         (t.empty() ? "" : t.str()) +
         fmt::format(
             "the largest change of a launch when the number is a tenth larger or smaller, whole numbers by "
             "1 "
             "at least;\nless than {:g} % does not matter\n",
             100 * kLeastChange);
}

std::string sensitivity_csv_header() { return "gpu,value,is,change\n"; }

std::string sensitivity_csv(std::span<const Sensitivity> all, const std::string& gpu) {
  std::string out;
  for (const Sensitivity& s : all) {
    out += fmt::format("{},{},{},{}\n", csv_field(gpu), csv_field(s.path), s.value, s.change);
  }
  return out;
}

}  // namespace heddle::analysis
