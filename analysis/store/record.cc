#include "analysis/store/record.h"

#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace heddle::analysis {

std::optional<size_t> metric_index(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, size_t> m;
    for (size_t i = 0; i < stats::catalogue().size(); ++i) {
      m.emplace(stats::catalogue()[i].name, i);
    }
    return m;
  }();
  auto it = index.find(name);
  return it == index.end() ? std::nullopt : std::optional<size_t>(it->second);
}

std::optional<double> LaunchRecord::metric(std::string_view name) const {
  std::optional<size_t> i = metric_index(name);
  if (!i || *i >= values.size() || std::isnan(values[*i])) {
    return std::nullopt;
  }
  return values[*i];
}

std::string stall_metric(std::string_view reason) {
  return "smsp__average_warps_issue_stalled_" + std::string(reason) + "_per_issue_active.ratio";
}

LaunchRecord make_record(stats::KernelResult result) {
  LaunchRecord r;
  r.kernel = result.kernel;
  r.kernel_id = result.kernel_id;
  r.shape = result.shape;
  r.core_mhz = result.core_mhz;
  r.cycles = result.cycles;
  r.sm_active_cycles = result.sm_active_cycles_max;
  r.warp_instructions = result.totals[stats::Counter::kInstExecuted];
  r.used_control_bits = result.used_control_bits;
  r.values.assign(stats::catalogue().size(), std::numeric_limits<double>::quiet_NaN());
  for (const stats::Metric& m : stats::derive(result)) {
    if (std::optional<size_t> i = metric_index(m.name)) {
      r.values[*i] = m.value;
    }
  }
  r.stall_warp_cycles = result.totals.stall;
  r.unknown_opcodes = result.unknown_opcodes;
  r.sampling = result.sampling;
  r.profile = std::move(result.profile);
  r.flop = flops_of(r.profile);
  return r;
}

}  // namespace heddle::analysis
