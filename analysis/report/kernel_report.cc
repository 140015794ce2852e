#include "analysis/report/kernel_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analysis/report/format.h"
#include "analysis/report/launch_facts.h"
#include "analysis/report/run_report.h"
#include "analysis/report/table.h"

namespace heddle::analysis {
namespace {

std::string dim(const isa::Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

// Collects "  label   value" lines under a title.
class Section {
 public:
  Section(std::string& out, std::string_view title) : out_(out) { out_ += fmt::format("{}\n", title); }
  void line(std::string_view label, const std::string& value) {
    out_ += fmt::format("  {:<22}{}\n", label, value);
  }

 private:
  std::string& out_;
};

constexpr double kShownRoof = 1;  // per cent

// A mark for every started 5 %.
std::string bar(double percent) {
  return std::string(static_cast<size_t>(std::clamp(std::ceil(percent / 5), 0.0, 20.0)), '#');
}

std::string bound_by(const std::vector<Roof>& roofs, const LaunchFacts& f) {
  if (roofs[0].percent > kBoundPct) {
    return bottleneck(roofs);
  }
  std::string out = fmt::format("latency: no roof above {:.0f} %", kBoundPct);
  if (!f.stalls.empty()) {
    out += fmt::format("; {} is {:.0f} % of warp-cycles", f.stalls[0].reason, f.stalls[0].percent);
  }
  return out;
}

std::string hit(const LaunchRecord& l, const LookUps& of, const std::optional<double>& pct) {
  return pct ? fmt::format("{:.1f} % of {} sectors ({} hit)", *pct, number(l.metric_or_zero(of.sectors)),
                           number(l.metric_or_zero(of.hits)))
             : "no look-ups";
}

}  // namespace

std::string kernel_details(const LaunchRecord& l, const std::vector<Roof>& roofs) {
  const LaunchFacts f = facts(l);
  std::string out = fmt::format("{} launch {}: {}\n", l.trace, l.launch, demangled(l.kernel));
  Section launch(out, "launch");
  launch.line("grid, block", fmt::format("{}, {}", dim(l.shape.grid), dim(l.shape.block)));
  if (l.shape.cluster.count() > 1) {
    launch.line("cluster", dim(l.shape.cluster));
  }
  launch.line("registers per thread", grouped(l.shape.registers_per_thread));
  launch.line("shared per block",
              fmt::format("{} static + {} dynamic bytes", grouped(l.shape.static_shared_bytes),
                          grouped(l.shape.dynamic_shared_bytes)));

  Section time(out, "time");
  time.line("cycles",
            fmt::format("{}, {} at {:.0f} MHz", grouped(l.cycles), duration(f.seconds), l.core_mhz));
  if (l.sampling.requested) {
    time.line("sampling", sampling_text(l));
  }
  time.line("SM-active cycles", fmt::format("{} busiest SM, {} mean", grouped(l.sm_active_cycles),
                                            number(l.metric_or_zero("sm__cycles_active.avg"))));

  if (!roofs.empty()) {
    time.line("bound by", bound_by(roofs, f));
    Section limits(out, "roofs, % of the peak over all cycles");
    for (const Roof& r : roofs) {
      if (r.percent >= kShownRoof) {
        limits.line(r.name, fmt::format("{:>5.1f}  {}", r.percent, bar(r.percent)));
      }
    }
  }

  Section occupancy(out, "occupancy");
  occupancy.line("achieved", fmt::format("{:.1f} %, {:.1f} warps of an active SM", f.achieved_pct,
                                         l.metric_or_zero("sm__warps_active.avg.per_cycle_active")));
  occupancy.line("theoretical", fmt::format("{:.1f} %, {} blocks per SM, limited by {}", f.theoretical_pct,
                                            f.blocks_per_sm, f.limiter));
  occupancy.line("waves", fmt::format("{:.2f}", l.metric_or_zero("launch__waves_per_multiprocessor")));

  Section issue(out, "issue");
  issue.line("warp instructions", grouped(l.warp_instructions));
  issue.line("IPC", fmt::format("{:.2f} per SM and active cycle", f.ipc));
  issue.line("issue slots used", fmt::format("{:.1f} %", f.issue_pct));
  issue.line("dependences", l.used_control_bits ? "control bits" : "register scoreboard");

  Section memory(out, "memory");
  memory.line("L1 hits", hit(l, kL1LookUps, f.l1_hit_pct));
  memory.line("L2 hits", hit(l, kL2LookUps, f.l2_hit_pct));
  memory.line("DRAM",
              fmt::format("{} read, {} written, {}", quantity(l.metric_or_zero("dram__bytes_read.sum"), "B"),
                          quantity(l.metric_or_zero("dram__bytes_write.sum"), "B"),
                          quantity(f.dram_bandwidth, "B/s")));
  memory.line(
      "shared memory",
      fmt::format("{} wavefronts, {} bank conflicts",
                  number(l.metric_or_zero("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")),
                  number(l.metric_or_zero("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") +
                         l.metric_or_zero("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum") +
                         l.metric_or_zero("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"))));

  Section stalls(out, "stalls, % of warp-cycles");
  for (const StallShare& s : f.stalls) {
    if (s.percent >= 0.05) {
      stalls.line(s.reason, fmt::format("{:>5.1f}", s.percent));
    }
  }
  return out;
}

}  // namespace heddle::analysis
