// The host model of the H200 against what the H200 did: every experiment that is modelled stays within what
// is asked.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "analysis/validate/host/experiments.h"
#include "configs/loader/config.h"

namespace heddle::hostbench {
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

// Kernels that many blocks or threads launch at once (FINDINGS.md 21): how the device's launcher shares
// itself out among callers is not understood, and these rows miss what is asked. Listed one by one, so that
// no other may.
constexpr double kManyCallers = 40;  // per cent
const std::set<std::pair<std::string, std::string>> kMissed = {
    {"cdp_us", "tail 1000"},
    {"cdp_us", "32 blocks one child each fire and forget"},
    {"cdp_us", "132 blocks one child each null stream"},
    {"cdp_many_us", "132 blocks 1 threads 1 each null stream"},
    {"cdp_many_us", "264 blocks 1 threads 1 each null stream"},
    {"cdp_many_us", "1 blocks 8 threads 1 each null stream"},
    {"cdp_many_us", "1 blocks 32 threads 1 each null stream"},
    {"cdp_many_us", "64 blocks 1 threads 1 each fire and forget"},
    {"cdp_many_us", "1 blocks 32 threads 1 each fire and forget"},
    {"cdp_many_us", "1 blocks 128 threads 1 each fire and forget"},
    {"cdp_many_us", "132 blocks 1 threads 1 each tail"},
    {"cdp_many_us", "264 blocks 1 threads 1 each tail"},
    {"cdp_many_us", "528 blocks 1 threads 1 each tail"},
    {"cdp_many_us", "16 blocks 1 threads 10 each tail"},
    {"cdp_many_us", "132 blocks 1 threads 10 each tail"},
    {"cdp_many_us", "1 blocks 32 threads 1 each tail"},
    {"cdp_many_us", "132 blocks 1 threads 1 each own stream"},
    {"cdp_many_us", "1 blocks 32 threads 1 each own stream"},
    {"cdp_many_us", "1 blocks 128 threads 1 each own stream"},
    // Machines differ more here than is asked: the medians of eleven runs (FINDINGS.md 41).
    {"h2d_pageable_us", "268435456"},
    {"d2h_pageable_us", "268435456"},
    {"device_launch_many_us", "10 fire-and-forget"},
    {"vmm_us", "16MiB map"},
};

constexpr double kWorst = 250;  // per cent

TEST_CASE("the host experiments of the H200") {
  const config::GpuConfig gpu = config::load("h200");
  std::vector<Row> all = rows("traces/h200/hostbench.csv");
  const std::vector<Row> more = rows("traces/h200/hostcalls.csv");
  const std::vector<Row> memory = rows("traces/h200/hostmemory.csv");
  all.insert(all.end(), more.begin(), more.end());
  const std::vector<Row> links = rows("traces/h200/hostlinks.csv");
  const std::vector<Row> domains = rows("traces/h200/hostdomains_seen.csv");
  all.insert(all.end(), memory.begin(), memory.end());
  all.insert(all.end(), links.begin(), links.end());
  all.insert(all.end(), domains.begin(), domains.end());
  // The overlap experiment's kernels, each by itself.
  const KernelTimes times{3791.49, 605.376, 252.768, 133.344};
  size_t compared = 0, missed = 0;
  for (const Row& row : all) {
    const auto limit = bound(row);
    const auto value = simulate(row, gpu, times);
    CHECK((!value || std::isfinite(*value)));
    if (limit && value) {
      CAPTURE(row.test, row.parameter, row.value, *value);
      const double error = std::abs(100 * (*value / row.value - 1));
      if (kMissed.contains({row.test, row.parameter})) {
        CHECK(error > *limit);  // else strike it from the list
        CHECK(error <= kManyCallers);
        ++missed;
        continue;
      }
      CHECK(error <= *limit);
      ++compared;
    }
  }
  CHECK(missed == kMissed.size());
  CHECK(compared == 346);
}

struct Errors {
  size_t compared = 0, close = 0;
  double sum = 0;
  double mean() const { return sum / static_cast<double>(compared); }
};

// Of a table, each row within `worst` per cent; close are those within 15.
Errors errors_of(const std::string& table, double worst) {
  const config::GpuConfig gpu = config::load("h200");
  Errors e;
  for (const Row& row : rows(table)) {
    if (const auto value = simulate(row, gpu, {})) {
      CAPTURE(row.test, row.parameter, row.value, *value);
      CHECK(std::isfinite(*value));
      const double error = std::abs(100 * (*value / row.value - 1));
      CHECK(error < worst);
      e.sum += error;
      e.close += error <= 15 ? 1 : 0;
      ++e.compared;
    }
  }
  return e;
}

// Half of what graph_shapes.cu and host_shapes.cu measured; the other half is only scored
// (traces/h200/HOST.md). Runs differ by a fifth and more, so a row by itself says little.
TEST_CASE("graphs of any shape, pools, unified memory, pipelines") {
  const Errors e = errors_of("traces/h200/hostshapes_seen.csv", kWorst);
  CHECK(e.compared == 528);
  CHECK(e.close >= 460);
  CHECK(e.mean() < 8);
}

// Half of what host_links.cu measured of memory synchronisation domains.
TEST_CASE("kernels' ends beside traffic of their domain and of another") {
  const Errors e = errors_of("traces/h200/hostdomains_seen.csv", 80);
  CHECK(e.compared == 84);
  CHECK(e.close >= 55);
  CHECK(e.mean() < 20);
}

}  // namespace
}  // namespace heddle::hostbench
