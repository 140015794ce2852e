// Metrics: what derive() computes, and that the catalogue knows every name.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/sim/stats/kernels.h"

namespace heddle::simtest {
namespace {

std::map<std::string, double> metrics(const stats::KernelResult& r) {
  std::map<std::string, double> out;
  for (const stats::Metric& m : stats::derive(r)) {
    CHECK(out.emplace(m.name, m.value).second);  // no name twice
  }
  return out;
}

TEST_CASE("the catalogue has every derived name once, with unit and meaning, and nothing else") {
  std::set<std::string> names;
  for (const stats::MetricInfo& i : stats::catalogue()) {
    CAPTURE(i.name);
    CHECK(names.insert(i.name).second);
    CHECK_FALSE(i.unit.empty());
    CHECK_FALSE(i.meaning.empty());
  }
  std::set<std::string> derived;
  for (const auto& [name, value] : metrics(outcome("global").result)) {
    derived.insert(name);
  }
  CHECK(derived == names);
}

TEST_CASE("counters have distinct names, stall reasons too") {
  std::set<std::string_view> names;
  for (const stats::CounterInfo& c : stats::kCounterInfo) {
    CHECK(names.insert(c.name).second);
  }
  names.clear();
  for (const stats::StallInfo& s : stats::kStallInfo) {
    CHECK(names.insert(s.name).second);
  }
}

TEST_CASE("raw counters come out under their names") {
  const Outcome& o = outcome("global");
  std::map<std::string, double> m = metrics(o.result);
  for (int i = 0; i < stats::kCounterCount; ++i) {
    CHECK(m.at(std::string(stats::kCounterInfo[i].name)) == o.result.totals.count[i]);
  }
}

TEST_CASE("ratios, from figures set by hand") {
  stats::KernelResult r;
  r.sms = 4;
  r.subcores_per_sm = 4;
  r.max_warps_per_sm = 64;
  r.core_mhz = 2000;
  r.cycles = 3000;
  r.sm_active_cycles_max = 1000;
  r.sm_active_cycles_sum = 2000;
  r.totals[Counter::kInstExecuted] = 4000;
  r.totals[Counter::kIssueActive] = 4000;
  r.totals[Counter::kWarpsActive] = 32000;
  r.totals[Counter::kL1Sectors] = 200;
  r.totals[Counter::kL1SectorHits] = 50;
  r.totals[Counter::kL2Sectors] = 80;
  r.totals[Counter::kL2SectorHits] = 90;  // memory barriers hit and are no look-ups
  r.totals[Counter::kL2FromSm] = 50;
  r.totals[Counter::kL2FromSmHits] = 20;
  r.totals[Stall::kLongScoreboard] = 10000;
  r.occupancy.limit_warps = 8;
  r.occupancy.theoretical_pct = 75;
  r.shape.grid = {7, 2, 1};
  r.shape.block = {32, 4, 1};
  std::map<std::string, double> m = metrics(r);
  CHECK(m.at("gpc__cycles_elapsed.max") == 3000);
  CHECK(m.at("gpu__time_duration.sum") == Approx(1500));
  CHECK(m.at("sm__cycles_active.max") == 1000);
  CHECK(m.at("sm__cycles_active.avg") == 500);
  CHECK(m.at("sm__inst_executed.avg.per_cycle_active") == 2);
  CHECK(m.at("smsp__issue_active.avg.pct_of_peak_sustained_active") == 50);
  CHECK(m.at("sm__warps_active.avg.per_cycle_active") == 16);
  CHECK(m.at("sm__warps_active.avg.pct_of_peak_sustained_active") == 25);
  CHECK(m.at("l1tex__t_sector_hit_rate.pct") == 25);
  CHECK(m.at("lts__t_sector_hit_rate.pct") == Approx(112.5));
  CHECK(m.at("heddle__l2_hit_rate.pct") == 40);
  CHECK(m.at("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio") == 2.5);
  CHECK(m.at("launch__occupancy_limit_warps") == 8);
  CHECK(m.at("sm__maximum_warps_per_active_cycle_pct") == 75);
  CHECK(m.at("launch__grid_size") == 14);
  CHECK(m.at("launch__block_size") == 128);
}

TEST_CASE("a launch in which nothing happened has no infinities") {
  stats::KernelResult r;
  r.core_mhz = 1000;
  for (const auto& [name, value] : metrics(r)) {
    CAPTURE(name);
    CHECK(value == value);
    CHECK(value < 1e9);
  }
}

TEST_CASE("stall ratios times issues are the warp-cycles of the states") {
  const Outcome& o = outcome("barrier");
  std::map<std::string, double> m = metrics(o.result);
  double sum = 0;
  for (const stats::StallInfo& s : stats::kStallInfo) {
    sum += m.at("smsp__average_warps_issue_stalled_" + std::string(s.name) + "_per_issue_active.ratio");
  }
  CHECK(sum * o[Counter::kIssueActive] == Approx(o[Counter::kWarpsActive]));
}

TEST_CASE("counter sets add up") {
  stats::CounterSet a, b;
  a[Counter::kInstExecuted] = 3;
  a[Stall::kWait] = 5;
  b[Counter::kInstExecuted] = 4;
  b[Stall::kWait] = 6;
  b[Counter::kBulkBytes] = 1;
  a.add(b);
  CHECK(a[Counter::kInstExecuted] == 7);
  CHECK(a[Stall::kWait] == 11);
  CHECK(a[Counter::kBulkBytes] == 1);
}

}  // namespace
}  // namespace heddle::simtest
