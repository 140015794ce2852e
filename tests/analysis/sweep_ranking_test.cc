#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "analysis/store/result_store.h"
#include "analysis/sweep/collect.h"
#include "analysis/sweep/ranking.h"
#include "analysis/sweep/ranking_text.h"
#include "analysis/sweep/results.h"
#include "analysis/sweep/table.h"
#include "sim/base/error.h"
#include "tests/analysis/sample_records.h"
#include "tests/support/temp_dir.h"

namespace heddle::sweep {
namespace {

using Catch::Matchers::Contains;
using test::TempDir;
using Indices = std::vector<size_t>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("geometric mean") {
  CHECK(*geometric_mean({1, 4, 16}) == Approx(4));
  CHECK(*geometric_mean({0.5}) == Approx(0.5));
  CHECK_FALSE(geometric_mean({}));
  CHECK_FALSE(geometric_mean({1, 0}));
  CHECK_FALSE(geometric_mean({1, kNan}));
}

TEST_CASE("scores are geometric means relative to the baseline") {
  const Scores s = scores({{100, 10}, {50, 80}, {200, kNan}}, 0);
  CHECK(s.relative);
  CHECK(s.of[0] == Approx(1));
  CHECK(s.of[1] == Approx(2));  // sqrt(0.5 * 8)
  CHECK(std::isnan(s.of[2]));
  // A zero somewhere: arithmetic means.
  const Scores plain = scores({{100, 10}, {50, 0}}, 0);
  CHECK_FALSE(plain.relative);
  CHECK(plain.of == std::vector<double>{55, 25});
}

TEST_CASE("ranked: best first, without what is missing, stable") {
  CHECK(ranked({3, kNan, 1, 3, 2}, false) == Indices{2, 4, 0, 3});
  CHECK(ranked({3, kNan, 1, 3, 2}, true) == Indices{0, 3, 4, 2});
}

TEST_CASE("Pareto front") {
  // By hand: (1, 9), (2, 5) twice, (4, 4), (7, 1); (3, 6) and (8, 1) are dominated, (5, NaN) is missing.
  CHECK(pareto_front({{2, 5}, {7, 1}, {3, 6}, {1, 9}, {8, 1}, {2, 5}, {5, kNan}, {4, 4}}) ==
        Indices{3, 0, 5, 7, 1});
  CHECK(pareto_front({{1, 1, 2}, {1, 2, 1}, {1, 2, 2}}) == Indices{0, 1});
  CHECK(pareto_front({}).empty());
}

TEST_CASE("objectives") {
  CHECK(parse_objective("cycles").name == "cycles");
  CHECK_FALSE(parse_objective("cycles:min").largest);
  CHECK(parse_objective("l1tex__t_sector_hit_rate.pct:max").largest);
  CHECK(parse_objective("l1tex__t_sector_hit_rate.pct:max").name == "l1tex__t_sector_hit_rate.pct");
  CHECK(metric_name("cycles") == "gpc__cycles_elapsed.max");
  CHECK(metric_name("cycle").empty());
}

// Two axes, two GPUs' worth of runs, two launches; cycles of run r and launch l as given, 0 for none.
void write_sweep(const std::filesystem::path& folder, const std::vector<std::vector<uint64_t>>& cycles) {
  Collection c;
  c.axes = {"l2.size", "policy"};
  std::filesystem::create_directory(folder / "s");
  for (size_t r = 0; r < cycles.size(); ++r) {
    analysis::RunRecord run = analysis::sample_run();
    run.config_hash = fmt::format("h{}", r);
    c.runs.push_back(
        {[run] { return run; }, r, {fmt::format("{}MiB", 10 * (r % 2 + 1)), r < 2 ? "A" : "B"}, {}});
    analysis::ResultStore store(folder / "s" / fmt::format("{}.db", r), run);
    for (uint32_t l = 0; l < 2; ++l) {
      c.runs.back().launches.push_back({run.config_hash, l ? "slow" : "fast", 1, "fedcba9876543210", false});
      if (cycles[r][l] == 0) {
        continue;
      }
      stats::KernelResult result = analysis::sample_result(r);
      result.cycles = cycles[r][l];
      analysis::LaunchRecord record = analysis::make_record(result);
      record.trace = l ? "slow" : "fast";
      record.launch = 1;
      record.trace_hash = "fedcba9876543210";
      store.add(record);
    }
  }
  collect(folder / "r.db", c, ShardIndex(folder / "s", analysis::sample_run().revision));
}

TEST_CASE("the best of a sweep, over all traces and by group") {
  TempDir dir;
  // Relative to run 1: 1, sqrt(0.5 * 0.5) = 0.5, sqrt(0.25 * 4) = 1, missing.
  write_sweep(dir.path, {{100, 1000}, {50, 500}, {25, 4000}, {10, 0}});
  SweepResults r(dir / "r.db");
  CHECK(r.axes() == std::vector<std::string>{"l2.size", "policy"});
  CHECK(r.launches() == std::vector<std::string>{"fast/1", "slow/1"});
  REQUIRE(r.configs().size() == 4);
  CHECK(r.configs()[2].values == std::vector<std::string>{"10MiB", "B"});
  CHECK(baseline_of(r, std::nullopt) == 0);
  CHECK(baseline_of(r, 2) == 2);
  CHECK_THROWS_WITH(baseline_of(r, 3), Contains("point 3 is not there, or lacks a launch"));

  CHECK(best_text(r, {"cycles"}, 0, "", 2) ==
        "point  l2.size  policy  gpu   cycles, relative  baseline / it\n"
        "-------------------------------------------------------------\n"
        "    1    20MiB       A  h200            0.5000          2.000\n"
        "    0    10MiB       A  h200            1.0000          1.000\n"
        "relative: to point 0 on h200, geometric mean over 2 launches\n"
        "1 configurations lack a launch and are left out\n");
  const std::string by_trace = best_text(r, {"cycles"}, 0, "trace", 1);
  CHECK_THAT(by_trace, Contains("fast/1      3    20MiB       B  h200      10         100         10.000"));
  CHECK_THAT(by_trace, Contains("slow/1      1    20MiB       A  h200     500       1,000          2.000"));
  const std::string by_policy = best_text(r, {"cycles"}, 0, "policy", 1);
  CHECK_THAT(by_policy, Contains("    1    20MiB       A") && Contains("    2    10MiB       B"));
  CHECK_THAT(by_policy, !Contains("    0    10MiB       A"));
  CHECK_THROWS_WITH(best_text(r, {"cycles"}, 0, "speed", 1),
                    "--group-by speed: legal values: trace, gpu, l2.size, policy");
  CHECK_THROWS_WITH(objective_scores(r, {"nothing"}, 0),
                    Contains("neither a metric") && Contains("l2.size, policy"));
  CHECK_THROWS_WITH(objective_scores(r, {"policy"}, 0), "axis 'policy': \"A\" is no number");
}

TEST_CASE("a table of all launches: by launch, in the sweep's order or by time") {
  TempDir dir;
  write_sweep(dir.path, {{100, 1000}, {50, 500}, {25, 4000}, {10, 0}});
  const ResultTable plain = read_table(dir / "r.db", false), sorted = read_table(dir / "r.db", true);
  const auto cycles = [](const ResultTable& t) {
    std::vector<uint64_t> out;
    out.reserve(t.rows.size());
    for (const TableRow& r : t.rows) {
      out.push_back(r.cycles);
    }
    return out;
  };
  CHECK(plain.axes == std::vector<std::string>{"l2.size", "policy"});
  CHECK(cycles(plain) == std::vector<uint64_t>{100, 50, 25, 10, 1000, 500, 4000});
  CHECK(cycles(sorted) == std::vector<uint64_t>{10, 25, 50, 100, 500, 1000, 4000});
  CHECK(sorted.rows[6].launch == "slow/1");
  CHECK(sorted.rows[6].values == std::vector<std::string>{"10MiB", "B"});
  CHECK(sorted.rows[6].seconds == Approx(4000 / (sorted.rows[6].core_mhz * 1e6)));
  const std::string text = table_text(sorted);
  CHECK_THAT(text, Contains("slow/1      1  h200    20MiB       A     500") && Contains("1.00x"));
  CHECK_THAT(text, Contains("8.00x"));  // 4,000 of 500
  const std::string csv = table_csv(sorted);
  CHECK(csv.starts_with(
      "launch,point,gpu,l2.size,policy,cycles,core_mhz,seconds,issue_pct,l2_pct,dram_pct,bound\n"
      "fast/1,3,h200,20MiB,B,10,"));
  const std::string svg = table_svg(sorted);
  CHECK(svg.starts_with("<svg "));
  size_t bars = 0;
  for (size_t at = svg.find("<title>"); at != std::string::npos; at = svg.find("<title>", at + 1)) {
    ++bars;
  }
  CHECK(bars == 7);
  CHECK_THAT(table_svg({{}, {}}), Contains("</svg>"));
}

TEST_CASE("the Pareto front of a sweep, in text and as a picture") {
  TempDir dir;
  write_sweep(dir.path, {{100, 1000}, {50, 500}, {200, 1000}, {40, 800}});
  SweepResults r(dir / "r.db");
  // By cycles and size: run 2 (0.5, 20 MiB) and run 1 (1, 10 MiB).
  CHECK(pareto_text(r, {{"cycles"}, {"l2.size"}}, 0) ==
        "point  l2.size  policy  gpu   cycles, relative     l2.size\n"
        "----------------------------------------------------------\n"
        "    1    20MiB       A  h200            0.5000  20,971,520\n"
        "    0    10MiB       A  h200            1.0000  10,485,760\n"
        "2 of 4 configurations are on the Pareto front\n"
        "relative: to point 0 on h200, geometric mean over 2 launches\n");
  const std::string svg = pareto_svg(r, {{"cycles"}, {"l2.size"}}, 0);
  CHECK_THAT(svg, Contains("4 configurations, 2 on the front"));
  CHECK_THAT(svg, Contains("<title>point 3 h200: 20MiB, B</title>"));
  CHECK_THROWS_WITH(pareto_svg(r, {{"cycles"}, {"l2.size"}, {"time"}}, 0),
                    "--svg draws two objectives, not 3");
  // 10 MiB: launch fast 1 and 2, slow 1 and 1; the mean over both sqrt(sqrt(2)).
  CHECK_THAT(map_svg(r, "cycles", 0, "l2.size", "policy"), Contains("<title>10MiB, B: 1.4142</title>"));
  CHECK_THAT(axis_svg(r, "cycles", 0, "l2.size"), Contains("geometric mean") && Contains("slow/1"));
  CHECK_THROWS_WITH(axis_svg(r, "cycles", 0, "size"), "no axis 'size'; legal values: l2.size, policy");
}

TEST_CASE("a database that is not of a sweep") {
  TempDir dir;
  analysis::ResultStore(dir / "r.db", analysis::sample_run()).add(analysis::sample_launch("a", 1, 1));
  CHECK_THROWS_WITH(SweepResults(dir / "r.db"), Contains("not the database of a sweep"));
  CHECK_THROWS_WITH(SweepResults(dir / "no.db"), Contains("no such file"));
}

}  // namespace
}  // namespace heddle::sweep
