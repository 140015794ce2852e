#include <functional>

#include "sim/stats/result.h"

namespace heddle::stats {
namespace {

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

// A metric computed from others. One table serves derive() and catalogue(), so neither can forget an entry.
struct Derived {
  MetricInfo info;
  std::function<double(const KernelResult&)> value;
};

const std::vector<Derived>& derived() {
  using R = const KernelResult&;
  using C = Counter;
  static const std::vector<Derived> table = [] {
    std::vector<Derived> t = {
        {{"gpc__cycles_elapsed.max", "cycle", "core cycles from launch to end, fixed launch cost included"},
         [](R r) { return static_cast<double>(r.cycles); }},
        {{"sm__cycles_active.max", "cycle", "cycles with a resident warp, the busiest SM"},
         [](R r) { return static_cast<double>(r.sm_active_cycles_max); }},
        {{"sm__cycles_active.avg", "cycle", "cycles with a resident warp, mean over SMs"},
         [](R r) { return ratio(r.sm_active_cycles_sum, r.sms); }},
        {{"gpu__time_duration.sum", "ns", "simulated duration of the launch"},
         [](R r) { return r.seconds() * 1e9; }},
        {{"sm__inst_executed.avg.per_cycle_active", "inst/cycle",
          "warp instructions per SM cycle with a warp"},
         [](R r) { return ratio(r.totals[C::kInstExecuted], r.sm_active_cycles_sum); }},
        {{"smsp__issue_active.avg.pct_of_peak_sustained_active", "%",
          "issue slots used while a warp was resident"},
         [](R r) {
           return 100 * ratio(r.totals[C::kIssueActive],
                              static_cast<double>(r.sm_active_cycles_sum) * r.subcores_per_sm);
         }},
        {{"sm__warps_active.avg.per_cycle_active", "warp", "resident warps of an active SM, mean"},
         [](R r) { return ratio(r.totals[C::kWarpsActive], r.sm_active_cycles_sum); }},
        {{"sm__warps_active.avg.pct_of_peak_sustained_active", "%", "achieved occupancy"},
         [](R r) {
           return 100 * ratio(r.totals[C::kWarpsActive],
                              static_cast<double>(r.sm_active_cycles_sum) * r.max_warps_per_sm);
         }},
        {{"sm__maximum_warps_per_active_cycle_pct", "%", "theoretical occupancy"},
         [](R r) { return r.occupancy.theoretical_pct; }},
        {{"l1tex__t_sector_hit_rate.pct", "%", "L1 sector hits of all look-ups"},
         [](R r) { return 100 * ratio(r.totals[C::kL1SectorHits], r.totals[C::kL1Sectors]); }},
        {{"lts__t_sector_hit_rate.pct", "%",
          "L2 sector hits of all look-ups, counted as on silicon: the memory barriers at a kernel's end are "
          "more hits than look-ups, so that small kernels have above 100 (chase_l1: 191, on the H200 201). "
          "heddle__l2_hit_rate.pct has no such hits"},
         [](R r) { return 100 * ratio(r.totals[C::kL2SectorHits], r.totals[C::kL2Sectors]); }},
        {{"heddle__l2_hit_rate.pct", "%", "sectors that L1s ask L2 for and that hit, of all they ask for"},
         [](R r) { return 100 * ratio(r.totals[C::kL2FromSmHits], r.totals[C::kL2FromSm]); }},
        {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefront",
          "shared-memory wavefronts, all kinds, lane exchange included"},
         [](R r) {
           return static_cast<double>(
               r.totals[C::kSharedLdWavefronts] + r.totals[C::kSharedStWavefronts] +
               r.totals[C::kSharedAtomWavefronts] + r.totals[C::kSharedMiscWavefronts] +
               r.totals[C::kSharedGmmaWavefronts] + r.totals[C::kSharedCopyWavefronts]);
         }},
        {{"launch__occupancy_limit_blocks", "block", "blocks per SM allowed by block slots"},
         [](R r) { return static_cast<double>(r.occupancy.limit_blocks); }},
        {{"launch__occupancy_limit_registers", "block", "blocks per SM allowed by registers"},
         [](R r) { return static_cast<double>(r.occupancy.limit_registers); }},
        {{"launch__occupancy_limit_shared_mem", "block", "blocks per SM allowed by shared memory"},
         [](R r) { return static_cast<double>(r.occupancy.limit_shared); }},
        {{"launch__occupancy_limit_warps", "block", "blocks per SM allowed by warp slots"},
         [](R r) { return static_cast<double>(r.occupancy.limit_warps); }},
        {{"launch__waves_per_multiprocessor", "wave",
          "blocks over the blocks that fit on the device at once"},
         [](R r) { return r.occupancy.waves_per_sm; }},
        {{"launch__shared_mem_config_size", "byte", "shared-memory carve-out of the L1 array"},
         [](R r) { return static_cast<double>(r.occupancy.shared_carveout_bytes); }},
        {{"launch__registers_per_thread", "register", "registers per thread"},
         [](R r) { return static_cast<double>(r.shape.registers_per_thread); }},
        {{"launch__block_size", "thread", "threads per block"},
         [](R r) { return static_cast<double>(r.shape.threads()); }},
        {{"launch__grid_size", "block", "blocks of the grid"},
         [](R r) { return static_cast<double>(r.shape.grid.count()); }},
    };
    t.reserve(t.size() + kStallCount);
    for (int i = 0; i < kStallCount; ++i) {
      std::string n(kStallInfo[i].name);
      t.push_back({{"smsp__average_warps_issue_stalled_" + n + "_per_issue_active.ratio", "warp",
                    "warps per issue that: " + std::string(kStallInfo[i].meaning)},
                   [i](R r) { return ratio(r.totals.stall[i], r.totals[C::kIssueActive]); }});
    }
    return t;
  }();
  return table;
}

}  // namespace

std::vector<Metric> derive(const KernelResult& r) {
  std::vector<Metric> out;
  out.reserve(kCounterCount + derived().size());
  for (int i = 0; i < kCounterCount; ++i) {
    out.push_back({std::string(kCounterInfo[i].name), static_cast<double>(r.totals.count[i])});
  }
  for (const Derived& d : derived()) {
    out.push_back({d.info.name, d.value(r)});
  }
  return out;
}

const std::vector<MetricInfo>& catalogue() {
  static const std::vector<MetricInfo> all = [] {
    std::vector<MetricInfo> c;
    c.reserve(kCounterCount + derived().size());
    for (const CounterInfo& i : kCounterInfo) {
      c.push_back({std::string(i.name), std::string(i.unit), std::string(i.meaning)});
    }
    for (const Derived& d : derived()) {
      c.push_back(d.info);
    }
    return c;
  }();
  return all;
}

}  // namespace heddle::stats
