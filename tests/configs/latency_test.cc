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

constexpr uint64_t kFirst = 0x10000000;
constexpr uint64_t kStep = 0x5280;  // rows, banks, slices and partitions of all kinds

// Pages are known, instructions and constants are there, no refresh.
GpuConfig machine(const std::string& gpu) {
  return load(gpu, overrides({"tlb.enabled=false", "sm.fetch.model=PERFECT", "sm.constants.model=PERFECT",
                              "dram.t_rfc=0", "sm.registers.model=IDEAL"}));
}

// A load and what needs its result: the time between the two issues is the latency.
void add_load(Kernel& k, uint64_t address, int flags) {
  k.add(ldg(1).at(address).flags(flags).writes_barrier(0));
  k.add(alu(2, {1}).waits(0b1).stall(4));
}

struct Latencies {
  Cycle l1 = ~Cycle{0}, l2 = ~Cycle{0}, dram = ~Cycle{0};  // the least of each
};

Latencies measured(const std::string& gpu) {
  constexpr int kLines = 64;
  Kernel k;
  for (int i = 0; i < kLines; ++i) {
    add_load(k, kFirst + kStep * i, isa::kFlagBypassL1);  // DRAM
    add_load(k, kFirst + kStep * i, isa::kFlagBypassL1);  // L2, perhaps a copy in the near partition
    add_load(k, kFirst + kStep * i, isa::kFlagReadOnly);  // L2 again: not in the L1
    add_load(k, kFirst + kStep * i, isa::kFlagReadOnly);  // L1, which may be for such loads only
  }
  k.add(exit_op());
  const Cycles at = run(machine(gpu), k).cycles(0);
  Latencies found;
  for (int i = 0; i < kLines; ++i) {
    const auto took = [&](int step) { return at[8 * i + 2 * step + 1] - at[8 * i + 2 * step]; };
    found.dram = std::min(found.dram, took(0));
    found.l2 = std::min(found.l2, took(1));
    found.l1 = std::min(found.l1, took(3));
  }
  return found;
}

// How much longer the slowest L2 hit takes than the quickest. Every SM fetches a line; later one SM reads
// them all: of those that are at home in its own partition, or that an SM of its side has fetched, a copy is
// near.
Cycle far_less_near(const std::string& gpu) {
  const GpuConfig c = machine(gpu);
  const uint32_t sms = c.topology().sms();
  Kernel k;
  k.blocks(sms);
  const uint32_t fetch =
      k.add(ldg(1).at(kFirst).per_block(kStep).flags(isa::kFlagBypassL1).writes_barrier(0));
  const uint32_t wait = k.add(alu(2, {1}).waits(0b1).stall(4));
  for (int i = 0; i < 40; ++i) {
    add_load(k, 2 * kFirst + kStep * i, isa::kFlagBypassL1);  // meanwhile the others have their lines
  }
  std::vector<uint32_t> reads;
  for (uint32_t sm = 1; sm < sms; ++sm) {
    reads.push_back(k.add(ldg(1).at(kFirst + kStep * sm).flags(isa::kFlagBypassL1).writes_barrier(0)));
    k.add(alu(2, {1}).waits(0b1).stall(4));
  }
  const uint32_t exit = k.add(exit_op());
  for (uint32_t sm = 1; sm < sms; ++sm) {
    k.stream_of_block(sm, 0, {{fetch}, {wait}, {exit}});
  }
  const Outcome o = run(c, k);
  Cycle least = ~Cycle{0}, most = 0;
  for (uint32_t index : reads) {
    const Cycle took = o.cycles_of(index + 1).at(0) - o.cycles_of(index).at(0);
    least = std::min(least, took);
    most = std::max(most, took);
  }
  return most - least;
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
      {"gtx750ti", 207, 336}, {"gtx980", 207, 336},    {"titanx", 207, 336},   {"tx1", 207, 336},
      {"gtx1080", 216, 397},  {"gtx1080ti", 216, 397}, {"tx2", 216, 397},      {"titanv", 215, 437},
      {"xavier", 215, 437},   {"rtx2080ti", 188, 501}, {"a30", 213, 574},      {"a10", 236, 500},
      {"a40", 236, 500},      {"rtx3060", 236, 500},   {"orin", 236, 500},     {"l40s", 276, 632},
      {"rtx4060", 276, 632},  {"h100_pcie", 265, 658}, {"h100_nvl", 265, 658}, {"h20", 265, 658},
      {"gh200", 265, 658},    {"b200", 295, 789},      {"gb200", 295, 789},    {"b300", 301, 789},
      {"thor", 301, 789},     {"rtx5090", 362, 862},   {"rtx5080", 362, 862},  {"rtxpro6000", 362, 862},
      {"gb10", 362, 862},
  };
  for (const Row& row : table) {
    const Latencies l = measured(row.gpu);
    CAPTURE(row.gpu, l.l1, l.l2, l.dram);
    check_near(l.l2, row.l2, 2);
    check_near(l.dram, row.dram, 3);
  }
}

TEST_CASE("a hit in the far half of L2 takes what the files say longer than one in the near half") {
  const std::pair<const char*, Cycle> table[] = {{"a30", 214},  {"h100_pcie", 197}, {"h100", 192},
                                                 {"h20", 197},  {"gh200", 197},     {"h100_nvl", 197},
                                                 {"b200", 355}, {"gb200", 355},     {"b300", 355}};
  for (const auto& [gpu, more] : table) {
    const Cycle found = far_less_near(gpu);
    CAPTURE(gpu, found);
    const auto slices =
        static_cast<Cycle>(load(gpu).noc().distance_spread());  // from the nearest to the farthest
    check_near(found, more + slices, 10);
  }
  for (const char* gpu : {"gtx980", "titanv", "l40s", "rtx5090", "thor"}) {  // one partition
    const Cycle found = far_less_near(gpu);
    CAPTURE(gpu, found);
    CHECK(found < 10);
  }
}

TEST_CASE("a step down the memory takes longer, on every GPU") {
  for (const std::string& gpu : gpu_names()) {
    const Latencies l = measured(gpu);
    CAPTURE(gpu, l.l1, l.l2, l.dram);
    check_near(l.l1, load(gpu).sm().l1().hit_latency_32(), 2);
    CHECK(l.l1 < l.l2);
    CHECK(l.l2 < l.dram);
  }
}

}  // namespace
}  // namespace heddle::config
