// Residency without a simulation: against the CUDA runtime on an H200, and worked out by hand.
#include <catch2/catch.hpp>
#include <string>

#include "analysis/occupancy/occupancy_text.h"
#include "analysis/validate/csv.h"
#include "configs/loader/config.h"
#include "sim/base/error.h"

namespace heddle::analysis {
namespace {

using Catch::Contains;

config::GpuConfig h200() { return config::load("h200"); }

BlockNeeds needs(uint32_t threads, uint32_t registers, uint32_t shared = 0) {
  BlockNeeds n;
  n.threads = threads;
  n.registers = registers;
  n.static_shared = shared;
  return n;
}

// The GPCs of the card that answered: the lone TPCs take clusters of two only.
const std::vector<uint32_t> kGpcs = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};

TEST_CASE("exactly what the CUDA occupancy functions answer on an H200") {
  const config::GpuConfig gpu = h200();
  const CsvTable t = read_csv("tools/microbench/results/h200_occupancy.csv");
  size_t blocks = 0, clusters = 0, suggestions = 0;
  for (const auto& row : t.rows) {
    const auto number = [&](std::string_view column) { return std::stoi(row[*t.column(column)]); };
    BlockNeeds n = needs(number("block"), number("registers"), number("static_shared"));
    n.dynamic_shared = number("dynamic_shared");
    const int carveout = number("carveout_percent");
    n.carveout_percent = carveout < 0 ? 100 : carveout;
    const uint32_t result = number("result");
    const std::string& what = row[*t.column("what")];
    CAPTURE(what, n.threads, n.registers, n.static_shared, n.dynamic_shared, carveout, number("cluster"));
    if (what == "blocks") {
      CHECK(resident_blocks(gpu, n) == result);
      ++blocks;
    } else if (what == "clusters") {
      CHECK(active_clusters(kGpcs, resident_blocks(gpu, n), number("cluster")) == result);
      ++clusters;
    } else {
      const Residency best = best_block(gpu, n);
      CHECK(best.value == n.threads);
      CHECK(best.blocks * 132 == result);
      ++suggestions;
    }
  }
  CHECK(blocks == 1344);
  CHECK(clusters == 640);
  CHECK(suggestions == 64);
}

TEST_CASE("one step less of each resource, and how much less makes room for more warps") {
  // 96 registers: 3072 a warp, 5 warps in each quarter of the file, 20 in all: two blocks of 8 warps.
  const config::GpuConfig gpu = h200();
  const auto less = less_of_each(gpu, needs(256, 96, 49152));
  REQUIRE(less.size() == 3);
  CHECK(less[0].resource == Resource::kRegisters);
  CHECK(less[0].step.value == 88);  // 2816 a warp: still 5
  CHECK(less[0].step.blocks == 2);
  CHECK(less[0].gain.value == 80);  // 2560 a warp: 6, so 24 warps
  CHECK(less[0].gain.blocks == 3);
  CHECK(less[1].step.value == 49024);
  CHECK(less[1].step.blocks == 2);
  CHECK_FALSE(less[1].gains);  // registers are the limit
  CHECK(less[2].step.value == 224);
  CHECK(less[2].step.warps == 14);
  CHECK(less[2].gain.value == 192);  // 3 x 6 warps of the 20
  CHECK(less[2].gain.warps == 18);
}

TEST_CASE("nothing less than nothing") {
  const auto less = less_of_each(h200(), needs(32, 8));
  CHECK_FALSE(less[0].possible);
  CHECK_FALSE(less[1].possible);
  CHECK_FALSE(less[2].possible);
}

TEST_CASE("the curve over registers has its steps where whole warps stop to fit") {
  std::vector<Residency> all = curve(h200(), needs(512, 32), Resource::kRegisters);
  CHECK(all.size() == 32);  // 8, 16, ... 248, 255
  CHECK(all.back().value == 255);
  // 16 warps a block, 4 in each quarter of 16384 registers: 1024 a warp is four blocks, 1280 three, 2048 two.
  std::vector<Residency> p = plateaus(all);
  std::vector<std::pair<uint32_t, uint32_t>> steps;
  steps.reserve(p.size());
  for (const Residency& r : p) {
    steps.emplace_back(r.value, r.blocks);
  }
  CHECK(steps ==
        std::vector<std::pair<uint32_t, uint32_t>>{{24, 4}, {32, 4}, {40, 3}, {64, 2}, {128, 1}, {255, 0}});
  CHECK(p[0].limiter == "warps");
  CHECK(p[1].limiter == "warps+registers");
  CHECK(p[2].limiter == "registers");
}

TEST_CASE("the best block size is the largest of those with the most warps") {
  const Residency best = best_block(h200(), needs(1, 96));
  CHECK(best.value == 640);  // the 20 warps that fit
  CHECK(best.warps == 20);
  CHECK_THROWS_WITH(best_block(h200(), needs(1, 256)), Contains("registers per thread"));
}

TEST_CASE("clusters stay within a GPC that has an SM for each block") {
  CHECK(active_clusters({16, 8}, 1, 16) == 1);
  CHECK(active_clusters({16, 8}, 2, 16) == 2);  // not also 8 SMs with two blocks each
  CHECK(active_clusters({18}, 1, 4) == 4);
  CHECK(active_clusters({18}, 2, 4) == 9);
  CHECK(active_clusters({16}, 32, 1) == 128);  // 8 blocks to an SM
}

TEST_CASE("text and picture") {
  const config::GpuConfig gpu = h200();
  BlockNeeds n = needs(256, 96, 49152);
  const std::string text = occupancy_text(gpu, n);
  CHECK_THAT(text, Contains("blocks per SM         2\n") && Contains("16 of 64, 25.0 %") &&
                       Contains("limited by            registers") && Contains("3 blocks, 24 warps, 37.5 %"));
  CHECK_THAT(text, !Contains("clusters"));
  n.cluster = 4;  // GPCs of 18, 18, 16, ...: 2 x 9 + 6 x 8
  CHECK_THAT(occupancy_text(gpu, n), Contains("66 of 4 blocks"));
  CHECK_THROWS_WITH(occupancy_text(gpu, needs(1025, 32)), Contains("threads per block"));
  CHECK_THAT(curve_text(gpu, n, Resource::kShared), !Contains("does not fit"));
  CHECK_THAT(suggestion_text(gpu, needs(0, 96)), Contains("640 threads: 1 blocks, 20 warps, 31.2 %"));
  const std::string svg = curve_svg(gpu, n, Resource::kRegisters);
  CHECK_THAT(svg, Contains("96: 16 warps") && Contains("</svg>"));
}

}  // namespace
}  // namespace heddle::analysis
