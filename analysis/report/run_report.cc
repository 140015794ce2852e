#include "analysis/report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/report/format.h"
#include "analysis/report/launch_facts.h"
#include "analysis/report/roofs.h"
#include "analysis/report/table.h"

namespace heddle::analysis {
namespace {

using Align = TextTable::Align;

constexpr size_t kNameWidth = 28;
constexpr size_t kTopStalls = 3;

std::string optional_pct(const std::optional<double>& v) { return v ? fmt::format("{:.1f}", *v) : "-"; }

std::string top_stalls(const LaunchFacts& f) {
  std::string out;
  for (size_t i = 0; i < std::min(kTopStalls, f.stalls.size()); ++i) {
    out += fmt::format("{}{} {:.0f} %", i ? ", " : "", f.stalls[i].reason, f.stalls[i].percent);
  }
  return out.empty() ? "-" : out;
}

}  // namespace

std::string run_heading(const RunRecord& run, std::span<const LaunchRecord> launches) {
  std::string out = fmt::format("{} ({}), fidelity {}, seed {}, configuration {}, revision {}\n", run.gpu,
                                run.product, run.fidelity, run.seed, run.config_hash, run.revision);
  std::string overrides = run.overrides;
  while (overrides.ends_with('\n')) {
    overrides.pop_back();
  }
  if (!overrides.empty()) {
    std::replace(overrides.begin(), overrides.end(), '\n', ' ');
    out += fmt::format("overrides: {}\n", overrides);
  }
  if (launches.empty() && run.launches_planned == 0) {  // a host program
    return out;
  }
  double seconds = 0, wall = 0;
  uint64_t instructions = 0;
  for (const LaunchRecord& l : launches) {
    seconds += facts(l).seconds;
    wall += l.host.wall_seconds;
    instructions += l.warp_instructions;
  }
  out += grouped(launches.size());
  if (run.launches_planned != 0) {  // a program's are known when they come
    out += fmt::format(" of {}", grouped(run.launches_planned));
  }
  out +=
      fmt::format(" launches, {} warp instructions, {} simulated", grouped(instructions), duration(seconds));
  if (wall > 0) {
    out += fmt::format("; {} of host time, {} warp-inst/s", duration(wall),
                       quantity(static_cast<double>(instructions) / wall, ""));
  }
  return out + "\n";
}

std::string launch_tables(std::span<const LaunchRecord> launches, size_t limit,
                          const std::optional<config::GpuConfig>& gpu) {
  TextTable time({{"trace", Align::kLeft},
                  {"#"},
                  {"kernel", Align::kLeft},
                  {"cycles"},
                  {"SM active"},
                  {"time"},
                  {"warp inst"},
                  {"IPC"},
                  {"issue %"},
                  {"occ. %"},
                  {"max"},
                  {"limit", Align::kLeft}});
  TextTable memory({{"trace", Align::kLeft},
                    {"#"},
                    {"bound by, % of peak", Align::kLeft},
                    {"L1 hit %"},
                    {"L2 hit %"},
                    {"DRAM"},
                    {"DRAM rate"},
                    {"largest stalls, % of warp-cycles", Align::kLeft}});
  const size_t shown = std::min(limit, launches.size());
  for (const LaunchRecord& l : launches.first(shown)) {
    const LaunchFacts f = facts(l);
    const std::string trace = shortened(l.trace, kNameWidth);
    std::string kernel = demangled(l.kernel);
    // Templates are demangled with their return type.
    kernel.erase(0, kernel.starts_with("void ") ? 5 : 0);
    kernel = shortened(kernel.substr(0, kernel.find('(')), kNameWidth);
    time.add({trace, grouped(l.launch), kernel, grouped(l.cycles), grouped(l.sm_active_cycles),
              duration(f.seconds), grouped(l.warp_instructions), fmt::format("{:.2f}", f.ipc),
              fmt::format("{:.1f}", f.issue_pct), fmt::format("{:.1f}", f.achieved_pct),
              fmt::format("{:.1f}", f.theoretical_pct), f.limiter});
    const std::string bound = bottleneck(roofs(l, gpu));
    memory.add({trace, grouped(l.launch), bound.empty() ? "-" : bound, optional_pct(f.l1_hit_pct),
                optional_pct(f.l2_hit_pct), quantity(f.dram_bytes, "B"), quantity(f.dram_bandwidth, "B/s"),
                top_stalls(f)});
  }
  std::string out = time.str() + "\n" + memory.str();
  if (shown < launches.size()) {
    out += fmt::format("... and {} more launches\n", grouped(launches.size() - shown));
  }
  return out;
}

std::string sampling_text(const LaunchRecord& l) {
  const stats::Sampling& s = l.sampling;
  if (!s.requested) {
    return "";
  }
  if (!s.sampled()) {
    return fmt::format("not sampled: {}", s.reason);
  }
  const double half_width = static_cast<double>(s.cycles_high - s.cycles_low) / 2;
  const std::string sms = s.total_sms ? fmt::format(" on {} of {} SMs", s.detailed_sms, s.total_sms) : "";
  return fmt::format("sampled, +- {:.1f} %, {} of {} blocks simulated{}",
                     100 * half_width / static_cast<double>(l.cycles), grouped(s.detailed_blocks),
                     grouped(s.total_blocks), sms);
}

std::string sampling_note(std::span<const LaunchRecord> launches) {
  std::string out;
  for (const LaunchRecord& l : launches) {
    if (l.sampling.requested) {
      out += fmt::format("note: {} launch {}: {}\n", l.trace, l.launch, sampling_text(l));
    }
  }
  return out;
}

std::string launch_notes(std::span<const LaunchRecord> launches) {
  size_t scoreboard = 0;
  std::map<std::string, uint64_t> unknown;
  for (const LaunchRecord& l : launches) {
    scoreboard += !l.used_control_bits;
    for (const auto& [opcode, count] : l.unknown_opcodes) {
      unknown[opcode] += count;
    }
  }
  std::string out = sampling_note(launches);
  if (scoreboard) {
    out += fmt::format(
        "note: {} of {} launches ran on the register scoreboard, not on control bits (no .sass file beside "
        "the trace, or dependences = SCOREBOARD)\n",
        scoreboard, launches.size());
  }
  if (!unknown.empty()) {
    out += "note: opcodes classified by prefix only, with executed warp instructions:";
    for (const auto& [opcode, count] : unknown) {
      out += fmt::format(" {} {}", opcode, grouped(count));
    }
    out += '\n';
  }
  return out;
}

}  // namespace heddle::analysis
