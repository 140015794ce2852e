#include "analysis/validate/comparison.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::analysis {

std::string Match::label() const {
  return reference.launch == 1 ? reference.name : fmt::format("{}/{}", reference.name, reference.launch);
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

StallAgreement compare_stalls(std::span<const Match> matches) {
  StallAgreement out;
  std::vector<std::string> names, metrics;
  for (int i = 0; i < stats::kStallCount; ++i) {
    if (i == static_cast<int>(stats::Stall::kSelected)) {
      continue;
    }
    std::string name(stats::kStallInfo[i].name);
    std::string metric = stall_metric(name);
    const MetricValues values = common_values(matches, metric);
    if (values.pairs.empty()) {
      continue;
    }
    StallAgreement::Reason r;
    r.name = name;
    r.kernels = values.pairs.size();
    for (const Pair& p : values.pairs) {
      const auto n = static_cast<double>(r.kernels);
      r.mean_measured += p.measured / n;
      r.mean_simulated += p.simulated / n;
      r.mean_difference += std::fabs(p.simulated - p.measured) / n;
    }
    out.reasons.push_back(std::move(r));
    names.push_back(std::move(name));
    metrics.push_back(std::move(metric));
  }
  for (const Match& m : matches) {
    if (!m.launch) {
      continue;
    }
    StallAgreement::Kernel k;
    k.label = m.label();
    double measured = 0, simulated = 0;
    bool any = false;
    for (size_t i = 0; i < metrics.size(); ++i) {
      const std::optional<double> a = m.reference.value(metrics[i]);
      const std::optional<double> b = m.launch->metric(metrics[i]);
      any = any || (a && b);
      if (a && b && *a > measured) {
        measured = *a;
        k.measured = names[i];
      }
      if (a && b && *b > simulated) {
        simulated = *b;
        k.simulated = names[i];
      }
    }
    if (any) {
      out.kernels.push_back(std::move(k));
    }
  }
  return out;
}

}  // namespace heddle::analysis
