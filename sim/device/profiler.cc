#include "sim/device/profiler.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace heddle::device {
namespace {

std::string dimensions(const isa::Dim3& d, const char* separator) {
  return std::to_string(d.x) + separator + std::to_string(d.y) + separator + std::to_string(d.z);
}

}  // namespace

sm::Noting Profiler::noting(const stats::ProfileRequest& r, uint32_t sm) {
  const bool warps = std::find(r.warps_of_sms.begin(), r.warps_of_sms.end(), sm) != r.warps_of_sms.end();
  return {r.instructions, r.blocks, warps};
}

Profiler::Values Profiler::values(Cycle now) const {
  stats::CounterSet all = machine_.memory->counters();
  uint64_t warp_cycles = 0;
  for (const auto& s : machine_.sms) {
    all.add(s->counters());
    warp_cycles += s->warp_cycles(now);
  }
  all[stats::Counter::kWarpsActive] = warp_cycles;
  Values v{};
  for (size_t i = 0; i < v.size(); ++i) {
    v[i] = all[stats::kSeriesCounters[i]];
  }
  return v;
}

void Profiler::exchange(Cycle now) {
  if (request_.spans()) {
    take_spans();
  }
  if (interval_ && now >= next_) {
    take_sample(now, values(now));
  }
}

void Profiler::take_sample(Cycle now, const Values& at) {
  stats::SeriesSample sample{now, {}};
  for (size_t i = 0; i < at.size(); ++i) {
    sample.growth[i] = at[i] - last_[i];
  }
  last_ = at;
  next_ = now + interval_;
  std::vector<stats::SeriesSample>& series = profile_.series;
  series.push_back(sample);
  if (series.size() <= stats::ProfileRequest::kMaxSamples) {
    return;
  }
  // Too many: neighbours become one.
  size_t kept = 0;
  for (size_t i = 0; i < series.size(); i += 2) {
    stats::SeriesSample both = series[i];
    if (i + 1 < series.size()) {
      both.cycle = series[i + 1].cycle;
      for (size_t c = 0; c < at.size(); ++c) {
        both.growth[c] += series[i + 1].growth[c];
      }
    }
    series[kept++] = both;
  }
  series.resize(kept);
  interval_ *= 2;
}

void Profiler::take_spans() {
  const double ps_per_cycle = 1e6 / machine_.config.clocks().core_mhz();
  auto ps = [&](Cycle c) {
    return static_cast<uint64_t>(std::llround(static_cast<double>(c) * ps_per_cycle));
  };
  for (const auto& s : machine_.sms) {
    for (const sm::Residency& r : s->residencies()) {
      if (profile_.spans.size() >= request_.max_spans) {
        ++profile_.dropped_spans;
        continue;
      }
      const std::string block = dimensions(r.index, ",");
      stats::Span span;
      span.track = "SM " + std::to_string(s->index()) + (r.warp < 0 ? "" : " warps");
      span.lane = r.lane;
      span.name = "block (" + block + ")" + (r.warp < 0 ? "" : " warp " + std::to_string(r.warp));
      span.start_ps = ps(r.start);
      span.end_ps = ps(r.end);
      span.args = "{\"block\":" + std::to_string(r.block) + ",\"start_cycle\":" + std::to_string(r.start) +
                  ",\"end_cycle\":" + std::to_string(r.end) + "}";
      profile_.spans.push_back(std::move(span));
    }
    s->residencies().clear();
  }
}

// What is left: the way of the last stores, and what is counted at the end of a launch, which may come before
// the end of the last quantum.
void Profiler::take_last_sample(const stats::KernelResult& result) {
  Values end{};
  for (size_t i = 0; i < end.size(); ++i) {
    end[i] = result.totals[stats::kSeriesCounters[i]];
  }
  std::vector<stats::SeriesSample>& series = profile_.series;
  while (!series.empty() && series.back().cycle >= result.cycles) {
    for (size_t i = 0; i < end.size(); ++i) {
      last_[i] -= series.back().growth[i];
    }
    series.pop_back();
  }
  take_sample(result.cycles, end);
}

void Profiler::complete(stats::KernelResult& result) {
  take_spans();
  // Those of a quantum came by SM.
  std::stable_sort(profile_.spans.begin(), profile_.spans.end(),
                   [](const stats::Span& a, const stats::Span& b) { return a.end_ps < b.end_ps; });
  if (interval_) {
    take_last_sample(result);
  }
  if (request_.instructions) {
    for (size_t i = 0; i < image_.code.size(); ++i) {
      const isa::Instr& in = image_.code[i];
      stats::InstructionProfile p;
      p.pc = in.pc;
      p.opcode = image_.opcodes[in.opcode];
      p.text = i < image_.text.size() && !image_.text[i].empty() ? image_.text[i] : p.opcode;
      if (const isa::SourceLine source = image_.source_line(i); source.line != 0) {
        p.source_line = source.line;
        p.source_file = image_.source->files[source.file];
      }
      p.op = in.op;
      p.mma_work = in.mma_work;
      for (const auto& s : machine_.sms) {
        p.counts.add(s->profile()[i]);
      }
      profile_.instructions.push_back(std::move(p));
    }
  }
  result.profile = std::move(profile_);
}

}  // namespace heddle::device
