// Counts by instruction, series and spans: exact by hand on small launches, and in sum equal to the counters
// on every sample; asking for them changes nothing.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "sim/base/error.h"
#include "sim/sampling/simulate.h"
#include "tests/sim/stats/kernels.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

device::RunOptions everything() {
  device::RunOptions o;
  o.profile.instructions = true;
  o.profile.series_interval = 16;
  o.profile.blocks = true;
  o.profile.warps_of_sms = {0, 1, 2, 3};
  return o;
}

Outcome profiled(const std::string& name) {
  Sample s = samples().at(name)();
  return run(s.gpu, s.kernel, everything());
}

uint64_t stall(const Outcome& o, size_t instruction, Stall s) {
  return o.result.profile.instructions.at(instruction).counts.stall[static_cast<size_t>(s)];
}

TEST_CASE("a wait is charged to the instruction that waits to issue") {
  Outcome o = profiled("stall count");  // 5, 3, 1
  REQUIRE(o.result.profile.instructions.size() == 3);
  CHECK(stall(o, 0, Stall::kWait) == 0);
  CHECK(stall(o, 1, Stall::kWait) == 4);
  CHECK(stall(o, 2, Stall::kWait) == 2);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(stall(o, i, Stall::kSelected) == 1);
  }
  o = profiled("load and wait");
  CHECK(stall(o, 0, Stall::kLongScoreboard) == 0);
  CHECK(stall(o, 1, Stall::kLongScoreboard) == 412);
  o = profiled("two warps");  // one issues its three instructions first
  CHECK(stall(o, 0, Stall::kNotSelected) == 3);
  CHECK(stall(o, 1, Stall::kNotSelected) == 0);
  o = profiled("busy pipe");
  CHECK(stall(o, 1, Stall::kMathPipeThrottle) == 3);
  CHECK(stall(o, 2, Stall::kMathPipeThrottle) == 3);
  o = profiled("full LG queue");
  CHECK(stall(o, 5, Stall::kLgThrottle) == 5);
  o = profiled("barrier");
  CHECK(stall(o, 1, Stall::kBarrier) == 18 + 17 + 16 + 15);
  o = profiled("fence");
  CHECK(stall(o, 1, Stall::kMembar) == 399);
  o = profiled("taken branch");
  CHECK(stall(o, 2, Stall::kBranchResolve) == 8);
}

TEST_CASE("what follows a warp's last instruction is charged to that one") {
  CHECK(stall(profiled("last instruction with a stall count"), 0, Stall::kWait) == 6);
  CHECK(stall(profiled("unfinished load"), 0, Stall::kDrain) == 410);
}

TEST_CASE("counts by instruction") {
  Outcome o = profiled("global");
  const auto& global = o.result.profile.instructions;
  const std::array<std::array<uint64_t, 5>, 3> expected = {
      {{1, 32, 1, 4, 0}, {1, 32, 1, 32, 4}, {1, 32, 1, 4, 4}}};
  for (size_t i = 0; i < 3; ++i) {
    const stats::InstructionCounts& n = global[i].counts;
    CAPTURE(i);
    CHECK(std::array<uint64_t, 5>{n.executed, n.threads, n.requests, n.sectors, n.sector_hits} ==
          expected[i]);
    CHECK(n.shared_wavefronts == 0);
    CHECK(global[i].pc == 16 * i);
  }
  o = profiled("shared");
  CHECK(o.result.profile.instructions[0].counts.shared_wavefronts == 2);  // words 8 bytes apart
  CHECK(o.result.profile.instructions[0].counts.shared_conflicts == 1);
  CHECK(o.result.profile.instructions[4].counts.shared_wavefronts == 32);  // all lanes meet in a word
  o = profiled("predicated");
  CHECK(o.result.profile.instructions[1].counts.threads == 8);
}

