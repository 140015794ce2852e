// The tables of a launch's profile: series, instructions, instruction_stalls, spans; and of a host program's
// run.
#include <algorithm>

#include "analysis/store/flop.h"
#include "analysis/store/result_reader.h"
#include "analysis/store/result_store.h"

namespace heddle::analysis {
namespace {

std::string_view name_of(stats::Counter c) { return stats::kCounterInfo[static_cast<size_t>(c)].name; }

}  // namespace

void ResultStore::insert_profile(int64_t id, const LaunchRecord& r) {
  Statement series = db_.prepare("INSERT INTO series VALUES (?, ?, ?, ?)");
  for (size_t c = 0; c < stats::kSeriesCounters.size(); ++c) {
    for (const stats::SeriesSample& s : r.profile.series) {
      series.bind(1, id).bind(2, name_of(stats::kSeriesCounters[c])).bind(3, s.cycle);
      series.bind(4, s.growth[c]).run();
    }
  }
  Statement instruction =
      db_.prepare("INSERT INTO instructions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  Statement stall = db_.prepare("INSERT INTO instruction_stalls VALUES (?, ?, ?, ?)");
  for (size_t i = 0; i < r.profile.instructions.size(); ++i) {
    const stats::InstructionProfile& p = r.profile.instructions[i];
    const stats::InstructionCounts& n = p.counts;
    const Flop& flop = r.flop.at(i);
    instruction.bind(1, id).bind(2, p.pc).bind(3, p.opcode).bind(4, p.text).bind(5, p.source_file);
    instruction.bind(6, p.source_line).bind(7, n.executed).bind(8, n.threads).bind(9, flop.count);
    instruction.bind(10, flop.kind).bind(11, n.requests).bind(12, n.sectors).bind(13, n.sector_hits);
    instruction.bind(14, n.shared_wavefronts).bind(15, n.shared_conflicts).run();
    for (int s = 0; s < stats::kStallCount; ++s) {
      if (n.stall[s]) {
        stall.bind(1, id).bind(2, p.pc).bind(3, stats::kStallInfo[s].name).bind(4, n.stall[s]).run();
      }
    }
  }
  insert_spans(id, r.profile.spans);
  if (r.profile.dropped_spans) {
    Statement dropped = db_.prepare("INSERT INTO dropped_spans VALUES (?, ?)");
    dropped.bind(1, id).bind(2, r.profile.dropped_spans).run();
  }
}

void ResultStore::insert_spans(std::optional<int64_t> launch, const std::vector<stats::Span>& spans) {
  if (spans.empty()) {
    return;
  }
  int64_t id = db_.integer("SELECT coalesce(max(id), 0) FROM spans");
  Statement s = db_.prepare("INSERT INTO spans VALUES (?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?)");
  for (const stats::Span& span : spans) {
    s.bind(1, ++id).bind(2, run_.id).bind(3, launch.value_or(0)).bind(4, span.track).bind(5, span.lane);
    s.bind(6, span.name).bind(7, span.start_ps).bind(8, span.end_ps).bind(9, span.args).run();
  }
}

stats::Profile ResultReader::profile(int64_t launch_id) {
  stats::Profile out;
  for (size_t c = 0; c < stats::kSeriesCounters.size(); ++c) {
    Statement s =
        db_.prepare("SELECT cycle, value FROM series WHERE launch_id = ? AND name = ? ORDER BY cycle");
    size_t i = 0;
    for (s.bind(1, launch_id).bind(2, name_of(stats::kSeriesCounters[c])); s.step(); ++i) {
      if (i == out.series.size()) {
        out.series.push_back({static_cast<uint64_t>(s.integer(0)), {}});
      }
      out.series[i].growth[c] = static_cast<uint64_t>(s.integer(1));
    }
  }
  Statement s = db_.prepare(
      "SELECT pc, opcode, sass, source_file, source_line, executed, threads, requests, sectors, sector_hits, "
      "shared_wavefronts, "
      "shared_conflicts FROM instructions WHERE launch_id = ? ORDER BY pc");
  for (s.bind(1, launch_id); s.step();) {
    stats::InstructionProfile p;
    int i = 0;
    auto number = [&] { return static_cast<uint64_t>(s.integer(i++)); };
    p.pc = static_cast<uint32_t>(number());
    p.opcode = s.text(i++);
    p.text = s.text(i++);
    p.source_file = s.text(i++);
    p.source_line = static_cast<uint32_t>(number());
    p.counts.executed = number();
    p.counts.threads = number();
    p.counts.requests = number();
    p.counts.sectors = number();
    p.counts.sector_hits = number();
    p.counts.shared_wavefronts = number();
    p.counts.shared_conflicts = number();
    out.instructions.push_back(std::move(p));
  }
  Statement stall = db_.prepare(
      "SELECT pc, reason, warp_cycles FROM instruction_stalls WHERE launch_id = ? ORDER BY pc, reason");
  size_t at = 0;
  for (stall.bind(1, launch_id); stall.step();) {
    const auto pc = static_cast<uint32_t>(stall.integer(0));
    while (at < out.instructions.size() && out.instructions[at].pc < pc) {
      ++at;
    }
    const std::string reason = stall.text(1);
    for (int i = 0; i < stats::kStallCount && at < out.instructions.size(); ++i) {
      if (stats::kStallInfo[i].name == reason) {
        out.instructions[at].counts.stall[i] = static_cast<uint64_t>(stall.integer(2));
      }
    }
  }
  out.dropped_spans = dropped_spans(launch_id);
  return out;
}

std::vector<Flop> ResultReader::flop_by_instruction(int64_t launch_id) {
  static constexpr std::string_view kKinds[] = {"fp64", "fp32", "fp16", "tensor"};
  std::vector<Flop> out;
  Statement s = db_.prepare("SELECT flop, flop_kind FROM instructions WHERE launch_id = ? ORDER BY pc");
  for (s.bind(1, launch_id); s.step();) {
    const std::string kind = s.text(1);
    const auto* known = std::find(std::begin(kKinds), std::end(kKinds), kind);
    out.push_back({static_cast<uint64_t>(s.integer(0)), known == std::end(kKinds) ? "" : *known});
  }
  return out;
}

bool ResultReader::profiled() {
  return db_.integer("SELECT EXISTS (SELECT 1 FROM instructions) OR EXISTS (SELECT 1 FROM series)") != 0;
}

std::map<std::string, uint64_t> ResultReader::flop(int64_t launch_id) {
  std::map<std::string, uint64_t> out;
  Statement s = db_.prepare(
      "SELECT flop_kind, sum(flop) FROM instructions WHERE launch_id = ? AND flop > 0 GROUP BY flop_kind");
  for (s.bind(1, launch_id); s.step();) {
    out[s.text(0)] = static_cast<uint64_t>(s.integer(1));
  }
  return out;
}

uint64_t ResultReader::dropped_spans(int64_t launch_id) {
  Statement s = db_.prepare("SELECT spans FROM dropped_spans WHERE launch_id = ?");
  s.bind(1, launch_id);
  return s.step() ? static_cast<uint64_t>(s.integer(0)) : 0;
}

void ResultReader::for_each_span(
    int64_t run_id, const std::function<void(int64_t launch_id, const stats::Span& span)>& call) {
  Statement s = db_.prepare(
      "SELECT coalesce(launch_id, 0), track, lane, name, start_ps, end_ps, args FROM spans WHERE run_id = ? "
      "ORDER BY id");
  for (s.bind(1, run_id); s.step();) {
    stats::Span span;
    span.track = s.text(1);
    span.lane = static_cast<uint32_t>(s.integer(2));
    span.name = s.text(3);
    span.start_ps = static_cast<uint64_t>(s.integer(4));
    span.end_ps = static_cast<uint64_t>(s.integer(5));
    span.args = s.text(6);
    call(s.integer(0), span);
  }
}

std::vector<RunCounter> ResultReader::counters(int64_t run_id) {
  std::vector<RunCounter> out;
  Statement s = db_.prepare("SELECT name, value FROM run_counters WHERE run_id = ? ORDER BY name");
  for (s.bind(1, run_id); s.step();) {
    out.push_back({s.text(0), static_cast<uint64_t>(s.integer(1))});
  }
  return out;
}

std::vector<TrackUse> ResultReader::tracks(int64_t run_id) {
  std::vector<TrackUse> out;
  uint64_t until = 0;  // of the track, covered so far
  Statement s = db_.prepare(
      "SELECT track, start_ps, end_ps FROM spans WHERE run_id = ? AND launch_id IS NULL ORDER BY track, "
      "start_ps");
  for (s.bind(1, run_id); s.step();) {
    const std::string track = s.text(0);
    const auto start = static_cast<uint64_t>(s.integer(1)), end = static_cast<uint64_t>(s.integer(2));
    if (out.empty() || out.back().track != track) {
      out.push_back({track, 0, 0});
      until = 0;
    }
    ++out.back().spans;
    if (end > until) {
      out.back().busy_ps += end - std::max(start, until);
      until = end;
    }
  }
  return out;
}

}  // namespace heddle::analysis
