// The same launch, executed in other ways; and sums that must come out.
#include <map>
#include <memory>
#include <mutex>

#include "sim/device/detailed_engine.h"
#include "sim/sm/sm.h"
#include "tests/metamorphic/relation.h"
#include "tests/metamorphic/transforms.h"

namespace heddle::metamorphic {
namespace {

using config::GpuConfig;
using stats::Counter;
using stats::KernelResult;
using stats::Stall;

KernelResult on_new_gpu(const GpuConfig& gpu, const Recording& k, const device::RunOptions& options) {
  Replay replay(k);
  return device::Gpu(gpu).run(replay, options);
}

KernelResult with_threads(const GpuConfig& gpu, const Recording& k) {
  device::RunOptions o;
  o.threads = 3;
  return on_new_gpu(gpu, k, o);
}

KernelResult in_pieces(const GpuConfig& gpu, const Recording& k) {
  Replay replay(k);
  device::Gpu machine(gpu);
  machine.begin(replay);
  for (Cycle until = 777; machine.advance(until); until += 777) {
    machine.so_far();
  }
  return machine.finish();
}

KernelResult second_time(const GpuConfig& gpu, const Recording& k) {
  Replay first(k), second(k);
  device::Gpu machine(gpu);
  machine.run(first);
  return machine.run(second);
}

KernelResult second_time_warm(const GpuConfig& gpu, const Recording& k) {
  Replay first(k), second(k);
  device::Gpu machine(gpu);
  machine.run(first);
  device::RunOptions o;
  o.warm = true;
  return machine.run(second, o);
}

KernelResult after_another(const GpuConfig& gpu, const Recording& k) {
  const Recording other = with_empty_blocks(part_of(k, 0, 2), 3);
  Replay first(other), second(k);
  device::Gpu machine(gpu);
  machine.run(first);
  return machine.run(second);
}

device::RunOptions profiled() {
  device::RunOptions o;
  o.profile.instructions = true;
  o.profile.series_interval = 500;
  o.profile.blocks = true;
  o.profile.warps_of_sms = {0, 3};
  return o;
}

KernelResult with_profile(const GpuConfig& gpu, const Recording& k) { return on_new_gpu(gpu, k, profiled()); }

// Its counters are the sums of the profile's table of instructions ...
KernelResult instructions_added(const GpuConfig& gpu, const Recording& k) {
  KernelResult r = with_profile(gpu, k);
  r.totals = {};
  for (const stats::InstructionProfile& i : r.profile.instructions) {
    r.totals[Counter::kInstExecuted] += i.counts.executed;
    r.totals[Counter::kThreadInstPredOn] += i.counts.threads;
    r.totals[Counter::kL1Sectors] += i.counts.sectors;
    r.totals[Counter::kL1SectorHits] += i.counts.sector_hits;
    for (int s = 0; s < stats::kStallCount; ++s) {
      r.totals.stall[static_cast<size_t>(s)] += i.counts.stall[static_cast<size_t>(s)];
    }
  }
  return r;
}

// ... of its series ...
KernelResult series_added(const GpuConfig& gpu, const Recording& k) {
  KernelResult r = with_profile(gpu, k);
  r.totals = {};
  for (const stats::SeriesSample& s : r.profile.series) {
    for (size_t i = 0; i < s.growth.size(); ++i) {
      r.totals[stats::kSeriesCounters[i]] += s.growth[i];
    }
  }
  return r;
}

// ... and its spans.
KernelResult spans_counted(const GpuConfig& gpu, const Recording& k) {
  device::RunOptions o;
  o.profile.blocks = true;
  KernelResult r = on_new_gpu(gpu, k, o);
  r.totals = {};
  r.totals[Counter::kBlocksLaunched] = r.profile.spans.size();
  return r;
}

// Issues as they happen, SM by SM.
KernelResult sms_added(const GpuConfig& gpu, const Recording& k) {
  struct Observer : sm::IssueObserver {
    void issued(uint32_t sm, uint32_t, uint32_t, uint32_t, Cycle) override { ++count[sm]; }
    std::map<uint32_t, uint64_t> count;
  } observer;
  device::RunOptions o;
  o.observer = &observer;
  KernelResult r = on_new_gpu(gpu, k, o);
  r.totals = {};
  for (const auto& [sm, issued] : observer.count) {
    r.totals[Counter::kInstExecuted] += issued;
  }
  return r;
}

template <size_t kParts>
KernelResult parts_added(const GpuConfig& gpu, const Recording& k) {
  KernelResult sum;
  for (size_t i = 0; i < kParts; ++i) {
    if (const Recording part = part_of(k, i, kParts); !part.blocks.empty()) {
      const KernelResult r = on_new_gpu(gpu, part, {});
      sum.totals.add(r.totals);
      sum.cycles += r.cycles;
    }
  }
  return sum;
}

// Launches in a session, one behind the other; the result is of the last, the counters of all.
KernelResult in_session(const GpuConfig& gpu, const Recording& k, int launches, uint64_t offset) {
  device::DetailedEngine session(gpu, device::RunOptions{});
  KernelResult r;
  Cycle at = gpu.launch().start_cycles();
  for (int i = 0; i < launches; ++i) {
    session.launch({.owned = std::make_unique<Replay>(k), .at = at, .address_offset = offset});
    const Cycle end = session.advance(kNever)->end;
    r.cycles = end - at + gpu.launch().start_cycles() + gpu.launch().end_cycles();
    at = end + 5000;
  }
  r.totals = session.counters();
  return r;
}

KernelResult session_once(const GpuConfig& gpu, const Recording& k) { return in_session(gpu, k, 1, 0); }
KernelResult session_twice(const GpuConfig& gpu, const Recording& k) { return in_session(gpu, k, 2, 0); }
KernelResult session_elsewhere(const GpuConfig& gpu, const Recording& k) {
  return in_session(gpu, k, 1, uint64_t{1} << 40);
}

// Two launches at once: both have ended when the session has.
KernelResult session_together(const GpuConfig& gpu, const Recording& k) {
  device::DetailedEngine session(gpu, device::RunOptions{});
  const Cycle at = gpu.launch().start_cycles();
  session.launch({.owned = std::make_unique<Replay>(k), .at = at, .tag = 1});
  session.launch({.owned = std::make_unique<Replay>(k), .at = at, .tag = 2});
  Cycle end = 0;
  while (const auto e = session.advance(kNever)) {
    end = std::max(end, e->end);
  }
  KernelResult r;
  r.cycles = end + gpu.launch().end_cycles();
  r.totals = session.counters();
  return r;
}

Relation same(const char* name, const char* why, Runner runner) {
  return {name, why, {}, run_by(std::move(runner)), same_everything(), {}};
}

}  // namespace

Relations execution_relations() {
  return {
      same("three threads of the host", "SMs touch nothing but themselves within a quantum",
           {"threads", with_threads}),
      same("in pieces of 777 cycles", "a piece is a number of quanta", {"pieces", in_pieces}),
      same("with a profile", "who looks changes nothing", {"profile", with_profile}),
      same("a second time on the same machine", "a launch starts from a cold machine",
           {"again", second_time}),
      same("after another kernel on the same machine", "a launch starts from a cold machine",
           {"after", after_another}),
      {"a second time with a warm L2",
       "what is in the L2 need not be fetched",
       {},
       run_by({"warm", second_time_warm}),
       same_work() + not_slower(0.02) + at_most(counter(Counter::kDramReadBytes)),
       {}},
      {"alone in a session",
       "a session of one launch is the launch",
       {},
       run_by({"session", session_once}),
       same_work() + near(cycles(), 0.01),
       {}},
      {"in a session, 1 TiB further on",
       "what address_offset is for; slices and sets are hashed",
       run_by({"session", session_once}),
       run_by({"session + 1 TiB", session_elsewhere}),
       same_work() + near(cycles(), 0.03),
       {}},
      {"the second of two in a session",
       "its lines are in the L2 already",
       run_by({"session", session_once}),
       run_by({"session twice", session_twice}),
       same_work(2) + not_slower(0.02),
       {}},
      {"two at once in a session",
       "twice the work in at most twice the time, and not in less than once",
       run_by({"session", session_once}),
       run_by({"session together", session_together}),
       same_work(2) + at_least(cycles(), kAnomaly) + at_most(cycles(), 0.02, 2),
       {}},
  };
}

Relations sum_relations() {
  Expectations table = {equal(counter(Counter::kInstExecuted)), equal(counter(Counter::kThreadInstPredOn)),
                        equal(counter(Counter::kL1Sectors)), equal(counter(Counter::kL1SectorHits))};
  for (int i = 0; i < stats::kStallCount; ++i) {
    const auto s = static_cast<Stall>(i);
    table.push_back(equal({std::string(stats::kStallInfo[static_cast<size_t>(i)].name),
                           [s](const KernelResult& r) { return static_cast<double>(r.totals[s]); }}));
  }
  Expectations series;
  for (Counter c : stats::kSeriesCounters) {
    series.push_back(equal(counter(c)));
  }
  const Except one_block{"one block has no parts",
                         [](const Recording& k) { return k.blocks.size() == k.cluster(); }};
  const char* const parts = "a block's instructions and addresses are its own";
  return {
      {"two halves of the grid added up",
       parts,
       {},
       run_by({"halves", parts_added<2>}),
       same_work() + not_faster(),
       {one_block}},
      {"three thirds of the grid added up",
       parts,
       {},
       run_by({"thirds", parts_added<3>}),
       same_work() + not_faster(),
       {one_block}},
      {"instructions of a profile added up",
       "every issue, access and wait is one instruction's",
       {},
       run_by({"instructions", instructions_added}),
       table,
       {}},
      {"samples of a profile added up",
       "each has the growth since the one before",
       {},
       run_by({"series", series_added}),
       series,
       {}},
      {"spans of blocks counted",
       "each block has one",
       {},
       run_by({"spans", spans_counted}),
       {equal(counter(Counter::kBlocksLaunched))},
       {}},
      {"issues of the SMs added up",
       "an instruction is executed where it is issued",
       {},
       run_by({"SMs", sms_added}),
       {equal(counter(Counter::kInstExecuted))},
       {}},
  };
}

}  // namespace heddle::metamorphic