TEST_CASE("blocks and warps as spans") {
  Kernel k{nop().stall(5), exit_op()};
  k.blocks(3).shape().dynamic_shared_bytes = 200000;  // one block at a time
  Outcome o = run(test_gpu(), k, everything());
  const stats::Profile& p = o.result.profile;
  REQUIRE(p.spans.size() == 6);
  // Launch 1000, hand out 1, start 10; gone 6 later, the next block 31 after that. A cycle is a nanosecond.
  const uint64_t starts[] = {1011, 1048, 1085};
  for (size_t b = 0; b < 3; ++b) {
    const stats::Span &warp = p.spans[2 * b], &block = p.spans[2 * b + 1];
    CHECK(warp.track == "SM 0 warps");
    CHECK(warp.name == "block (" + std::to_string(b) + ",0,0) warp 0");
    CHECK(block.track == "SM 0");
    CHECK(block.lane == 0);
    CHECK(block.name == "block (" + std::to_string(b) + ",0,0)");
    for (const stats::Span& s : {warp, block}) {
      CHECK(s.start_ps == starts[b] * 1000);
      CHECK(s.end_ps == (starts[b] + 6) * 1000);
    }
  }
  device::RunOptions few = everything();
  few.profile.max_spans = 4;
  o = run(test_gpu(), k, few);
  CHECK(o.result.profile.spans.size() == 4);
  CHECK(o.result.profile.dropped_spans == 2);
  few.profile.warps_of_sms = {1};  // nothing runs there
  o = run(test_gpu(2), k.blocks(1), few);
  CHECK(o.result.profile.spans.size() == 1);
}

TEST_CASE("each sample of a series has what has come since the one before") {
  Kernel k;
  k.add(nop().stall(11), 40);
  const Outcome o = run(test_gpu(1), k, everything());
  const auto at =
      std::find(stats::kSeriesCounters.begin(), stats::kSeriesCounters.end(), Counter::kWarpsActive);
  REQUIRE(at != stats::kSeriesCounters.end());
  // The launch begins at 1000, its one warp at 1011; when its last instruction has issued, at 1440, its end
  // at 1451 is known.
  uint64_t before = 1000, total = 0;
  for (const stats::SeriesSample& s : o.result.profile.series) {
    CAPTURE(s.cycle);
    const uint64_t growth = s.growth[static_cast<size_t>(at - stats::kSeriesCounters.begin())];
    if (s.cycle <= 1440) {
      CHECK(s.cycle == before + 16);
      CHECK(growth == s.cycle - std::max<uint64_t>(before, 1011));
    }
    before = s.cycle;
    total += growth;
  }
  CHECK(before > 1451);
  CHECK(total == 440);
}

TEST_CASE("the sums of a profile are the counters, which it does not change") {
  for (const auto& [name, make] : samples()) {
    CAPTURE(name);
    const Outcome& plain = outcome(name);
    const Outcome o = profiled(name);
    CHECK(o.result.cycles == plain.result.cycles);
    CHECK(o.result.totals.count == plain.result.totals.count);
    CHECK(o.result.totals.stall == plain.result.totals.stall);
    CHECK(plain.result.profile.empty());

    stats::InstructionCounts sum;
    for (const stats::InstructionProfile& p : o.result.profile.instructions) {
      sum.add(p.counts);
    }
    CHECK(sum.stall == o.result.totals.stall);
    CHECK(sum.executed == o[Counter::kInstExecuted]);
    CHECK(sum.threads == o[Counter::kThreadInstPredOn]);
    CHECK(sum.sectors == o[Counter::kL1Sectors]);
    CHECK(sum.sector_hits == o[Counter::kL1SectorHits]);
    CHECK(sum.shared_wavefronts == o[Counter::kSharedLdWavefronts] + o[Counter::kSharedStWavefronts] +
                                       o[Counter::kSharedAtomWavefronts]);
    CHECK(sum.shared_conflicts ==
          o[Counter::kSharedLdConflicts] + o[Counter::kSharedStConflicts] + o[Counter::kSharedAtomConflicts]);

    for (size_t c = 0; c < stats::kSeriesCounters.size(); ++c) {
      uint64_t total = 0, before = 0;
      for (const stats::SeriesSample& s : o.result.profile.series) {
        CHECK(s.cycle > before);
        before = s.cycle;
        total += s.growth[c];
      }
      CHECK(total == o[stats::kSeriesCounters[c]]);
      CHECK(before == o.result.cycles);
    }

    uint64_t blocks = 0, warp_ps = 0;
    for (const stats::Span& s : o.result.profile.spans) {
      const bool warp = s.track.ends_with("warps");
      blocks += !warp;
      warp_ps += warp ? s.end_ps - s.start_ps : 0;
    }
    CHECK(blocks == o[Counter::kBlocksLaunched]);
    CHECK(warp_ps == o[Counter::kWarpsActive] * 1000);
  }
}

