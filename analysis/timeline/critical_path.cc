#include "analysis/timeline/critical_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/report/table.h"

namespace heddle::analysis {
namespace {

using host::Ps;
using host::StepKind;

constexpr const char* kNames[host::kStepKinds] = {
    "host work",       "host call",    "launch latency", "device latency",
    "room on the SMs", "kernel",       "copy to device", "copy from device",
    "copy inside",     "copy to peer", "host function",  "wake-up",
    "sleep",           "other"};

size_t index(StepKind k) { return static_cast<size_t>(k); }

std::string us(Ps t) { return fmt::format("{:.3f}", host::to_us(t)); }
std::string percent(Ps t, Ps all) {
  return fmt::format("{:.1f}", all > Ps() ? 100 * host::to_us(t) / host::to_us(all) : 0);
}

struct Sum {
  Ps time{};
  uint64_t count = 0;
};

// A row for each kind that has any, the longest first.
std::string by_kind(const std::array<Sum, host::kStepKinds>& sums, Ps all, const char* what,
                    const char* counted) {
  TextTable table({{what, TextTable::Align::kLeft}, {"us"}, {"%"}, {counted}});
  std::vector<size_t> order;
  for (size_t k = 0; k < sums.size(); ++k) {
    if (sums[k].count > 0) {
      order.push_back(k);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sums[a].time > sums[b].time; });
  for (const size_t k : order) {
    table.add({kNames[k], us(sums[k].time), percent(sums[k].time, all), std::to_string(sums[k].count)});
  }
  return table.str();
}

std::string longest(const host::Result& r, const std::vector<PathStep>& path) {
  constexpr size_t kShown = 20;
  std::map<std::tuple<StepKind, uint32_t, uint32_t>, Sum> sums;
  for (const PathStep& s : path) {
    Sum& sum = sums[{s.kind, s.name, s.track}];
    sum.time += s.end - s.start;
    ++sum.count;
  }
  std::vector<std::pair<std::tuple<StepKind, uint32_t, uint32_t>, Sum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  using Align = TextTable::Align;
  TextTable table({{"waited for", Align::kLeft},
                   {"name", Align::kLeft},
                   {"where", Align::kLeft},
                   {"us"},
                   {"%"},
                   {"steps"}});
  for (size_t i = 0; i < std::min(rows.size(), kShown); ++i) {
    const auto& [kind, name, track] = rows[i].first;
    table.add({kind_name(kind), name < r.names.size() ? r.names[name] : "",
               track < r.tracks.size() ? r.tracks[track].name : "", us(rows[i].second.time),
               percent(rows[i].second.time, r.end), std::to_string(rows[i].second.count)});
  }
  return table.str();
}

std::string gaps_text(const std::vector<KernelGap>& gaps) {
  std::array<Sum, host::kStepKinds> sums{};
  Ps all{};
  for (const KernelGap& g : gaps) {
    all += g.end - g.start;
    for (size_t k = 0; k < sums.size(); ++k) {
      sums[k].time += g.parts[k];
      sums[k].count += g.parts[k] > Ps() ? 1 : 0;
    }
  }
  return fmt::format("\n{} gaps between kernels, {} us in all\n", gaps.size(), us(all)) +
         by_kind(sums, all, "waited for", "gaps");
}

}  // namespace

const char* kind_name(StepKind kind) { return kNames[index(kind)]; }

std::vector<PathStep> critical_path(const host::Result& r) {
  std::vector<PathStep> out;
  for (uint32_t i = r.last_step; i > 0 && i < r.steps.size(); i = r.steps[i].before) {
    const host::Step& s = r.steps[i];
    out.push_back({s.kind, s.name, s.track, r.steps[s.before].end, s.end});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<KernelGap> kernel_gaps(const host::Result& r) {
  std::vector<KernelGap> out;
  const host::TrackSpan* last = nullptr;  // of the track, the one that ends last
  if (r.steps.empty()) {
    return out;
  }
  for (const host::TrackSpan& s : r.spans) {  // by track and start
    const std::string& track = r.tracks[s.track].name;
    if (s.origin.kind != host::SpanKind::kKernel || !track.ends_with(" kernels")) {
      continue;
    }
    if (last != nullptr && last->track == s.track && s.start > last->end) {
      KernelGap g{s.track, last->name, s.name, last->end, s.start, {}};
      Ps from = g.end;  // what is explained so far begins there
      for (uint32_t i = s.origin.step; i > 0 && from > g.start; i = r.steps[i].before) {
        g.parts[index(StepKind::kOther)] += from - std::min(from, std::max(r.steps[i].end, g.start));
        from = std::min(from, std::max(r.steps[i].end, g.start));
        const Ps begin = std::min(from, std::max(r.steps[r.steps[i].before].end, g.start));
        g.parts[index(r.steps[i].kind)] += from - begin;
        from = begin;
      }
      g.parts[index(StepKind::kOther)] += from - g.start;
      out.push_back(g);
    }
    if (last == nullptr || last->track != s.track || s.end > last->end) {
      last = &s;
    }
  }
  return out;
}

StepKind main_part(const KernelGap& g) {
  return static_cast<StepKind>(std::max_element(g.parts.begin(), g.parts.end()) - g.parts.begin());
}

std::string critical_path_text(const host::Result& r) {
  const std::vector<PathStep> path = critical_path(r);
  if (path.empty()) {
    return r.steps_left_out ? "critical path: its steps are not kept (--limit spans=N keeps more)\n"
                            : "critical path: nothing took any time\n";
  }
  std::array<Sum, host::kStepKinds> sums{};
  for (const PathStep& s : path) {
    sums[index(s.kind)].time += s.end - s.start;
    ++sums[index(s.kind)].count;
  }
  return fmt::format("critical path: what the {} us waited for\n", us(r.end)) +
         by_kind(sums, r.end, "waited for", "steps") + "\n" + longest(r, path) + gaps_text(kernel_gaps(r));
}

}  // namespace heddle::analysis
