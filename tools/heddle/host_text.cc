#include "tools/heddle/host_text.h"

#include <fmt/format.h>

#include "analysis/report/host_report.h"

namespace heddle::cli {
namespace {

std::string us(host::Ps t) { return fmt::format("{:.3f}", host::to_us(t)); }

std::string where(const host::Program& p, uint32_t thread, uint32_t line, uint64_t call) {
  return line ? fmt::format("thread {}, line {}", p.threads[thread].name, line)
              : fmt::format("thread {}, call {}", p.threads[thread].name, call + 1);
}

}  // namespace

std::string host_summary(const host::Result& r) {
  std::vector<analysis::TrackUse> tracks;
  for (const host::Track& t : r.tracks) {
    if (t.spans > 0) {
      tracks.push_back({t.name, t.spans, t.busy});
    }
  }
  std::string out = analysis::track_table(tracks, r.end);
  for (size_t d = 0; d < r.copy_kernel_overlap.size(); ++d) {
    out += fmt::format("device {}: copies and kernels at the same time {} us\n", d,
                       us(r.copy_kernel_overlap[d]));
  }
  if (r.dependency_wait > 0) {
    out += fmt::format("blocks waited at their grid dependency for {} us in all\n", us(r.dependency_wait));
  }
  for (const std::string& h : r.hazards) {
    out += "hazard: " + h + "\n";
  }
  for (const host::Counter& c : r.counters) {
    out += fmt::format("{} {}\n", c.name, c.value);
  }
  return out + fmt::format("total {} us, {} calls, {} commands, {} blocks\n", us(r.end), r.operations,
                           r.commands, r.blocks);
}

std::vector<analysis::RunCounter> host_counters(const host::Result& r) {
  std::vector<analysis::RunCounter> out = {{"time ps", r.end},
                                           {"calls", r.operations},
                                           {"commands", r.commands},
                                           {"thread blocks", r.blocks},
                                           {"grid dependency wait ps", r.dependency_wait},
                                           {"calls with errors", r.errors.size()},
                                           {"findings", r.findings.size()},
                                           {"in a deadlock", r.deadlock.size()}};
  for (size_t d = 0; d < r.copy_kernel_overlap.size(); ++d) {
    out.push_back({fmt::format("device {} copies beside kernels ps", d), r.copy_kernel_overlap[d]});
  }
  for (const host::Counter& c : r.counters) {
    out.push_back({c.name, c.value});
  }
  return out;
}

std::string host_calls(const host::Program& p, const host::Result& r) {
  std::string out;
  for (const host::Elapsed& e : r.elapsed) {
    out += fmt::format("thread {}: {} to {}: {} us\n", p.threads[e.thread].name, p.events[e.from].name,
                       p.events[e.to].name, us(e.time));
  }
  for (const host::Answer& a : r.answers) {
    out += fmt::format("{}: {}\n", where(p, a.thread, 0, a.call), a.value);
  }
  for (const host::DeviceError& e : r.device_errors) {
    out += fmt::format("device: {}: {} ({}){}\n", e.call, e.error, e.why,
                       e.times > 1 ? fmt::format(", {} times", e.times) : "");
  }
  for (const host::CallError& e : r.errors) {
    out += fmt::format("{}: {}: {} ({})\n", where(p, e.thread, e.line, e.call), e.api, e.error, e.why);
  }
  return out;
}

std::string host_finding(const host::Program& p, const host::Finding& f) {
  const auto place = [&](const host::Finding::Place& c) {
    return fmt::format("{} ({})", c.api, where(p, c.thread, c.line, c.call));
  };
  return fmt::format("{}: {}{}{}", f.kind, f.buffer.empty() ? "" : "buffer " + f.buffer + ": ", place(f.call),
                     f.other.api.empty() ? "" : " and " + place(f.other));
}

}  // namespace heddle::cli
