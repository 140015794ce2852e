#include "tools/heddle/host_text.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <tuple>
#include <utility>

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
      tracks.push_back({t.name, t.spans, (t.busy + t.waiting).count()});
    }
  }
  std::string out = analysis::track_table(tracks, host_counters(r));
  for (size_t d = 0; d < r.copy_kernel_overlap.size(); ++d) {
    out += fmt::format("device {}: copies and kernels at the same time {} us\n", d,
                       us(r.copy_kernel_overlap[d]));
  }
  if (r.dependency_wait > host::Ps()) {
    out += fmt::format("blocks waited at their grid dependency for {} us in all\n", us(r.dependency_wait));
  }
  for (const std::string& h : r.hazards) {
    out += "hazard: " + h + "\n";
  }
  for (const host::RunCounter& c : r.counters) {
    out += fmt::format("{} {}\n", c.name, c.value);
  }
  const auto left_out = [&](uint64_t n, const char* what, const char* limit) {
    if (n > 0) {
      out += fmt::format("{} {} are not kept (--limit {}=N keeps more)\n", n, what, limit);
    }
  };
  left_out(r.spans_left_out, "spans of the timeline", "spans");
  left_out(r.errors_left_out, "errors of calls", "records");
  left_out(r.answers_left_out, "answers", "records");
  left_out(r.elapsed_left_out, "times between events", "records");
  return out + fmt::format("total {} us, {} calls, {} commands, {} blocks\n", us(r.end), r.operations,
                           r.commands, r.blocks);
}

std::vector<analysis::RunCounter> host_counters(const host::Result& r) {
  std::vector<analysis::RunCounter> out = {{analysis::kRunTime, r.end.count()},
                                           {"calls", r.operations},
                                           {"commands", r.commands},
                                           {"thread blocks", r.blocks},
                                           {"grid dependency wait ps", r.dependency_wait.count()},
                                           {"calls with errors", r.errors.size() + r.errors_left_out},
                                           {"findings", r.findings.size()},
                                           {"in a deadlock", r.deadlock.size()}};
  for (size_t d = 0; d < r.copy_kernel_overlap.size(); ++d) {
    out.push_back({fmt::format("device {} copies beside kernels ps", d), r.copy_kernel_overlap[d].count()});
  }
  for (const host::Track& t : r.tracks) {
    if (t.waiting > host::Ps()) {
      out.push_back({t.name + analysis::kWaiting, t.waiting.count()});
    }
  }
  for (const host::RunCounter& c : r.counters) {
    out.push_back({c.name, c.value});
  }
  return out;
}

std::string host_calls(const host::Program& p, const host::Result& r) {
  std::string out;
  for (const host::Elapsed& e : r.elapsed) {
    // Below 0 where the second event came first: the difference of two counts.
    const auto ps = static_cast<int64_t>(e.time.count());
    out += fmt::format("thread {}: {} to {}: {}{} us\n", p.threads[e.thread].name, p.events[e.from].name,
                       p.events[e.to].name, ps < 0 ? "-" : "", us(ps < 0 ? host::Ps() - e.time : e.time));
  }
  for (const host::Answer& a : r.answers) {
    out += fmt::format("{}: {}\n", where(p, a.thread, 0, a.call), a.value);
  }
  for (const host::DeviceError& e : r.device_errors) {
    out += fmt::format("device: {}: {} ({}){}\n", e.call, e.error, e.why,
                       e.times > 1 ? fmt::format(", {} times", e.times) : "");
  }
  std::vector<std::string> errors;
  errors.reserve(r.errors.size());
  for (const host::CallError& e : r.errors) {
    errors.push_back(
        fmt::format("{}: {}: {} ({})", where(p, e.thread, e.line, e.call), e.api, e.error, e.why));
  }
  for (const std::string& line : counted(errors)) {
    out += line + "\n";
  }
  return out;
}

std::vector<std::string> counted(const std::vector<std::string>& lines) {
  std::vector<std::pair<const std::string*, uint64_t>> first;  // with how often
  std::map<std::string_view, size_t> known;
  for (const std::string& line : lines) {
    const auto [it, is_new] = known.emplace(line, first.size());
    if (is_new) {
      first.emplace_back(&line, 0);
    }
    ++first[it->second].second;
  }
  std::vector<std::string> out;
  out.reserve(first.size());
  for (const auto& [line, times] : first) {
    out.push_back(times > 1 ? fmt::format("{}, {} times", *line, times) : *line);
  }
  return out;
}

namespace {

std::string finding(const host::Program& p, const host::Finding& f) {
  const auto place = [&](const host::Finding::Place& c) {
    return fmt::format("{} ({})", c.api, where(p, c.thread, c.line, c.call));
  };
  return fmt::format("{}: {}{}{}", f.kind, f.buffer.empty() ? "" : "buffer " + f.buffer + ": ", place(f.call),
                     f.other.api.empty() ? "" : " and " + place(f.other));
}

}  // namespace

std::vector<std::string> host_findings(const host::Program& p, const host::Result& r) {
  struct Group {
    const host::Finding* first;
    uint64_t pairs = 0, times = 0;
  };
  // Calls of the same kind, wherever they are: a loop that is written out is one line, too.
  std::map<std::tuple<std::string, std::string, uint32_t, std::string, uint32_t, std::string>, size_t> known;
  std::vector<Group> groups;
  for (const host::Finding& f : r.findings) {
    const auto [it, is_new] = known.try_emplace(
        {f.kind, f.buffer, f.call.thread, f.call.api, f.other.thread, f.other.api}, groups.size());
    if (is_new) {
      groups.push_back({&f});
    }
    ++groups[it->second].pairs;
    groups[it->second].times += f.times;
  }
  std::vector<std::string> out;
  for (const Group& g : groups) {
    std::string line = finding(p, *g.first);
    line += g.pairs > 1 ? fmt::format("; {} such pairs of calls", g.pairs) : "";
    line += g.times > 1 ? fmt::format("; {} times", g.times) : "";
    out.push_back(std::move(line));
  }
  if (r.findings_left_out > 0) {
    out.push_back(fmt::format("{} more findings of other pairs of calls (--limit findings=N keeps more)",
                              r.findings_left_out));
  }
  return out;
}

}  // namespace heddle::cli
