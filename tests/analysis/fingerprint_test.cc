// The fingerprint of a trace changes with every file that the reader takes.
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <string>

#include "analysis/run/host.h"
#include "tests/support/temp_dir.h"

namespace heddle::analysis {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

TEST_CASE("of the trace and each companion, compressed or not") {
  for (const char* trace : {"kernel-1.traceg", "kernel-1.traceg.xz"}) {
    for (const char* name :
         {"sass", "sass.zst", "sass.xz", "sass.gz", "extra", "extra.zst", "extra.xz", "extra.gz"}) {
      CAPTURE(trace, name);
      const test::TempDir dir;
      const fs::path companion = dir / (std::string("kernel-1.") + name);
      put(dir / trace, "trace");
      std::set<std::string> seen = {trace_fingerprint(dir / trace)};
      put(companion, "one");
      CHECK(seen.insert(trace_fingerprint(dir / trace)).second);
      CHECK(trace_bytes(dir / trace) == 8);
      put(companion, "two");
      CHECK(seen.insert(trace_fingerprint(dir / trace)).second);
      put(dir / trace, "other");
      CHECK(seen.insert(trace_fingerprint(dir / trace)).second);
    }
  }
}

}  // namespace
}  // namespace heddle::analysis
