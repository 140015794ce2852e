// The host model of the H200 against what the H200 did: every experiment that is modelled stays within what
// is asked.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

#include "configs/loader/config.h"
#include "frontends/workload/experiments.h"

namespace heddle::workload {
namespace {

std::vector<Row> rows(const std::string& file) {
  std::ifstream in(file);
  std::vector<Row> out;
  for (std::string line; std::getline(in, line);) {
    std::stringstream cells(line);
    Row r;
    std::string value;
    std::getline(cells, r.test, ',');
    std::getline(cells, r.parameter, ',');
    std::getline(cells, value, ',');
    std::getline(cells, r.unit, ',');
    if (r.test != "test") {
      r.value = std::stod(value);
      out.push_back(r);
    }
  }
  return out;
}

TEST_CASE("the host experiments of the H200") {
  const config::GpuConfig gpu = config::load("h200");
  std::vector<Row> all = rows("traces/h200/hostbench.csv");
  const std::vector<Row> more = rows("traces/h200/hostcalls.csv");
  const std::vector<Row> memory = rows("traces/h200/hostmemory.csv");
  all.insert(all.end(), more.begin(), more.end());
  const std::vector<Row> links = rows("traces/h200/hostlinks.csv");
  all.insert(all.end(), memory.begin(), memory.end());
  all.insert(all.end(), links.begin(), links.end());
  // The overlap experiment's kernels, each by itself.
  const KernelTimes times{3791.49, 605.376, 252.768, 133.344};
  size_t compared = 0;
  for (const Row& row : all) {
    const auto limit = bound(row);
    const auto value = simulate(row, gpu, times);
    if (limit && value) {
      CAPTURE(row.test, row.parameter, row.value, *value);
      CHECK(std::abs(100 * (*value / row.value - 1)) <= *limit);
      ++compared;
    }
  }
  CHECK(compared == 222);
}

}  // namespace
}  // namespace heddle::workload