TEST_CASE("a long series has longer intervals, not more samples") {
  Kernel k;
  k.add(nop().stall(15), 20000);
  device::RunOptions options;
  options.profile.series_interval = 1;
  Outcome o = run(test_gpu(), k, options);
  const auto& series = o.result.profile.series;
  CHECK(series.size() > stats::ProfileRequest::kMaxSamples / 2);
  CHECK(series.size() <= stats::ProfileRequest::kMaxSamples);
  uint64_t instructions = 0;
  for (const stats::SeriesSample& s : series) {
    instructions += s.growth[1];
  }
  CHECK(instructions == 20000);
  CHECK(o.result.profile.instructions.empty());
  // One warp, which issues every 15 cycles: halfway through half of it has happened.
  const stats::SeriesSample& mid = series[series.size() / 2];
  CHECK(mid.growth[0] == mid.cycle - series[series.size() / 2 - 1].cycle);
}

TEST_CASE("samples are taken at their interval") {
  Kernel k;
  k.add(nop().stall(15), 100);
  device::RunOptions options;
  options.profile.series_interval = 64;
  const Outcome o = run(test_gpu(), k, options);
  const auto& series = o.result.profile.series;
  const uint64_t start = test_gpu().launch().start_cycles();
  REQUIRE(series.size() >= 4);
  for (size_t i = 0; i + 1 < series.size(); ++i) {
    CHECK(series[i].cycle == start + 64 * (i + 1));
  }
  CHECK(series.back().cycle == o.result.cycles);
}

TEST_CASE("any number of threads and any quantum gives the same profile") {
  Sample s = samples().at("three blocks")();
  device::RunOptions options = everything();
  options.profile.series_interval = 50;
  const Outcome one = run(s.gpu, s.kernel.blocks(40), options);
  for (const auto& [threads, quantum] : {std::pair(3, 0), {1, 16}, {3, 16}, {1, 23}}) {
    CAPTURE(threads, quantum);
    options.threads = threads;
    options.quantum = static_cast<uint64_t>(quantum);
    const Outcome other = run(s.gpu, s.kernel, options);
    REQUIRE(one.result.profile.spans.size() == other.result.profile.spans.size());
    for (size_t i = 0; i < one.result.profile.spans.size(); ++i) {
      const stats::Span &a = one.result.profile.spans[i], &b = other.result.profile.spans[i];
      CHECK(a.track == b.track);
      CHECK(a.name == b.name);
      CHECK(a.start_ps == b.start_ps);
    }
    REQUIRE(one.result.profile.series.size() == other.result.profile.series.size());
    for (size_t i = 0; i < one.result.profile.series.size(); ++i) {
      CHECK(one.result.profile.series[i].cycle == other.result.profile.series[i].cycle);
      CHECK(one.result.profile.series[i].growth == other.result.profile.series[i].growth);
    }
  }
}

TEST_CASE("a profile cannot be had of a sampled launch") {
  Sample s = samples().at("three blocks")();
  device::RunOptions options = everything();
  CHECK_THROWS_AS(sampling::simulate(s.gpu, s.kernel, options, true), Error);
}

}  // namespace
}  // namespace heddle::simtest
