#include "analysis/validate/validation_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/format.h"
#include "analysis/report/table.h"

namespace heddle::analysis {
namespace {

using Align = TextTable::Align;

std::string percent(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

std::string coefficient(const std::optional<double>& r) {
  return r ? fmt::format("{:.4f}", *r) : "undefined";
}

std::string signed_error(const Pair& p) {
  const std::optional<double> e = relative_error(p);
  return e ? fmt::format("{:+.1f} %", *e * 100) : "undefined";
}

}  // namespace

std::string kernel_table(std::span<const Match> matches, std::string_view metric) {
  TextTable t({{"kernel", Align::kLeft}, {"measured"}, {"simulated"}, {"error"}, {"", Align::kLeft}});
  for (const Match& m : matches) {
    const std::optional<double> measured = m.reference.value(metric);
    if (!measured) {
      continue;
    }
    const std::optional<double> simulated = m.launch ? simulated_value(*m.launch, metric) : std::nullopt;
    if (simulated) {
      t.add({m.label(), number(*measured), number(*simulated), signed_error({*measured, *simulated})});
    } else {
      t.add({m.label(), number(*measured), "-", "-", m.launch ? "not simulated" : "failed: " + m.failure});
    }
  }
  return t.str();
}

std::string error_summary(std::span<const Match> matches, const MetricValues& values,
                          std::string_view title) {
  const ErrorStats s = error_stats(values.pairs);
  if (s.count == 0) {
    return fmt::format("{}: no kernel has both a measured and a simulated value\n", title);
  }
  std::string out = fmt::format(
      "{}: error of {} kernels: mean {}, median {}, 90th percentile {}, largest {} ({}), bias {:+.1f} %\n",
      title, s.count, percent(s.mean), percent(s.median), percent(s.p90), percent(s.largest),
      matches[values.match[s.largest_at]].label(), s.bias * 100);
  out += "  within";
  for (size_t i = 0; i < kErrorBounds.size(); ++i) {
    out += fmt::format("{} {} %: {}", i ? "," : "", kErrorBounds[i], s.within[i]);
  }
  out += fmt::format(" of {}; correlation {}, of logarithms {}", s.count, coefficient(s.correlation),
                     coefficient(s.log_correlation));
  if (s.undefined) {
    out += fmt::format("; {} measured as 0 but simulated as more, not counted", s.undefined);
  }
  return out + "\n";
}

std::string metrics_overview(const std::vector<MetricSummary>& metrics) {
  TextTable t({{"metric", Align::kLeft},
               {"kernels"},
               {"exact"},
               {"mean |rel. error|"},
               {"mean |difference|"},
               {"unit", Align::kLeft}});
  for (const MetricSummary& m : metrics) {
    std::string relative = m.undefined < m.kernels ? percent(m.mean_relative) : "-";
    if (m.undefined) {
      relative += '*';
    }
    t.add({m.metric, grouped(m.kernels), grouped(m.exact), relative, number(m.mean_difference), m.unit});
  }
  const bool marked =
      std::any_of(metrics.begin(), metrics.end(), [](const auto& m) { return m.undefined > 0; });
  return t.str() + (marked ? "* without the kernels where 0 was measured and more simulated\n" : "");
}

std::string stall_text(const StallAgreement& stalls) {
  TextTable kernels({{"kernel", Align::kLeft},
                     {"largest stall measured", Align::kLeft},
                     {"%"},
                     {"simulated", Align::kLeft},
                     {"%"},
                     {"", Align::kLeft}});
  auto shown = [](const std::string& reason) { return reason.empty() ? "none" : reason; };
  for (const StallAgreement::Kernel& k : stalls.kernels) {
    kernels.add({k.label, shown(k.measured), fmt::format("{:.1f}", k.measured_share), shown(k.simulated),
                 fmt::format("{:.1f}", k.simulated_share), k.agrees() ? "" : "differs"});
  }
  TextTable reasons({{"stall reason, % of the warps' time", Align::kLeft},
                     {"kernels"},
                     {"measured"},
                     {"simulated"},
                     {"mean |difference|"}});
  for (const StallAgreement::Reason& r : stalls.reasons) {
    reasons.add({r.name, grouped(r.kernels), fmt::format("{:.2f}", r.mean_measured),
                 fmt::format("{:.2f}", r.mean_simulated), fmt::format("{:.2f}", r.mean_difference)});
  }
  const size_t agree = stalls.agreeing(), n = stalls.kernels.size();
  return fmt::format(
      "{}\n{}\nlargest stall reason agrees for {} of {} kernels{}\n", kernels.str(), reasons.str(), agree, n,
      n ? fmt::format(", {:.0f} %", 100.0 * static_cast<double>(agree) / static_cast<double>(n)) : "");
}

std::string split_text(std::span<const Match> matches, std::string_view metric, std::string_view title) {
  const std::array<MetricValues, 2> halves = alternate_halves(matches, metric);
  TextTable t({{fmt::format("{}, error of", title), Align::kLeft},
               {"kernels"},
               {"mean"},
               {"median"},
               {"90th percentile"},
               {"largest"},
               {"bias"}});
  std::array<ErrorStats, 2> s;
  for (size_t i = 0; i < 2; ++i) {
    s[i] = error_stats(halves[i].pairs);
    t.add({i ? "kernels 2, 4, 6, ..." : "kernels 1, 3, 5, ...", grouped(s[i].count), percent(s[i].mean),
           percent(s[i].median), percent(s[i].p90), percent(s[i].largest),
           fmt::format("{:+.1f} %", s[i].bias * 100)});
  }
  auto points = [&](double ErrorStats::*field) {
    return fmt::format("{:+.1f}", (s[1].*field - s[0].*field) * 100);
  };
  t.add({"difference in points", "", points(&ErrorStats::mean), points(&ErrorStats::median),
         points(&ErrorStats::p90), points(&ErrorStats::largest), points(&ErrorStats::bias)});
  return t.str();
}

}  // namespace heddle::analysis
