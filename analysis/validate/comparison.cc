#include "analysis/validate/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace heddle::analysis {

std::string Match::label() const {
  return reference.launch == 1 ? reference.name : fmt::format("{}/{}", reference.name, reference.launch);
}

std::string other_shape(const ReferenceRow& row, const isa::LaunchShape& shape) {
  const auto text = [](const isa::Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); };
  for (const auto& [name, measured, simulated] :
       {std::tuple("grid", row.grid, shape.grid), std::tuple("block", row.block, shape.block),
        std::tuple("cluster", row.cluster, shape.cluster)}) {
    if (measured && *measured != simulated) {
      return fmt::format("its {} is {}, the table's {}", name, text(simulated), text(*measured));
    }
  }
  for (const auto& [metric, simulated] : {std::pair("launch__grid_size", shape.grid.count()),
                                          std::pair("launch__block_size", uint64_t{shape.threads()})}) {
    const std::optional<double> measured = row.value(metric);
    if (measured && *measured != static_cast<double>(simulated)) {
      return fmt::format("its {} is {}, the table's {:.0f}", metric, simulated, *measured);
    }
  }
  return "";
}

std::optional<double> simulated_value(const LaunchRecord& launch, std::string_view metric) {
  if (metric == kCycles) {
    return static_cast<double>(launch.cycles);
  }
  if (metric == kSmActiveCycles) {
    return static_cast<double>(launch.sm_active_cycles);
  }
  return launch.metric(metric);
}

MetricValues common_values(std::span<const Match> matches, std::string_view metric) {
  MetricValues out;
  for (size_t i = 0; i < matches.size(); ++i) {
    const std::optional<LaunchRecord>& launch = matches[i].launch;
    if (!launch) {
      continue;
    }
    const std::optional<double> m = matches[i].reference.value(metric);
    const std::optional<double> s = simulated_value(*launch, metric);
    if (m && s) {
      out.match.push_back(i);
      out.pairs.push_back({*m, *s});
    }
  }
  return out;
}

std::vector<MetricSummary> summarize_metrics(std::span<const Match> matches) {
  constexpr double kRounding = 0.005 + 1e-9;
  std::vector<MetricSummary> out;
  for (const stats::MetricInfo& info : stats::catalogue()) {
    const MetricValues values = common_values(matches, info.name);
    if (values.pairs.empty()) {
      continue;
    }
    MetricSummary s;
    s.metric = info.name;
    s.unit = info.unit;
    s.kernels = values.pairs.size();
    for (const Pair& p : values.pairs) {
      const double difference = std::fabs(p.simulated - p.measured);
      s.exact += difference <= kRounding;
      s.mean_difference += difference / static_cast<double>(s.kernels);
    }
    const ErrorStats e = error_stats(values.pairs);
    s.mean_relative = e.mean;
    s.undefined = e.undefined;
    out.push_back(std::move(s));
  }
  return out;
}

std::vector<StallShare> stall_shares(std::span<const Match> matches) {
  std::array<std::string, stats::kStallCount> metrics;
  for (int i = 0; i < stats::kStallCount; ++i) {
    metrics[i] = stall_metric(stats::kStallInfo[i].name);
  }
  std::vector<StallShare> out;
  for (size_t m = 0; m < matches.size(); ++m) {
    const size_t first = out.size();
    Pair total;
    const auto& launch = matches[m].launch;
    for (int i = 0; launch && i < stats::kStallCount; ++i) {
      const std::optional<double> a = matches[m].reference.value(metrics[i]);
      const std::optional<double> b = launch->metric(metrics[i]);
      if (!a || !b) {
        continue;
      }
      total.measured += *a;
      total.simulated += *b;
      if (i != static_cast<int>(stats::Stall::kSelected)) {
        out.push_back({m, std::string(stats::kStallInfo[i].name), {*a, *b}});
      }
    }
    for (size_t i = first; i < out.size(); ++i) {
      Pair& p = out[i].share;
      p.measured = total.measured > 0 ? 100 * p.measured / total.measured : 0;
      p.simulated = total.simulated > 0 ? 100 * p.simulated / total.simulated : 0;
    }
  }
  return out;
}

size_t StallAgreement::agreeing() const {
  return static_cast<size_t>(
      std::count_if(kernels.begin(), kernels.end(), [](const Kernel& k) { return k.agrees(); }));
}

StallAgreement compare_stalls(std::span<const Match> matches) {
  StallAgreement out;
  std::array<StallAgreement::Reason, stats::kStallCount> reasons;
  size_t last = matches.size();
  for (const StallShare& s : stall_shares(matches)) {
    if (s.match != last) {
      last = s.match;
      out.kernels.push_back({matches[s.match].label(), "", ""});
    }
    StallAgreement::Kernel& k = out.kernels.back();
    if (s.share.measured > k.measured_share) {
      k.measured = s.reason;
      k.measured_share = s.share.measured;
    }
    if (s.share.simulated > k.simulated_share) {
      k.simulated = s.reason;
      k.simulated_share = s.share.simulated;
    }
    const auto at = std::find_if(stats::kStallInfo.begin(), stats::kStallInfo.end(),
                                 [&](const stats::StallInfo& i) { return i.name == s.reason; });
    StallAgreement::Reason& r = reasons[at - stats::kStallInfo.begin()];
    r.name = s.reason;
    ++r.kernels;
    r.mean_measured += s.share.measured;
    r.mean_simulated += s.share.simulated;
    r.mean_difference += std::fabs(s.share.simulated - s.share.measured);
  }
  for (StallAgreement::Reason& r : reasons) {
    if (r.kernels > 0) {
      const auto n = static_cast<double>(r.kernels);
      r.mean_measured /= n;
      r.mean_simulated /= n;
      r.mean_difference /= n;
      out.reasons.push_back(std::move(r));
    }
  }
  return out;
}

std::array<MetricValues, 2> alternate_halves(std::span<const Match> matches, std::string_view metric) {
  const MetricValues all = common_values(matches, metric);
  std::array<MetricValues, 2> out;
  for (size_t i = 0; i < all.pairs.size(); ++i) {
    MetricValues& half = out[all.match[i] % 2];
    half.match.push_back(all.match[i]);
    half.pairs.push_back(all.pairs[i]);
  }
  return out;
}

}  // namespace heddle::analysis
