// Configurations of later runs, as changes of an earlier one's.
#include "analysis/store/config_text.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <stdexcept>

#include "analysis/report/roofs.h"
#include "analysis/store/result_reader.h"
#include "analysis/store/result_store.h"
#include "sim/base/error.h"
#include "tests/analysis/sample_records.h"
#include "tests/support/temp_dir.h"

namespace heddle::analysis {
namespace {

using Catch::Matchers::Contains;

// Lines of which many are the same, as closing braces are.
std::string sample_text(size_t lines, const std::string& first = "a") {
  std::string out;
  for (size_t i = 0; i < lines; ++i) {
    out += i % 5 == 4 ? std::string("}\n") : fmt::format("{}{}: {}\n", first, i, i);
  }
  return out;
}

void check_there_and_back(const std::string& base, const std::string& text) {
  const std::string stored = config_changes(base, 7, text);
  INFO(stored);
  REQUIRE(base_of(stored).value_or(0) == 7);
  CHECK(whole_config(stored, base) == text);
}

std::string without(std::string text, const std::string& part, const std::string& instead = "") {
  const size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), instead);
}

TEST_CASE("a text is that of its base with a few lines changed, added and left out") {
  const std::string base = sample_text(200);
  check_there_and_back(base, base);
  check_there_and_back(base, without(base, "a50: 50\n", "a50: 51 # --set\n"));
  check_there_and_back(base, without(base, "a0: 0\n"));
  check_there_and_back(base, without(base, "a198: 198\n}\n"));
  check_there_and_back(base, base + "more: 1\n}\n");
  check_there_and_back(base, "first: 1\n" + without(without(base, "a50: 50\n", "x\ny\n"), "}\n"));
  check_there_and_back(base, without(base, "a100: 100\n", "@1,2,3\n# as run 1\n"));
  const std::string one = config_changes(base, 1, without(base, "a50: 50\n", "a50: 51\n"));
  CHECK(one.substr(one.find('\n')) == "\n@50,1,1\na50: 51\n");
}

TEST_CASE("what has little in common with its base is stored whole") {
  const std::string base = sample_text(200), other = sample_text(200, "b"), open = base + "no end";
  CHECK(config_changes(base, 1, other) == other);
  CHECK(config_changes(base, 1, open) == open);
  CHECK(config_changes("", 1, other) == other);
  CHECK_FALSE(base_of(other));
  CHECK_FALSE(base_of(""));
  CHECK_FALSE(base_of("# as run 1, with the overrides of this one\n"));  // of earlier versions
}

TEST_CASE("changes of another base, or damaged ones, are errors") {
  const std::string base = sample_text(200);
  const std::string stored = config_changes(base, 1, without(base, "a50: 50\n", "a50: 51\n"));
  CHECK_THROWS_WITH(whole_config(stored, base + "x\n"), Contains("does not belong"));
  CHECK_THROWS_WITH(whole_config(stored, ""), Contains("does not belong"));
  CHECK_THROWS_WITH(whole_config(base, base), Contains("does not belong"));
  for (const char* bad : {"50,1,1", "@50,1,2", "@50;1,1", "@500,1,1", "@50,300,1", "@-1,1,1", "@,,"}) {
    CHECK_THROWS_AS(whole_config(without(stored, "@50,1,1", bad), base), Error);
  }
}

TEST_CASE("readers give whole configurations, and nothing takes a part for one") {
  test::TempDir dir;
  RunRecord first = sample_run(), second = sample_run();
  first.config_text = "topology { sms: 10 }\nclocks { core_mhz: 1000 }\n" + std::string(200, '#') + "\n";
  const std::string text = without(first.config_text, "sms: 10", "sms: 20");
  second.config_text = config_changes(first.config_text, 1, text);
  REQUIRE(base_of(second.config_text));
  ResultStore store(dir / "r.db", first);
  store.add(sample_launch("a", 1, 0));
  store.begin_run(second);
  store.add(sample_launch("a", 1, 1));
  second.config_text = "# as run 1 (0123456789abcdef), but for\n";
  store.begin_run(second);
  store.add(sample_launch("a", 1, 1));
  ResultReader reader(dir / "r.db");
  const std::vector<RunRecord> runs = reader.runs();
  REQUIRE(runs.size() == 3);
  CHECK(reader.whole(runs[0]).config_text == first.config_text);
  CHECK(reader.whole(runs[1]).config_text == text);
  CHECK(configuration(reader.whole(runs[1])).value().topology().sms() == 20);
  CHECK_THROWS_AS(configuration(runs[1]), std::logic_error);
  CHECK_THROWS_WITH(reader.whole(runs[2]), Contains("r.db: run 3: ") && Contains("does not belong"));
}

}  // namespace
}  // namespace heddle::analysis
