#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <span>

#include "analysis/validate/ablation.h"
#include "analysis/validate/comparison.h"
#include "analysis/validate/reference.h"
#include "analysis/validate/validation_csv.h"
#include "analysis/validate/validation_text.h"
#include "tests/analysis/sample_records.h"

namespace heddle::analysis {
namespace {

constexpr char kTable[] =
    "name,cycles_median,sm_active_cycles_max_median,kernel,dram__bytes_read.sum,"
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio,"
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio,"
    "smsp__average_warps_issue_stalled_branch_resolve_per_issue_active.ratio\n"
    "vecadd,11282.0,8000,\"k(int, int)\",8391424,40,2,\n"
    "other,20000,,x,0,1,3,\n"
    "third,500,,x,,,,\n";

std::vector<Match> sample_matches() {
  std::vector<Match> m;
  for (const ReferenceRow& row : parse_reference(kTable, "suite.csv").rows) {
    m.push_back({row, std::nullopt, ""});
  }
  m[0].launch = sample_launch("vecadd", 1, 0);
  m[1].launch = sample_launch("other", 1, 1);
  m[2].failure = "k.traceg:7: bad";
  return m;
}

TEST_CASE("reference tables") {
  const Reference r = parse_reference(kTable, "suite.csv");
  REQUIRE(r.rows.size() == 3);
  CHECK(r.rows[0].name == "vecadd");
  CHECK(r.rows[0].launch == 1);
  CHECK(r.rows[0].value(kCycles) == 11282.0);
  CHECK(r.rows[0].value(kSmActiveCycles) == 8000);
  CHECK(r.rows[0].value("dram__bytes_read.sum") == 8391424);
  CHECK_FALSE(r.rows[0].value("kernel"));
  CHECK_FALSE(r.rows[1].value(kSmActiveCycles));
}

TEST_CASE("a summary of an earlier run is a reference table") {
  const Reference r = parse_reference(
      "trace,launch,kernel,cycles,sm_active_cycles,warp_instructions,wall_seconds\n"
      "app,1,k,100,90,5,0.1\napp,2,k,200,180,5,0.1\n",
      "s.csv");
  REQUIRE(r.rows.size() == 2);
  CHECK(r.rows[1].name == "app");
  CHECK(r.rows[1].launch == 2);
  CHECK(r.rows[1].value(kCycles) == 200);
  CHECK(r.rows[1].value(kSmActiveCycles) == 180);
}

TEST_CASE("bad reference tables") {
  CHECK_THROWS_WITH(parse_reference("kernel,cycles\nx,1\n", "r.csv"),
                    "r.csv:1: a reference table needs the columns 'name' or 'trace'");
  CHECK_THROWS_WITH(parse_reference("name,x\nx,1\n", "r.csv"),
                    "r.csv:1: a reference table needs the columns 'cycles_median' or 'cycles'");
  CHECK_THROWS_WITH(parse_reference("name,cycles\nx,fast\n", "r.csv"),
                    "r.csv:2: column 'cycles': 'fast' is not a number");
  CHECK_THROWS_WITH(parse_reference("name,cycles\nx,nan\n", "r.csv"),
                    "r.csv:2: column 'cycles': 'nan' is not a number");
  CHECK_THROWS_WITH(parse_reference("name,cycles\n,1\n", "r.csv"), "r.csv:2: empty name");
  CHECK_THROWS_WITH(parse_reference("name,cycles\nx,1\nx,2\n", "r.csv"),
                    "r.csv:3: 'x' launch 1 is in the table twice");
  CHECK_THROWS_WITH(parse_reference("name,launch,cycles\nx,0,1\n", "r.csv"),
                    "r.csv:2: launch '0' is not a positive integer");
  CHECK_THROWS_WITH(parse_reference("name,cycles\n", "r.csv"), "r.csv: the reference table has no rows");
}

TEST_CASE("common values") {
  const std::vector<Match> m = sample_matches();
  const MetricValues cycles = common_values(m, kCycles);
  CHECK(cycles.match == std::vector<size_t>{0, 1});
  CHECK(cycles.pairs[1].measured == 20000);
  CHECK(cycles.pairs[1].simulated == 11283);
  CHECK(common_values(m, kSmActiveCycles).match == std::vector<size_t>{0});
  CHECK(common_values(m, "no_such_metric").pairs.empty());
}

TEST_CASE("metric summaries") {
  const std::vector<MetricSummary> all = summarize_metrics(sample_matches());
  REQUIRE(all.size() == 3);  // one DRAM counter, two stall ratios
  CHECK(all[0].metric == "dram__bytes_read.sum");
  CHECK(all[0].unit == "byte");
  CHECK(all[0].kernels == 2);
  CHECK(all[0].exact == 1);
  CHECK(all[0].undefined == 1);
  CHECK(all[0].mean_relative == 0);
  CHECK(all[0].mean_difference == Approx(8391424 / 2.0));
}

// Warps per issue of two reasons and of `selected`.
Match stall_match(const std::string& name, std::array<double, 3> measured, std::array<double, 3> simulated) {
  const std::array<std::string, 3> metrics = {stall_metric("wait"), stall_metric("long_scoreboard"),
                                              stall_metric("selected")};
  Match m;
  m.reference.name = name;
  m.launch = LaunchRecord();
  m.launch->values.assign(stats::catalogue().size(), std::numeric_limits<double>::quiet_NaN());
  for (size_t i = 0; i < 3; ++i) {
    m.reference.values[metrics[i]] = measured[i];
    m.launch->values[*metric_index(metrics[i])] = simulated[i];
  }
  return m;
}

TEST_CASE("stall agreement") {
  // one: 2 of 8 and 5 of 8 warps against 1 of 4 and 2 of 4; two: 3 and 1 of 5 against 1 and 8 of 10.
  const std::vector<Match> m = {stall_match("one", {2, 5, 1}, {1, 2, 1}),
                                stall_match("two", {3, 1, 1}, {1, 8, 1}), sample_matches()[2]};
  const StallAgreement s = compare_stalls(m);
  REQUIRE(s.kernels.size() == 2);
  CHECK(s.kernels[0].measured == "long_scoreboard");
  CHECK(s.kernels[0].measured_share == Approx(62.5));
  CHECK(s.kernels[0].simulated == "long_scoreboard");
  CHECK(s.kernels[0].simulated_share == Approx(50));
  CHECK(s.kernels[0].agrees());
  CHECK(s.kernels[1].measured == "wait");
  CHECK(s.kernels[1].measured_share == Approx(60));
  CHECK(s.kernels[1].simulated == "long_scoreboard");
  CHECK(s.kernels[1].simulated_share == Approx(80));
  CHECK_FALSE(s.kernels[1].agrees());
  CHECK(s.agreeing() == 1);
  REQUIRE(s.reasons.size() == 2);  // `selected` is none
  CHECK(s.reasons[0].name == "wait");
  CHECK(s.reasons[0].kernels == 2);
  CHECK(s.reasons[0].mean_measured == Approx((25 + 60) / 2.0));
  CHECK(s.reasons[0].mean_simulated == Approx((25 + 10) / 2.0));
  CHECK(s.reasons[0].mean_difference == Approx((0 + 50) / 2.0));
  CHECK(s.reasons[1].name == "long_scoreboard");
  CHECK(s.reasons[1].mean_difference == Approx((12.5 + 60) / 2));
  CHECK(stall_text(s).find("agrees for 1 of 2 kernels, 50 %") != std::string::npos);
  CHECK(stall_csv(std::span(m).first(1)) ==
        "one,1,stall_share.wait,25,25,0.000000\n"
        "one,1,stall_share.long_scoreboard,62.5,50,-0.200000\n");
}

TEST_CASE("halves") {
  std::vector<Match> m;
  for (const double measured : {100.0, 200.0, 400.0, 100.0}) {
    Match k;
    k.reference.name = std::to_string(m.size());
    k.reference.values[kCycles] = measured;
    k.launch = LaunchRecord();
    k.launch->cycles = 110;
    m.push_back(k);
  }
  m[2].launch.reset();  // not simulated: the others keep their halves
  const std::array<MetricValues, 2> halves = alternate_halves(m, kCycles);
  CHECK(halves[0].match == std::vector<size_t>{0});
  CHECK(halves[1].match == std::vector<size_t>{1, 3});
  CHECK(split_text(m, kCycles, "cycles") ==
        "cycles, error of      kernels    mean  median  90th percentile  largest     bias\n"
        "--------------------------------------------------------------------------------\n"
        "kernels 1, 3, 5, ...        1  10.0 %  10.0 %           10.0 %   10.0 %  +10.0 %\n"
        "kernels 2, 4, 6, ...        2  27.5 %  27.5 %           41.5 %   45.0 %  -17.5 %\n"
        "difference in points            +17.5   +17.5            +31.5    +35.0    -27.5\n");
}

TEST_CASE("ablation rows") {
  // Measured 100, 200, 400; the default 110, 210, 400; without: 130, 201, failed.
  std::vector<Match> all, without;
  const std::array<double, 3> measured = {100, 200, 400};
  const std::array<uint64_t, 3> base = {110, 210, 400}, simulated = {130, 201, 0};
  for (size_t i = 0; i < 3; ++i) {
    Match m;
    m.reference.name = std::string(1, static_cast<char>('a' + i));
    m.reference.values[kCycles] = measured[i];
    m.launch = LaunchRecord();
    m.launch->cycles = base[i];
    m.launch->warp_instructions = 1000;
    all.push_back(m);
    m.launch->cycles = simulated[i];
    without.push_back(m);
  }
  without[2].launch.reset();
  AblationRow first = ablation_row(all, all), r = ablation_row(without, all);
  CHECK(r.failed == 1);
  CHECK(r.cycles.count == 2);
  CHECK(r.cycles.mean == Approx((0.3 + 0.005) / 2));
  CHECK(r.largest == "a");
  CHECK(r.worse == 1);   // 10 % -> 30 %
  CHECK(r.better == 1);  // 5 % -> 0.5 %
  CHECK(r.most == "a");
  CHECK(r.most_difference == Approx(0.2));
  CHECK(r.warp_instructions == 2000);
  first.name = "default";
  first.cpu_seconds = 2;  // 1500 a second
  r.name = "x";
  r.instead = "y, z";
  r.config_hash = "abc";
  r.cpu_seconds = 4;  // 500 a second
  const std::string csv = ablation_csv(std::vector{first, r});
  CHECK(csv.substr(csv.rfind("\nx,") + 1) ==
        "x,\"y, z\",abc,2,1,0.152500,0.152500,0.270500,0.300000,a,0.000000,0.102500,1,1,a,0.200000,2000,4.00,"
        "0.333\n");
  const std::string text = ablation_text(std::vector{first, r});
  CHECK(text.find("x (1 failed)  15.2 %") != std::string::npos);
  CHECK(text.find("0.33x") != std::string::npos);
}

TEST_CASE("tables") {
  const std::vector<Match> m = sample_matches();
  CHECK(kernel_table(m, kCycles) ==
        "kernel  measured  simulated    error\n"
        "-------------------------------------------------------------\n"
        "vecadd    11,282     11,282   +0.0 %\n"
        "other     20,000     11,283  -43.6 %\n"
        "third        500          -        -  failed: k.traceg:7: bad\n");
  CHECK(error_summary(m, common_values(m, kCycles), "cycles") ==
        "cycles: error of 2 kernels: mean 21.8 %, median 21.8 %, 90th percentile 39.2 %, largest 43.6 % "
        "(other),"
        " bias -21.8 %\n"
        "  within 5 %: 1, 10 %: 1, 20 %: 1, 50 %: 2 of 2; correlation 1.0000, of logarithms 1.0000\n");
  CHECK(error_summary(m, {}, "x") == "x: no kernel has both a measured and a simulated value\n");
  CHECK(metrics_overview(summarize_metrics(m)).find("dram__bytes_read.sum") != std::string::npos);
}

TEST_CASE("csv") {
  CHECK(validation_csv(sample_matches(), {kCycles, kSmActiveCycles}) ==
        "name,launch,metric,measured,simulated,relative_error\n"
        "vecadd,1,cycles,11282,11282,0.000000\n"
        "vecadd,1,sm_active_cycles,8000,8207,0.025875\n"
        "other,1,cycles,20000,11283,-0.435850\n"
        "third,1,cycles,500,,\n");
}

}  // namespace
}  // namespace heddle::analysis
