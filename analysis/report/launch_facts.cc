#include "analysis/report/launch_facts.h"

#include <algorithm>
#include <numeric>

namespace heddle::analysis {
namespace {

void find_limiter(const LaunchRecord& launch, LaunchFacts& f) {
  struct Limit {
    const char* name;
    double blocks;
  };
  const Limit limits[] = {
      {"warps", launch.metric_or_zero("launch__occupancy_limit_warps")},
      {"registers", launch.metric_or_zero("launch__occupancy_limit_registers")},
      {"shared", launch.metric_or_zero("launch__occupancy_limit_shared_mem")},
      {"blocks", launch.metric_or_zero("launch__occupancy_limit_blocks")},
  };
  const double least =
      std::min_element(std::begin(limits), std::end(limits), [](const Limit& a, const Limit& b) {
        return a.blocks < b.blocks;
      })->blocks;
  f.blocks_per_sm = static_cast<uint64_t>(least);
  for (const Limit& l : limits) {
    if (l.blocks == least) {
      f.limiter += (f.limiter.empty() ? "" : "+") + std::string(l.name);
    }
  }
}

std::optional<double> hit_rate(const LaunchRecord& launch, const LookUps& l) {
  const double sectors = launch.metric_or_zero(l.sectors);
  return sectors > 0 ? std::optional(100 * launch.metric_or_zero(l.hits) / sectors) : std::nullopt;
}

}  // namespace

LaunchFacts facts(const LaunchRecord& launch) {
  LaunchFacts f;
  f.seconds = launch.core_mhz > 0 ? static_cast<double>(launch.cycles) / (launch.core_mhz * 1e6) : 0;
  f.ipc = launch.metric_or_zero("sm__inst_executed.avg.per_cycle_active");
  f.issue_pct = launch.metric_or_zero("smsp__issue_active.avg.pct_of_peak_sustained_active");
  f.achieved_pct = launch.metric_or_zero("sm__warps_active.avg.pct_of_peak_sustained_active");
  f.theoretical_pct = launch.metric_or_zero("sm__maximum_warps_per_active_cycle_pct");
  find_limiter(launch, f);
  f.l1_hit_pct = hit_rate(launch, kL1LookUps);
  f.l2_hit_pct = hit_rate(launch, kL2LookUps);
  f.dram_bytes =
      launch.metric_or_zero("dram__bytes_read.sum") + launch.metric_or_zero("dram__bytes_write.sum");
  f.dram_bandwidth = f.seconds > 0 ? f.dram_bytes / f.seconds : 0;

  const auto& cycles = launch.stall_warp_cycles;
  const auto total = static_cast<double>(std::accumulate(cycles.begin(), cycles.end(), uint64_t{0}));
  for (int i = 0; i < stats::kStallCount; ++i) {
    if (cycles[i] > 0 && i != static_cast<int>(stats::Stall::kSelected)) {
      f.stalls.push_back({stats::kStallInfo[i].name, 100 * static_cast<double>(cycles[i]) / total});
    }
  }
  // Stable: equal shares stay in the vocabulary's order.
  std::stable_sort(f.stalls.begin(), f.stalls.end(),
                   [](const StallShare& a, const StallShare& b) { return a.percent > b.percent; });
  return f;
}

}  // namespace heddle::analysis
