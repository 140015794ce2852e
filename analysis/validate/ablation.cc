#include "analysis/validate/ablation.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/report/format.h"
#include "analysis/report/table.h"

namespace heddle::analysis {
namespace {

constexpr double kPoint = 0.01;

double points(double fraction) { return fraction * 100; }

}  // namespace

AblationRow ablation_row(std::span<const Match> matches, std::span<const Match> all) {
  AblationRow row;
  const MetricValues cycles = common_values(matches, kCycles);
  row.cycles = error_stats(cycles.pairs);
  row.sm_active = error_stats(common_values(matches, kSmActiveCycles).pairs);
  if (row.cycles.count > 0) {
    row.largest = matches[cycles.match[row.cycles.largest_at]].label();
  }
  for (size_t i = 0; i < matches.size(); ++i) {
    const auto& with = matches[i].launch;
    const auto& without = all[i].launch;
    row.failed += !with;
    const std::optional<double> measured = matches[i].reference.value(kCycles);
    if (!with || !without || !measured || *measured == 0) {
      continue;
    }
    row.warp_instructions += with->warp_instructions;
    const double mine = static_cast<double>(with->cycles) / *measured - 1;
    const double base = static_cast<double>(without->cycles) / *measured - 1;
    row.worse += std::fabs(mine) > std::fabs(base) + kPoint;
    row.better += std::fabs(mine) < std::fabs(base) - kPoint;
    if (std::fabs(mine - base) > std::fabs(row.most_difference)) {
      row.most = matches[i].label();
      row.most_difference = mine - base;
    }
  }
  return row;
}

std::string ablation_text(std::span<const AblationRow> rows) {
  using Align = TextTable::Align;
  TextTable t({{"without", Align::kLeft},
               {"mean"},
               {"median"},
               {"P90"},
               {"largest"},
               {"SM-active"},
               {"points"},
               {"worse"},
               {"better"},
               {"most changed", Align::kLeft},
               {"by"},
               {"M warp-inst/s"},
               {"speed"}});
  for (const AblationRow& r : rows) {
    const AblationRow& base = rows.front();
    const bool first = &r == &base;
    auto percent = [](double f) { return fmt::format("{:.1f} %", points(f)); };
    t.add({r.failed ? fmt::format("{} ({} failed)", r.name, r.failed) : r.name, percent(r.cycles.mean),
           percent(r.cycles.median), percent(r.cycles.p90), percent(r.cycles.largest),
           percent(r.sm_active.mean),
           first ? "" : fmt::format("{:+.2f}", points(r.cycles.mean - base.cycles.mean)),
           first ? "" : fmt::format("{}", r.worse), first ? "" : fmt::format("{}", r.better), r.most,
           r.most.empty() ? "" : fmt::format("{:+.1f} %", points(r.most_difference)),
           fmt::format("{:.2f}", r.rate() / 1e6),
           base.rate() > 0 ? fmt::format("{:.2f}x", r.rate() / base.rate()) : ""});
  }
  return t.str() +
         "points: mean error less the default's; worse, better: kernels whose error differs from the "
         "default's "
         "by more\nthan a point; by: of the measured cycles; speed: per second of processor time, and "
         "against "
         "the default\n";
}

std::string ablation_csv(std::span<const AblationRow> rows) {
  std::string out =
      "ablation,instead,config,kernels,failed,mean,median,p90,largest,largest_kernel,sm_active_mean,"
      "difference,"
      "worse,better,most_changed,most_changed_by,warp_instructions,cpu_seconds,rate_ratio\n";
  for (const AblationRow& r : rows) {
    const AblationRow& base = rows.front();
    out += fmt::format(
        "{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{},{:.6f},{:.6f},{},{},{},{:.6f},{},{:.2f},{:.3f}\n",
        csv_field(r.name), csv_field(r.instead), r.config_hash, r.cycles.count, r.failed, r.cycles.mean,
        r.cycles.median, r.cycles.p90, r.cycles.largest, csv_field(r.largest), r.sm_active.mean,
        r.cycles.mean - base.cycles.mean, r.worse, r.better, csv_field(r.most), r.most_difference,
        r.warp_instructions, r.cpu_seconds, base.rate() > 0 ? r.rate() / base.rate() : 0);
  }
  return out;
}

}  // namespace heddle::analysis
