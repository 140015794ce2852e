#include "analysis/run/plan.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace heddle::analysis {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

struct TempDir : test::TempDir {
  // A capture with `kernels` empty traces; `size` bytes in each.
  fs::path capture(const std::string& name, int kernels, size_t size = 1) const {
    fs::create_directories(path / name);
    std::ofstream list(path / name / "kernelslist.g");
    for (int i = 1; i <= kernels; ++i) {
      const std::string file = "kernel-" + std::to_string(i) + ".traceg";
      list << file << '\n';
      std::ofstream(path / name / file) << std::string(size, '\n');
    }
    return path / name;
  }
};

std::vector<std::string> labels(const std::vector<PlannedLaunch>& launches) {
  std::vector<std::string> out;
  out.reserve(launches.size());
  for (const PlannedLaunch& l : launches) {
    out.push_back(l.label());
  }
  return out;
}

TEST_CASE("launches are numbered within their capture") {
  TempDir dir;
  dir.capture("b", 2);
  dir.capture("a", 1);
  CHECK(labels(plan_launches({dir.path}, true)) == std::vector<std::string>{"a/1", "b/1", "b/2"});
}

TEST_CASE("captures of the same name get as many parents as they need") {
  TempDir dir;
  std::vector<fs::path> paths = {dir.capture("bfs/small/traces", 1), dir.capture("bfs/large/traces", 2),
                                 dir.capture("other", 1)};
  CHECK(labels(plan_launches(paths, true)) ==
        std::vector<std::string>{"small/traces/1", "large/traces/1", "large/traces/2", "other/1"});
}

TEST_CASE("single files of one capture are numbered in the order given") {
  TempDir dir;
  const fs::path d = dir.capture("app", 3);
  CHECK(labels(plan_launches({d / "kernel-3.traceg", d / "kernel-1.traceg"}, true)) ==
        std::vector<std::string>{"app/1", "app/2"});
}

TEST_CASE("the same file twice is a mistake") {
  TempDir dir;
  const fs::path d = dir.capture("app", 2);
  CHECK_THROWS_WITH(plan_launches({d, d / "kernel-2.traceg"}, true),
                    Contains("kernel-2.traceg: given twice"));
  CHECK_THROWS_WITH(plan_launches({d, d / "."}, true), Contains("given twice"));
}

TEST_CASE("unknown lines of a list are errors when strict") {
  TempDir dir;
  const fs::path d = dir.capture("app", 1);
  std::ofstream(d / "kernelslist.g", std::ios::app) << "what is this\n";
  CHECK(plan_launches({d}, false).size() == 1);
  CHECK_THROWS_WITH(plan_launches({d}, true), Contains("kernelslist.g:2"));
}

TEST_CASE("a missing path") {
  CHECK_THROWS_WITH(plan_launches({"/no/such/trace"}, false), Contains("/no/such/trace"));
}

TEST_CASE("the largest trace first") {
  TempDir dir;
  const std::vector<PlannedLaunch> launches =
      plan_launches({dir.capture("a", 1, 10), dir.capture("b", 1, 1000), dir.capture("c", 1, 100)}, true);
  CHECK(largest_first(launches) == std::vector<size_t>{1, 2, 0});
  CHECK(weights(launches)[1] > weights(launches)[2]);
}

}  // namespace
}  // namespace heddle::analysis
