// What an SM of the shipped GPUs does in a cycle, simulated with one block and compared with what was
// published.
#include <catch2/catch.hpp>

#include "configs/loader/config.h"
#include "tests/configs/scratch.h"
#include "tests/sim/support/kernel_builder.h"

namespace heddle::config {
namespace {

using namespace simtest;

constexpr uint64_t kLines = 0x10000000;
constexpr uint32_t kWarps = 32;

GpuConfig machine(const std::string& gpu) {
  return load(gpu, overrides({"tlb.enabled=false", "sm.fetch.model=PERFECT", "sm.constants.model=PERFECT"}));
}

// Bytes that loads of 16 bytes a lane take out of the L1s in a cycle, all warps the same lines.
double l1_bytes_per_cycle(const std::string& gpu) {
  constexpr int kTurns = 40, kBytes = 512, kRegisters = 4;
  Kernel k;
  const auto load = [](int dst) {
    return ldg(dst, 16).at(kLines, 16).flags(isa::kFlagReadOnly).writes_barrier(0);
  };
  const uint32_t first = k.add(load(1));
  k.add(alu(8, {1}).waits(0b1).stall(4));
  const uint32_t begin = k.add(bar());
  for (int i = 0; i < kTurns; ++i) {
    k.add(load(16 + kRegisters * i));
  }
  const uint32_t end = k.add(alu(8, {16 + kRegisters * (kTurns - 1)}).waits(0b1).stall(4));
  k.add(exit_op());
  k.warps(kWarps);
  const Outcome o = run(machine(gpu), k);
  CHECK(o.cycles_of(first).size() == kWarps);
  return double{kBytes} * kTurns * kWarps /
         static_cast<double>(o.cycles_of(end).back() - o.cycles_of(begin).back());
}

// Warp instructions of an SM in a cycle: arithmetic alone, or each instruction with an access to shared
// memory behind it.
double issued_per_cycle(const std::string& gpu, bool pairs) {
  constexpr int kTurns = 96, kEvery = 16, kRegisters = 40;
  Kernel k;
  for (int i = 0; i < kTurns; ++i) {
    k.add(ffma(20 + i % kRegisters));
    if (pairs && i % kEvery == 0) {
      k.add(sts(4));
    }
  }
  k.add(exit_op());
  k.warps(kWarps);
  const Outcome o = run(machine(gpu), k);
  const Cycles last = o.cycles_of(static_cast<uint32_t>(kTurns + (pairs ? kTurns / kEvery : 0)));
  return static_cast<double>(o[Counter::kInstExecuted]) / static_cast<double>(last.back());
}

TEST_CASE("the L1 of an SM gives what was measured, in bytes a cycle") {
  // other-gpus.md 5: Jia et al. on P100, gpu-benches on the others.
  const std::pair<const char*, double> table[] = {{"p100", 31}, {"v100_pcie32", 126}, {"a100_pcie80", 127},
                                                  {"a40", 64},  {"l40s", 64},         {"h100_pcie", 126}};
  for (const auto& [gpu, published] : table) {
    const double found = l1_bytes_per_cycle(gpu);
    CAPTURE(gpu, found, published);
    CHECK(found <= 1.06 * published);
    CHECK(found >= 0.9 * published);
  }
}

TEST_CASE("the two L1s of Maxwell and of the smaller Pascals give twice what one does") {
  const GpuConfig two = load("gtx980");
  CHECK(two.sm().l1().subcores_per_unit() * 2 == two.sm().subcores());
  const double found = l1_bytes_per_cycle("gtx980");
  CAPTURE(found);
  CHECK(found <= 2 * two.sm().l1().data_bytes_per_cycle());
  CHECK(found > 1.8 * two.sm().l1().data_bytes_per_cycle());
}

TEST_CASE(
    "arithmetic issues once a cycle and scheduler; with accesses between, Maxwell and Pascal issue more") {
  struct Row {
    const char* gpu;
    double schedulers;
    bool dual;
  };
  const Row table[] = {{"gtx750ti", 4, true}, {"gtx980", 4, true}, {"tx1", 4, true},  {"p100", 2, true},
                       {"p4", 4, true},       {"tx2", 4, true},    {"a40", 4, false}, {"h200", 4, false}};
  for (const Row& row : table) {
    const double alone = issued_per_cycle(row.gpu, false), mixed = issued_per_cycle(row.gpu, true);
    CAPTURE(row.gpu, alone, mixed);
    CHECK(alone <= row.schedulers);
    CHECK(alone > 0.9 * row.schedulers);
    CHECK((mixed > 1.01 * row.schedulers) == row.dual);
  }
}

}  // namespace
}  // namespace heddle::config
