#include "analysis/html/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/html/page_parts.h"
#include "analysis/report/format.h"
#include "analysis/report/json.h"
#include "analysis/report/launch_facts.h"
#include "analysis/report/roofs.h"
#include "analysis/report/run_report.h"

namespace heddle::analysis {
namespace {

using stats::Stall;

// What a warp waits for, coarsely: a colour of the page.
std::string_view family(Stall s) {
  switch (s) {
    case Stall::kSelected:
      return "issue";
    case Stall::kNotSelected:
    case Stall::kMathPipeThrottle:
    case Stall::kDispatchStall:
    case Stall::kWait:
      return "compute";
    case Stall::kLongScoreboard:
    case Stall::kLgThrottle:
    case Stall::kTexThrottle:
    case Stall::kDrain:
    case Stall::kMembar:
      return "memory";
    case Stall::kShortScoreboard:
    case Stall::kMioThrottle:
      return "shared";
    case Stall::kNoInstruction:
    case Stall::kBranchResolve:
    case Stall::kImcMiss:
      return "fetch";
    default:
      return "sync";
  }
}

std::string dimensions(const isa::Dim3& d) { return fmt::format("{} × {} × {}", d.x, d.y, d.z); }

void write_stalls(JsonWriter& j, const std::array<uint64_t, stats::kStallCount>& cycles) {
  j.begin_object();
  for (int i = 0; i < stats::kStallCount; ++i) {
    if (cycles[i]) {
      j.field(stats::kStallInfo[i].name, cycles[i]);
    }
  }
  j.end_object();
}

void write_optional(JsonWriter& j, std::string_view key, const std::optional<double>& v) {
  v ? j.field(key, *v) : j.key(key).raw("null");
}

void write_series(JsonWriter& j, const std::vector<stats::SeriesSample>& series) {
  j.key("series").begin_object().key("cycle").begin_array();
  for (const stats::SeriesSample& s : series) {
    j.value(s.cycle);
  }
  j.end_array();
  for (size_t c = 0; c < stats::kSeriesCounters.size(); ++c) {
    j.key(stats::kCounterInfo[static_cast<size_t>(stats::kSeriesCounters[c])].name).begin_array();
    for (const stats::SeriesSample& s : series) {
      j.value(s.growth[c]);
    }
    j.end_array();
  }
  j.end_object();
}

void write_instructions(JsonWriter& j, const std::vector<stats::InstructionProfile>& code) {
  j.key("code").begin_array();
  for (const stats::InstructionProfile& p : code) {
    const stats::InstructionCounts& n = p.counts;
    j.line().begin_object().field("pc", p.pc).field("op", p.opcode).field("sass", p.text);
    if (p.source_line) {
      j.field("file", p.source_file).field("line", p.source_line);
    }
    j.field("executed", n.executed).field("threads", n.threads);
    j.field("requests", n.requests).field("sectors", n.sectors).field("hits", n.sector_hits);
    j.field("wavefronts", n.shared_wavefronts).field("conflicts", n.shared_conflicts).key("stalls");
    write_stalls(j, n.stall);
    j.end_object();
  }
  j.end_array();
}

void write_launch(JsonWriter& j, const LaunchRecord& l, const std::optional<config::GpuConfig>& gpu,
                  const LaunchProfile& profile) {
  const LaunchFacts f = facts(l);
  const std::vector<Roof> limits = roofs(l, gpu);
  j.line().begin_object().field("id", l.id).field("trace", l.trace).field("launch", l.launch);
  j.field("kernel", demangled(l.kernel)).field("grid", dimensions(l.shape.grid));
  j.field("block", dimensions(l.shape.block)).field("cluster", dimensions(l.shape.cluster));
  j.field("registers", l.shape.registers_per_thread).field("shared", l.shape.shared_bytes());
  j.field("core_mhz", l.core_mhz).field("cycles", l.cycles).field("sm_active", l.sm_active_cycles);
  j.field("seconds", f.seconds).field("instructions", l.warp_instructions).field("ipc", f.ipc);
  j.field("issue_pct", f.issue_pct)
      .field("occupancy", f.achieved_pct)
      .field("occupancy_max", f.theoretical_pct);
  j.field("limiter", f.limiter).field("blocks_per_sm", f.blocks_per_sm);
  j.field("waves", l.metric_or_zero("launch__waves_per_multiprocessor"));
  write_optional(j, "l1_hit", f.l1_hit_pct);
  write_optional(j, "l2_hit", f.l2_hit_pct);
  j.field("dram_bytes", f.dram_bytes).field("dram_rate", f.dram_bandwidth);
  j.field("bound", bottleneck(limits))
      .field("control_bits", l.used_control_bits)
      .field("sampling", sampling_text(l));
  j.key("roofs").begin_array();
  for (const Roof& r : limits) {
    j.begin_array().value(r.name).value(r.percent).end_array();
  }
  j.end_array().key("stalls");
  write_stalls(j, l.stall_warp_cycles);
  j.key("counters").begin_object();
  for (size_t i = 0; i < l.values.size(); ++i) {
    j.field(stats::catalogue()[i].name, l.values[i]);
  }
  j.end_object().key("flop").begin_object();
  for (const auto& [kind, count] : profile.flop) {
    j.field(kind, count);
  }
  j.end_object();
  write_instructions(j, profile.profile.instructions);
  write_series(j, profile.profile.series);
  j.end_object();
}

void write_run(JsonWriter& j, const ReportRun& r, const ProfileOf& profile_of) {
  const std::optional<config::GpuConfig> gpu = configuration(r.run);
  j.line().begin_object().field("id", r.run.id).field("gpu", r.run.gpu).field("product", r.run.product);
  j.field("config", r.run.config_hash).field("fidelity", r.run.fidelity).field("overrides", r.run.overrides);
  j.field("seed", r.run.seed).field("revision", r.run.revision).field("planned", r.run.launches_planned);
  if (gpu) {
    const Peaks p = peaks(*gpu);
    j.field("sms", gpu->topology().sms()).field("max_warps", gpu->limits().max_warps_per_sm());
    j.field("subcores", gpu->sm().subcores()).key("peaks").begin_object();
    j.field("fp64", p.fp64).field("fp32", p.fp32).field("fp16", p.fp16).field("tensor", p.tensor);
    j.field("l1", p.l1).field("l2", p.l2).field("dram", p.dram).end_object();
  }
  j.key("launches").begin_array();
  for (const LaunchRecord& l : r.launches) {
    write_launch(j, l, gpu, profile_of(l));
  }
  j.end_array().end_object();
}

}  // namespace

void write_report_data(std::ostream& out, const std::string& source, const std::vector<ReportRun>& runs,
                       const ProfileOf& profile_of) {
  JsonWriter j(out);
  j.begin_object().field("source", source).field("bound_pct", kBoundPct).key("stalls").begin_object();
  for (int i = 0; i < stats::kStallCount; ++i) {
    const stats::StallInfo& s = stats::kStallInfo[i];
    j.key(s.name).begin_array().value(family(static_cast<Stall>(i))).value(s.meaning).end_array();
  }
  j.end_object().key("metrics").begin_object();
  for (const stats::MetricInfo& m : stats::catalogue()) {
    j.key(m.name).begin_array().value(m.unit).value(m.meaning).end_array();
  }
  j.end_object().key("runs").begin_array();
  for (const ReportRun& r : runs) {
    write_run(j, r, profile_of);
  }
  j.end_array().end_object();
}

void write_html_report(std::ostream& out, const std::string& source, const std::vector<ReportRun>& runs,
                       const ProfileOf& profile_of) {
  // The template has a line @PART@ for each part.
  std::string_view rest = page_part("page.html");
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    if (line == "@DATA@\n") {
      write_report_data(out, source, runs, profile_of);
      out << '\n';
    } else if (line.starts_with('@') && line.ends_with("@\n")) {
      out << page_part(line.substr(1, line.size() - 3));
    } else {
      out << line;
    }
  }
}

}  // namespace heddle::analysis
