#include "tools/heddle/summary.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "sim/base/error.h"
#include "tests/support/temp_dir.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

using output::Replace;
using test::TempDir;

std::string content(const fs::path& file) {
  std::stringstream s;
  s << std::ifstream(file).rdbuf();
  return s.str();
}

analysis::LaunchRecord sample() {
  analysis::LaunchRecord r;
  r.trace = "app";
  r.launch = 2;
  r.kernel = "f(int, int)";
  r.cycles = 1000;
  r.sm_active_cycles = 900;
  r.warp_instructions = 500;
  r.host.wall_seconds = 0.25;
  return r;
}

constexpr char kHeader[] = "trace,launch,kernel,cycles,sm_active_cycles,warp_instructions,wall_seconds\n";

TEST_CASE("one line per launch") {
  TempDir dir;
  const fs::path f = dir.path / "s.csv";
  const std::string older = std::string(kHeader) +
                            "something older and longer than what is going to be written to the file by this "
                            "test; nothing of it may be left behind the new lines that replace it.\n";
  std::ofstream(f) << older;
  SummaryFile s(f, Replace::kSameKind);
  CHECK(content(f) == older);
  s.add(sample());
  CHECK(content(f) == std::string(kHeader) + "app,2,\"f(int, int)\",1000,900,500,0.250000\n");
  s.add(sample());
  CHECK(content(f).size() == std::string(kHeader).size() + 84);
}

TEST_CASE("a file that is no summary is replaced on demand only") {
  TempDir dir;
  const fs::path f = dir.path / "r.db";
  std::ofstream(f) << "SQLite format 3";
  CHECK_THROWS_WITH(
      SummaryFile(f, Replace::kSameKind),
      Contains("r.db: the file exists and is not a summary of heddle run (--force replaces it)"));
  CHECK(content(f) == "SQLite format 3");
  SummaryFile s(f, Replace::kAny);
  s.add(sample());
  CHECK(content(f).starts_with(kHeader));
}

TEST_CASE("no launch, no file") {
  TempDir dir;
  { SummaryFile s(dir.path / "s.csv", Replace::kSameKind); }
  CHECK_FALSE(fs::exists(dir.path / "s.csv"));
}

TEST_CASE("a place that cannot be written is known at once") {
  CHECK_THROWS_WITH(SummaryFile("/no/such/dir/s.csv", Replace::kAny),
                    "/no/such/dir/s.csv: cannot be written: No such file or directory");
  CHECK_THROWS_WITH(SummaryFile("/", Replace::kAny), Contains("/: cannot be written"));
}

TEST_CASE("a full disk") {
  SummaryFile s("/dev/full", Replace::kSameKind);
  CHECK_THROWS_WITH(s.add(sample()), "/dev/full: cannot be written: No space left on device");
}

}  // namespace
}  // namespace heddle::cli
