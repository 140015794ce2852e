// Tables of measurements: what is read of them, and what is said of those that are wrong.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "analysis/validate/host/bench.h"
#include "sim/base/error.h"
#include "tests/support/temp_dir.h"

namespace heddle::hostbench {
namespace {

const std::string kOneRun = "test,parameter,value,unit\n";
const std::string kRuns = "test,parameter,value,unit,low,high\n";

std::vector<MeasuredRow> read(const std::string& text, const std::string& name = "t.csv") {
  const test::TempDir dir;
  const std::filesystem::path file = dir / name;
  std::ofstream(file) << text;
  return read_rows(file);
}

std::string error(const std::string& text) {
  try {
    read(text);
    return "";
  } catch (const Error& e) {
    const std::string says = e.what();
    return says.substr(says.rfind("t.csv"));  // without the folder
  }
}

TEST_CASE("a table of one run, of several, and of both") {
  const auto one = read(kOneRun + "h2d_pinned_us,4,3.5,us\n");
  REQUIRE(one.size() == 1);
  CHECK(one[0].test == "h2d_pinned_us");
  CHECK(one[0].parameter == "4");
  CHECK(one[0].value == 3.5);
  CHECK(one[0].low == 3.5);
  CHECK(one[0].high == 3.5);
  CHECK_FALSE(one[0].scored);
  const auto runs = read(kRuns + "h2d_pinned_us,4,3.5,us,3.25,4\nh2d_pinned_us,16,3,us,,\n");
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].low == 3.25);
  CHECK(runs[0].high == 4);
  CHECK(runs[1].low == 3);
  CHECK(runs[1].high == 3);
}

TEST_CASE("a table's name says whether its rows are only scored") {
  CHECK(read(kOneRun + "x,1,1,us\n", "wake_scored.csv")[0].scored);
  CHECK_FALSE(read(kOneRun + "x,1,1,us\n", "scored_wake.csv")[0].scored);
}

TEST_CASE("the least and the greatest of several runs lie around their median") {
  CHECK(error(kRuns + "x,1,3,us,3,3\n").empty());
  CHECK(error(kRuns + "x,1,3,us,2,4\nx,2,3,us,3.5,4\n") == "t.csv:3: 3 does not lie between 3.5 and 4");
  CHECK(error(kRuns + "x,1,3,us,2,2.5\n") == "t.csv:2: 3 does not lie between 2 and 2.5");
  CHECK(error(kRuns + "x,1,3,us,4,2\n") == "t.csv:2: 3 does not lie between 4 and 2");
}

TEST_CASE("what is no number, or half of a pair") {
  CHECK(error(kOneRun + "x,1,fast,us\n") == "t.csv:2: 'fast' is no number");
  CHECK(error(kOneRun + "x,1,nan,us\n") == "t.csv:2: 'nan' is no number");
  CHECK(error(kRuns + "x,1,3,us,2,inf\n") == "t.csv:2: 'inf' is no number");
  CHECK(error(kRuns + "x,1,3,us,low,4\n") == "t.csv:2: 'low' is no number");
  CHECK(error(kRuns + "x,1,3,us,2,high\n") == "t.csv:2: 'high' is no number");
  CHECK(error(kRuns + "x,1,3,us,2,\n") == "t.csv:2: '' is no number");
  CHECK(error(kRuns + "x,1,3,us,,4\n") == "t.csv:2: '' is no number");
  CHECK_FALSE(error(kRuns + "x,1,3,us\n").empty());
  CHECK_FALSE(error(kOneRun + "x,1,3,us,2,4\n").empty());
  CHECK_FALSE(error("test,value\nx,3\n").empty());
}

}  // namespace
}  // namespace heddle::hostbench
