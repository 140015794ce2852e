#include "tools/heddle/host_text.h"

#include <fmt/format.h>

#include <map>

#include "analysis/report/table.h"

namespace heddle::cli {
namespace {

std::string us(host::Ps t) { return fmt::format("{:.3f}", host::to_us(t)); }

std::string where(const host::Program& p, uint32_t thread, uint32_t line, uint64_t call) {
  return line ? fmt::format("thread {}, line {}", p.threads[thread].name, line)
              : fmt::format("thread {}, call {}", p.threads[thread].name, call + 1);
}

std::string json_text(const std::string& s) {
  std::string out;
  for (const char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string host_summary(const host::Result& r) {
  using Align = analysis::TextTable::Align;
  analysis::TextTable table({{"track", Align::kLeft}, {"spans"}, {"busy us"}, {"busy %"}});
  for (const host::Track& t : r.tracks) {
    if (t.spans > 0) {
      const double percent = r.end ? 100.0 * static_cast<double>(t.busy) / static_cast<double>(r.end) : 0;
      table.add({t.name, std::to_string(t.spans), us(t.busy), fmt::format("{:.1f}", percent)});
    }
  }
  std::string out = table.str();
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
  return out + fmt::format("total {} us, {} calls, {} commands, {} blocks\n", us(r.end), r.operations,
                           r.commands, r.blocks);
}

std::string host_counters(const host::Result& r) {
  std::string out;
  for (const host::Counter& c : r.counters) {
    out += fmt::format("{} {}\n", c.name, c.value);
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
  for (const host::CallError& e : r.errors) {
    out += fmt::format("{}: {}: {} ({})\n", where(p, e.thread, e.line, e.call), e.api, e.error, e.why);
  }
  return out;
}

std::string host_finding(const host::Program& p, const host::Finding& f) {
  const auto place = [&](const host::Finding::Place& c) {
    return fmt::format("{} ({})", c.api, where(p, c.thread, c.line, c.call));
  };
  return fmt::format("{}: buffer {}: {}{}", f.kind, f.buffer, place(f.call),
                     f.other.api.empty() ? "" : " and " + place(f.other));
}

std::vector<stats::Span> host_spans(const host::Result& r) {
  std::vector<stats::Span> out;
  std::map<uint32_t, std::vector<host::Ps>> lanes;  // end of the last span of each lane; spans come by start
  for (const host::Span& s : r.spans) {
    std::vector<host::Ps>& ends = lanes[s.track];
    uint32_t lane = 0;
    while (lane < ends.size() && ends[lane] > s.start) {
      ++lane;
    }
    if (lane == ends.size()) {
      ends.push_back(0);
    }
    ends[lane] = s.end;
    out.push_back({r.tracks[s.track].name, lane, r.names[s.name], s.start, s.end, ""});
  }
  return out;
}

std::string host_trace_json(const host::Result& r) {
  std::string out = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  std::map<std::pair<std::string, uint32_t>, int> rows;
  std::string events;
  for (const stats::Span& s : host_spans(r)) {
    const auto [it, is_new] = rows.emplace(std::pair(s.track, s.lane), static_cast<int>(rows.size() + 1));
    if (is_new) {
      const std::string name = s.lane ? fmt::format("{} ({})", s.track, s.lane + 1) : s.track;
      out += fmt::format(
          "{{\"ph\": \"M\", \"pid\": 1, \"tid\": {}, \"name\": \"thread_name\", \"args\": {{\"name\": "
          "\"{}\"}}}},\n",
          it->second, json_text(name));
    }
    events += fmt::format(
        "{}{{\"ph\": \"X\", \"pid\": 1, \"tid\": {}, \"ts\": {:.6f}, \"dur\": {:.6f}, \"name\": \"{}\"}}",
        events.empty() ? "" : ",\n", it->second, host::to_us(s.start_ps), host::to_us(s.end_ps - s.start_ps),
        json_text(s.name));
  }
  if (events.empty() && out.ends_with(",\n")) {
    out.resize(out.size() - 2);
  }
  return out + events + "\n]}\n";
}

}  // namespace heddle::cli
