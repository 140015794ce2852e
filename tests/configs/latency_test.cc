// What an access takes on the shipped GPUs, simulated with one warp and compared with what was published: a
// configuration only has the parts.
#include <algorithm>
#include <catch2/catch.hpp>

#include "configs/loader/config.h"
#include "tests/configs/scratch.h"
#include "tests/sim/support/kernel_builder.h"

namespace heddle::config {
namespace {

using namespace simtest;

struct Latencies {
  Cycle l1 = 0, near_l2 = 0, far_l2 = 0, dram = 0;
};

// From issue to the issue of what needs the result. Pages are known, instructions and constants are there, no
// refresh.
Latencies measured(const std::string& gpu) {
  GpuConfig c =
      load(gpu, overrides({"tlb.enabled=false", "sm.fetch.model=PERFECT", "sm.constants.model=PERFECT",
                           "dram.t_rfc=0", "sm.registers.model=IDEAL"}));
  constexpr int kLines = 64;
  Kernel k;
  const auto add = [&k](uint64_t address, int flags) {
    k.add(ldg(1).at(address).flags(flags).writes_barrier(0));
    k.add(alu(2, {1}).waits(0b1).stall(4));
  };
  for (int i = 0; i < kLines; ++i) {
    const uint64_t address =
        0x10000000 + uint64_t{0x5280} * i;  // rows, banks, slices and partitions of all kinds
    add(address, isa::kFlagBypassL1);       // DRAM
    add(address, isa::kFlagBypassL1);       // L2, perhaps a copy in the near partition
    add(address, 0);                        // L2 again: not in the L1
    add(address, 0);                        // L1
  }
  k.add(exit_op());
  const Cycles at = run(c, k).cycles(0);
  Latencies found{~Cycle{0}, ~Cycle{0}, 0, ~Cycle{0}};
  for (int i = 0; i < kLines; ++i) {
    const auto took = [&](int step) { return at[8 * i + 2 * step + 1] - at[8 * i + 2 * step]; };
    found.dram = std::min(found.dram, took(0));
    found.near_l2 = std::min(found.near_l2, took(1));
    found.far_l2 = std::max(found.far_l2, took(1));
    found.l1 = std::min(found.l1, took(3));
  }
  return found;
}

void check_near(Cycle found, Cycle expected, Cycle tolerance) {
  CHECK(found + tolerance >= expected);
  CHECK(found <= expected + tolerance);
}

TEST_CASE("L2 hits and DRAM accesses take what the files say they were made from") {
  struct Row {
    const char* gpu;
    Cycle l2, dram;  // other-gpus.md 4, or as the file says; of the near partition
  };
  const Row table[] = {
      {"gtx750ti", 207, 336}, {"gtx980", 207, 336},   {"titanx", 207, 336},     {"tx1", 207, 336},
      {"tx2", 216, 397},      {"titanv", 215, 437},   {"xavier", 215, 437},     {"rtx2080ti", 188, 501},
      {"a30", 213, 574},      {"a10", 236, 500},      {"a40", 236, 500},        {"rtx3060", 236, 500},
      {"orin", 236, 500},     {"l40s", 276, 632},     {"rtx4060", 276, 632},    {"h100_pcie", 265, 658},
      {"h100", 265, 658},     {"h100_nvl", 265, 658}, {"h20", 265, 658},        {"gh200", 265, 658},
      {"b200", 295, 789},     {"gb200", 295, 789},    {"b300", 301, 789},       {"thor", 301, 789},
      {"rtx5090", 362, 862},  {"rtx5080", 362, 862},  {"rtxpro6000", 362, 862}, {"gb10", 362, 862},
  };
  for (const Row& row : table) {
    const Latencies l = measured(row.gpu);
    CAPTURE(row.gpu, l.l1, l.near_l2, l.far_l2, l.dram);
    check_near(l.near_l2, row.l2, 4);
    check_near(l.dram, row.dram, 6);
  }
}

TEST_CASE("a step down the memory takes longer, on every GPU") {
  for (const std::string& gpu : gpu_names()) {
    const Latencies l = measured(gpu);
    const GpuConfig c = load(gpu);
    CAPTURE(gpu, l.l1, l.near_l2, l.far_l2, l.dram);
    check_near(l.l1, c.sm().l1().hit_latency_32(), 2);
    CHECK(l.l1 < l.near_l2);
    CHECK(l.near_l2 < l.dram);
    CHECK((c.l2().partitions() == 1) == (l.far_l2 < l.near_l2 + 20));
  }
}

}  // namespace
}  // namespace heddle::config
