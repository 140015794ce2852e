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
                     {"simulated", Align::kLeft},
                     {"", Align::kLeft}});
  size_t agree = 0;
  auto shown = [](const std::string& reason) { return reason.empty() ? "none" : reason; };
  for (const StallAgreement::Kernel& k : stalls.kernels) {
    agree += k.agrees();
    kernels.add({k.label, shown(k.measured), shown(k.simulated), k.agrees() ? "" : "differs"});
  }
  TextTable reasons({{"stall reason, warps per issue", Align::kLeft},
                     {"kernels"},
                     {"measured"},
                     {"simulated"},
                     {"mean |difference|"}});
  for (const StallAgreement::Reason& r : stalls.reasons) {
    reasons.add({r.name, grouped(r.kernels), fmt::format("{:.2f}", r.mean_measured),
                 fmt::format("{:.2f}", r.mean_simulated), fmt::format("{:.2f}", r.mean_difference)});
  }
  return fmt::format("{}\n{}\nlargest stall reason agrees for {} of {} kernels\n", kernels.str(),
                     reasons.str(), agree, stalls.kernels.size());
}

}  // namespace heddle::analysis
