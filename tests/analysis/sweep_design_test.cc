#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "analysis/sweep/design.h"
#include "analysis/sweep/sampling.h"
#include "analysis/sweep/sweep_file.h"
#include "sim/base/error.h"

namespace heddle::sweep {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using Rows = std::vector<std::vector<std::string>>;

const std::string kHead = "trace: \"t\" gpu: \"h200\" ";

Sweep parse(const std::string& text) { return parse_sweep(kHead + text, "s.textproto"); }

Rows values(const std::string& text) {
  Rows out;
  for (const Point& p : design_points(parse(text))) {
    out.push_back(p.values);
  }
  return out;
}

std::string error(const std::string& text) {
  try {
    design_points(parse(text));
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

TEST_CASE("the generator is SplitMix64") {
  // The first numbers of the published generator with the seed 1234567.
  Random r(1234567);
  CHECK(r.next() == 6457827717110365317u);
  CHECK(r.next() == 3203168211198807973u);
  CHECK(r.next() == 9817491932198370423u);
}

TEST_CASE("below() gives each number") {
  Random r(1);
  std::set<uint64_t> seen;
  for (int i = 0; i < 200; ++i) {
    seen.insert(r.below(7));
  }
  CHECK(seen == std::set<uint64_t>{0, 1, 2, 3, 4, 5, 6});
  CHECK(r.below(1) == 0);
}

TEST_CASE("a Latin hypercube has one sample in each part of each dimension") {
  constexpr size_t kSamples = 37, kDimensions = 5;
  const auto samples = latin_hypercube(kSamples, kDimensions, 3);
  REQUIRE(samples.size() == kSamples);
  std::set<std::vector<size_t>> orders;
  for (size_t d = 0; d < kDimensions; ++d) {
    std::vector<size_t> parts;
    for (const auto& row : samples) {
      REQUIRE(row.size() == kDimensions);
      parts.push_back(static_cast<size_t>(std::floor(row[d] * kSamples)));
    }
    orders.insert(parts);
    std::sort(parts.begin(), parts.end());
    for (size_t i = 0; i < kSamples; ++i) {
      CHECK(parts[i] == i);
    }
  }
  CHECK(orders.size() == kDimensions);  // each dimension in an order of its own
  CHECK(samples == latin_hypercube(kSamples, kDimensions, 3));
  CHECK(samples != latin_hypercube(kSamples, kDimensions, 4));
}

TEST_CASE("a grid has every combination, the last axis fastest") {
  CHECK(values("axis { path: \"l2.ways\" value: \"8\" value: \"16\" }"
               "axis { path: \"tlb.enabled\" value: \"true\" value: \"false\" value: \"true\" }") ==
        Rows{{"8", "true"}, {"8", "false"}, {"8", "true"}, {"16", "true"}, {"16", "false"}, {"16", "true"}});
  CHECK(values("") == Rows{{}});
}

TEST_CASE("settings: those of all points first, every path of an axis, levels") {
  const auto points = design_points(
      parse("set: \"seed=3\""
            "axis { name: \"ways\" path: \"l2.ways\" path: \"sm.l1.ways\" value: \"4\" }"
            "axis { name: \"size\" level { name: \"small\" set: \"l2.ways=2\" set: \"l2.slices=8\" } }"));
  REQUIRE(points.size() == 1);
  CHECK(points[0].set ==
        std::vector<std::string>{"seed=3", "l2.ways=4", "sm.l1.ways=4", "l2.ways=2", "l2.slices=8"});
  CHECK(points[0].values == std::vector<std::string>{"4", "small"});
}

TEST_CASE("ranges") {
  CHECK(values("axis { path: \"l2.ways\" range { from: \"4\" to: \"10\" step: \"3\" } }") ==
        Rows{{"4"}, {"7"}, {"10"}});
  CHECK(values("axis { path: \"l2.ways\" range { from: \"4\" to: \"11\" step: \"3\" } }") ==
        Rows{{"4"}, {"7"}, {"10"}});
  CHECK(values("axis { path: \"clocks.core_mhz\" range { from: \"1\" to: \"2\" count: 5 } }") ==
        Rows{{"1"}, {"1.25"}, {"1.5"}, {"1.75"}, {"2"}});
  CHECK(values("axis { path: \"clocks.core_mhz\" range { from: \"0.1\" to: \"0.5\" step: \"0.1\" } }") ==
        Rows{{"0.1"}, {"0.2"}, {"0.3"}, {"0.4"}, {"0.5"}});
  CHECK(
      values(
          "axis { path: \"l2.total_bytes\" range { from: \"16KiB\" to: \"128KiB\" count: 4 scale: LOG } }") ==
      Rows{{"16384"}, {"32768"}, {"65536"}, {"131072"}});
}

TEST_CASE("a list takes the axes' values together") {
  CHECK(values("design: LIST axis { path: \"l2.ways\" value: \"8\" value: \"16\" }"
               "axis { path: \"seed\" range { from: \"1\" to: \"2\" count: 2 } }") ==
        Rows{{"8", "1"}, {"16", "2"}});
  CHECK_THAT(error("design: LIST axis { path: \"l2.ways\" value: \"8\" } axis { path: \"seed\" value: \"1\" "
                   "value: \"2\" }"),
             Contains("axis \"seed\": has 2 values, the first axis has 1"));
}

TEST_CASE("Latin-hypercube samples of whole numbers and lists are balanced") {
  // Twelve samples of four values: three of each.
  std::map<std::string, int> ways, policies;
  for (const auto& row : values("design: LATIN_HYPERCUBE samples: 12 seed: 5"
                                " axis { path: \"l2.ways\" range { from: \"3\" to: \"6\" } }"
                                " axis { path: \"sm.registers.model\" value: \"IDEAL\" value: \"BANKS\" }")) {
    ++ways[row[0]];
    ++policies[row[1]];
  }
  CHECK(ways == std::map<std::string, int>{{"3", 3}, {"4", 3}, {"5", 3}, {"6", 3}});
  CHECK(policies == std::map<std::string, int>{{"IDEAL", 6}, {"BANKS", 6}});
}

TEST_CASE("random samples come from the seed and stay in the range and on its steps") {
  const std::string axis =
      " axis { path: \"l2.total_bytes\" range { from: \"15MiB\" to: \"60MiB\" step: \"15MiB\" } }"
      " axis { path: \"clocks.core_mhz\" range { from: \"1000\" to: \"2000\" } }";
  const Rows a = values("design: RANDOM samples: 50 seed: 9" + axis);
  CHECK(a.size() == 50);
  CHECK(a == values("design: RANDOM samples: 50 seed: 9" + axis));
  CHECK(a != values("design: RANDOM samples: 50 seed: 10" + axis));
  for (const auto& row : a) {
    CHECK(std::fmod(*number_of(row[0]), 15 << 20) == 0);
    CHECK(*number_of(row[0]) >= 15 << 20);
    CHECK(*number_of(row[0]) <= 60 << 20);
    CHECK(*number_of(row[1]) >= 1000);
    CHECK(*number_of(row[1]) < 2000);
  }
}

TEST_CASE("numbers") {
  CHECK(number_of("16KiB") == 16384.0);
  CHECK(number_of("1.5GiB") == 1.5 * 1024 * 1024 * 1024);
  CHECK(number_of("-2") == -2.0);
  CHECK_FALSE(number_of("16 KiB"));
  CHECK_FALSE(number_of("small"));
  CHECK_FALSE(number_of(""));
}

TEST_CASE("errors say where and what is legal") {
  CHECK_THROWS_WITH(parse_sweep("trace: \"t\"\ngpus: \"x\"", "s.textproto"),
                    StartsWith("s.textproto:2:") && Contains("\"gpus\"; there are: trace, gpu, fidelity"));
  CHECK_THROWS_WITH(parse_sweep(kHead + "axis { values: \"1\" }", "s"),
                    Contains("there are: name, path, value"));
  CHECK_THROWS_WITH(parse_sweep(kHead + "design: GRIT", "s"), Contains("legal values: GRID, LIST, RANDOM"));
  CHECK_THROWS_WITH(parse_sweep("gpu: \"x\"", "s"), "s: needs at least one `trace`");
  CHECK_THROWS_WITH(parse_sweep(kHead + "gpu: \"h200\"", "s"), Contains("gpu \"h200\" is given twice"));
  CHECK_THROWS_WITH(parse("axis { path: \"l2.ways\" }"),
                    "s.textproto:1: axis 1 \"l2.ways\": needs one of `value`, `range` and `level`, has none");
  CHECK_THROWS_WITH(parse("axis { value: \"1\" }"), Contains("needs a `path`"));
  CHECK_THROWS_WITH(parse("axis { path: \"l2.ways\" value: \"1\" } axis { path: \"l2.ways\" value: \"1\" }"),
                    Contains("axis 2 \"l2.ways\": the name is taken"));
  CHECK_THROWS_WITH(parse("axis { path: \"l2.ways\" range { from: \"1\" to: \"2\" } }"),
                    Contains("needs `count` or `step`"));
  CHECK_THROWS_WITH(parse("axis { path: \"l2.ways\" range { from: \"1\" to: \"2\" count: 1 } }"),
                    Contains("count = 1"));
  CHECK_THROWS_WITH(parse("samples: 5"), Contains("samples = 5; legal values: none"));
  CHECK_THROWS_WITH(parse("design: RANDOM"), Contains("samples = 0; legal values: 1 and more"));
  CHECK_THAT(error("axis { path: \"l2.wayz\" value: \"1\" }"),
             StartsWith("s.textproto:1: axis \"l2.wayz\"") && Contains("l2.ways"));
  CHECK_THAT(error("axis { path: \"l2.ways\" range { from: \"1\" to: \"x\" count: 2 } }"),
             Contains("to = \"x\""));
  CHECK_THAT(error("axis { path: \"l2.ways\" range { from: \"2\" to: \"1\" count: 2 } }"), Contains("below"));
  CHECK_THAT(error("axis { path: \"l2.hash\" range { from: \"1\" to: \"2\" count: 2 } }"),
             Contains("l2.hash is no number"));
  CHECK_THAT(
      error("axis { path: \"l2.ways\" range { from: \"1\" to: \"2000000\" step: \"1\" } }"),
      StartsWith("s.textproto: the axes make 2000000 points; at most 20000 are possible unless max_points"));
  CHECK_THAT(
      error("max_points: 1000000 axis { path: \"l2.ways\" range { from: \"1\" to: \"1e300\" step: \"1\" } }"),
      Contains("1e+15 points; at most 1000000 are possible"));
  CHECK_THROWS_WITH(parse("\nretries: 4294967295"),
                    "s.textproto:2: retries = 4294967295; legal values: 0 to 100");
  CHECK_THROWS_WITH(parse("timeout_s: nan"),
                    StartsWith("s.textproto:1: timeout_s = nan; legal values: 0 (never)"));
  CHECK_THROWS_WITH(parse("fidelity: \"\""), StartsWith("s.textproto:1: fidelity is empty"));
  CHECK_THROWS_WITH(parse("\naxis { name: \"cycles\" path: \"l2.ways\" value: \"1\" }"),
                    StartsWith("s.textproto:2: axis 1 \"cycles\": the name is taken"));
}

TEST_CASE("a sweep's text is read back as the same") {
  const Sweep s =
      parse("design: RANDOM samples: 5 axis { path: \"l2.ways\" range { from: \"1\" to: \"2\" } }");
  CHECK(to_text(parse_sweep(to_text(s), "again")) == to_text(s));
}

}  // namespace
}  // namespace heddle::sweep
