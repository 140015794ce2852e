#include "analysis/report/relation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/report/format.h"

namespace heddle::analysis {
namespace {

constexpr std::string_view kStalls = "stalls";

// Of a relation's term; nothing where the database has no value.
std::optional<double> value_of(const LaunchRecord& l, std::string_view name) {
  const auto& cycles = l.stall_warp_cycles;
  if (name == kStalls) {
    return static_cast<double>(std::accumulate(cycles.begin(), cycles.end(), uint64_t{0}));
  }
  if (name.starts_with(kStalls)) {
    const std::string_view reason = name.substr(kStalls.size() + 1);
    const auto at = std::find_if(stats::kStallInfo.begin(), stats::kStallInfo.end(),
                                 [&](const stats::StallInfo& s) { return s.name == reason; });
    return at == stats::kStallInfo.end()
               ? std::nullopt
               : std::optional(static_cast<double>(cycles[at - stats::kStallInfo.begin()]));
  }
  return l.metric(name);
}

}  // namespace

std::vector<std::string> broken_relations(const LaunchRecord& launch) {
  std::vector<std::string> out;
  for (const stats::Relation& r : stats::relations()) {
    bool known = true;
    const auto side = [&](const std::vector<stats::RelationTerm>& terms) {
      double sum = 0;
      for (const stats::RelationTerm& t : terms) {
        const std::optional<double> v = value_of(launch, t.name);
        known = known && v;
        sum += t.factor * v.value_or(0);
      }
      return sum;
    };
    const double left = side(r.left), right = side(r.right);
    if (known && !r.holds([&](std::string_view name) { return *value_of(launch, name); })) {
      out.push_back(fmt::format("{}: {} against {}", r.text(), number(left), number(right)));
    }
  }
  return out;
}

std::string relations_text(std::string_view part) {
  std::string out;
  for (const stats::Relation& r : stats::relations()) {
    if (const std::string text = r.text(); text.find(part) != std::string::npos) {
      out += fmt::format("{}\n    {}\n", text, r.why);
    }
  }
  return out;
}

}  // namespace heddle::analysis
