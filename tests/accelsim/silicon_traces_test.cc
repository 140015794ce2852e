// The traces of 57 kernels of a real GPU, when they lie beside the repository.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "frontends/accelsim/discover.h"
#include "tests/accelsim/trace_text.h"

namespace heddle::accelsim::test {
namespace {

namespace fs = std::filesystem;

// Bazel runs tests beside links to the sources; this file's own link leads to the repository.
fs::path shared_directory() {
  std::error_code ec;
  fs::path source = fs::canonical("tests/accelsim/silicon_traces_test.cc", ec);
  return ec ? fs::path() : source.parent_path().parent_path().parent_path().parent_path() / "shared";
}

// Kernel name to the instructions that the hardware counted.
std::map<std::string, uint64_t> measured_instructions(const fs::path& csv) {
  std::map<std::string, uint64_t> result;
  std::ifstream in(csv);
  std::string line;
  size_t column = std::string::npos;
  while (std::getline(in, line)) {
    std::vector<std::string> cells(1);
    bool quotes = false;
    for (const char c : line) {
      if (c == '"') {
        quotes = !quotes;
      } else if (c == ',' && !quotes) {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    if (column == std::string::npos) {
      column = static_cast<size_t>(std::find(cells.begin(), cells.end(), "smsp__inst_executed.sum") -
                                   cells.begin());
    } else if (column < cells.size()) {
      result[cells[0]] = static_cast<uint64_t>(std::stod(cells[column]));
    }
  }
  return result;
}

// Counts what a block holds and checks that its parts agree.
uint64_t check(const isa::KernelImage& image, const isa::BlockTrace& b) {
  uint64_t total = 0;
  for (const isa::WarpTrace& w : b.warps) {
    uint64_t n = 0, refs = 0;
    for (const isa::Run& r : w.runs) {
      n += r.count;
      for (uint32_t i = r.first; r.mask && i < r.first + r.count; ++i) {
        refs += image.code[i].mem_refs;
      }
    }
    if (n != w.instructions || refs != w.refs.size()) {
      FAIL("block " << b.linear << " warp " << w.warp << ": runs " << n << ", instructions " << w.instructions
                    << ", references " << w.refs.size() << " of " << refs);
    }
    total += n;
  }
  return total;
}

TEST_CASE("all traces of the suite parse and hold what the hardware executed", "[silicon]") {
  const fs::path shared = shared_directory() / "hw" / "h200";
  if (!fs::exists(shared / "suite.csv")) {
    WARN("no traces at " << shared);
    return;
  }
  const std::map<std::string, uint64_t> measured = measured_instructions(shared / "suite.csv");
  // Kernels that race with themselves or spin: their counts differ from run to run.
  const std::set<std::string> racy = {"bfs_level", "gridsync", "mandelbrot", "spmv_scalar"};
  uint64_t all = 0;
  const std::vector<Launch> launches = discover(shared / "traces");
  CHECK(launches.size() == 57);
  for (const Launch& l : launches) {
    const auto source = open_trace(l.path);
    const isa::KernelImage& image = source->image();
    CHECK(image.has_control);
    CHECK(image.compute_capability == 90);
    isa::BlockTrace b;
    uint64_t instructions = 0, blocks = 0;
    while (source->next(b)) {
      instructions += check(image, b);
      ++blocks;
    }
    CAPTURE(l.trace);
    CHECK(blocks == image.shape.grid.count());
    const auto m = measured.find(l.trace);
    REQUIRE(m != measured.end());
    if (racy.contains(l.trace)) {
      CHECK(std::abs(static_cast<double>(instructions) / static_cast<double>(m->second) - 1) < 0.02);
    } else {
      CHECK(instructions == m->second);
    }
    all += instructions;
  }
  CHECK(all == 133861637);
}

}  // namespace
}  // namespace heddle::accelsim::test
