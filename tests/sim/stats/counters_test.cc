// Every counter moves, by an amount worked out by hand.
#include <catch2/catch.hpp>
#include <set>

#include "tests/sim/stats/kernels.h"

namespace heddle::simtest {
namespace {

struct Row {
  Counter counter;
  const char* sample;
  uint64_t expected;
};

const Row kTable[] = {
    {Counter::kInstExecuted, "two instructions", 2},
    {Counter::kThreadInstExecuted, "two instructions", 16 + 32},
    {Counter::kThreadInstExecuted, "predicated", 16 + 16},
    {Counter::kThreadInstPredOn, "predicated", 16 + 8},
    {Counter::kIssueActive, "two instructions", 2},
    {Counter::kWarpsActive, "two instructions", 6},  // issues at 0 and 5
    {Counter::kWarpsActive, "three blocks", 6},
    {Counter::kBlocksLaunched, "three blocks", 3},
    {Counter::kPipeAlu, "every pipe", 2},  // the unknown opcode too
    {Counter::kPipeFma, "every pipe", 4},
    {Counter::kPipeFmaHeavy, "every pipe", 2},  // FFMA light, FFMA heavy, IMAD heavy, HFMA2 light
    {Counter::kPipeFmaLite, "every pipe", 2},
    {Counter::kPipeFp16, "every pipe", 1},
    {Counter::kPipeFp64, "every pipe", 1},
    {Counter::kPipeXu, "every pipe", 1},
    {Counter::kPipeLsu, "every pipe", 1},
    {Counter::kPipeAdu, "every pipe", 1},
    {Counter::kPipeCbu, "every pipe", 1},
    {Counter::kPipeUniform, "every pipe", 1},
    {Counter::kPipeTensor, "every pipe", 1},
    {Counter::kTensorBusy, "every pipe", 1},
    {Counter::kTensorBusy, "warp-group MMA", 32},
    {Counter::kPipeTex, "every pipe", 1},
    {Counter::kUnknownOpcodes, "every pipe", 1},
    {Counter::kGlobalLdRequests, "global", 2},
    {Counter::kGlobalLdSectors, "global", 4 + 32},
    {Counter::kGlobalLdHits, "global", 4},
    {Counter::kGlobalLdMisses, "global", 32},
    {Counter::kGlobalStRequests, "global", 1},
    {Counter::kGlobalStSectors, "global", 4},
    {Counter::kGlobalStHits, "global", 4},
    {Counter::kL1Sectors, "global", 40},
    {Counter::kL1SectorHits, "global", 8},
    {Counter::kGlobalAtomRequests, "atomics", 1},
    {Counter::kGlobalAtomSectors, "atomics", 32},
    {Counter::kGlobalRedRequests, "atomics", 2},
    {Counter::kGlobalRedSectors, "atomics", 4 + 32},
    {Counter::kL2Atoms, "atomics", 1},
    {Counter::kL2Reds, "atomics", 5},
    {Counter::kLocalStRequests, "local", 2},
    {Counter::kLocalStSectors, "local", 8},
    {Counter::kLocalStHits, "local", 4},  // the second; the first found nothing
    {Counter::kLocalLdRequests, "local", 2},
    {Counter::kLocalLdSectors, "local", 8},
    {Counter::kLocalLdHits, "local", 8},  // the stores have left whole sectors
    {Counter::kSharedLdWavefronts, "shared", 2 + 4},
    {Counter::kSharedLdConflicts, "shared", 1},
    {Counter::kSharedStWavefronts, "shared", 4 + 2},
    {Counter::kSharedStConflicts, "shared", 3},
    {Counter::kSharedAtomWavefronts, "shared", 32},
    {Counter::kSharedAtomConflicts, "shared", 31},
    {Counter::kSharedRequests, "shared", 5},
    {Counter::kSharedMiscWavefronts, "lane passes", 3},
    {Counter::kSharedGmmaWavefronts, "warp-group MMA", 32},
    {Counter::kSharedCopyWavefronts, "copies", 1},
    {Counter::kL2Sectors, "one sector at a time", 3},
    {Counter::kL2FromSm, "one sector at a time", 3},
    {Counter::kL2Reads, "one sector at a time", 3},
    {Counter::kL2SectorHits, "one sector at a time", 1},
    {Counter::kL2FromSmHits, "one sector at a time", 1},
    {Counter::kL2FromSmMisses, "one sector at a time", 4},  // DRAM brings two sectors at a time
    {Counter::kDramReadBytes, "one sector at a time", 128},
    {Counter::kDramRowMisses, "one sector at a time", 1},
    {Counter::kDramRowHits, "one sector at a time", 1},
    {Counter::kL2Writes, "dirty L2", 32},
    {Counter::kDramWriteBytes, "dirty L2", 16 * 32},
    {Counter::kL2FromFabric, "far line", 2},
    {Counter::kL2Sectors, "far line", 1 + 2},
    {Counter::kL2FromGpc, "far line", 1},
    {Counter::kL2Requests, "far line", 2},
    {Counter::kL2FromGcc, "cold code", 16},  // lines 0 to 2, two at a time
    {Counter::kL2FromGpc, "cold code", 16},
    {Counter::kL2FromGcc, "cold constant", 8},
    {Counter::kL2Membars, "barriers at L2", 2 * 4 + 1},
    {Counter::kL2Sectors, "barriers at L2", 4 + 9},
    {Counter::kL2FromGpc, "barriers at L2", 4 + 1},
    {Counter::kL2Requests, "barriers at L2", 1 + 9 + 30},  // 40 for 4 slices, of which one was used
    {Counter::kL2SectorHits, "barriers at L2", 4 + 9 + 30},
    {Counter::kTlbL1Misses, "TLB", 2},
    {Counter::kTlbWalks, "TLB", 2},
    {Counter::kFetchL0Misses, "cold code", 3},
    {Counter::kFetchL1Misses, "cold code", 3},
    {Counter::kFetchGccMisses, "cold code", 3},
    {Counter::kConstMisses, "cold constant", 1},
    {Counter::kBarriersByOrder, "barriers of unknown number", 2},
    {Counter::kDualIssued, "pairs", 2},
    {Counter::kRegPortStalls, "register ports", 4 * 2},
    {Counter::kReuseHits, "reuse", 4},
    {Counter::kDsmRequests, "other block's memory", 1},
    {Counter::kBulkBytes, "bulk copy", 128},
    {Counter::kBulkBytes, "tensor copies", 3 * 2 * 128},
    {Counter::kTensorCopiesUnknown, "tensor copies", 1},
    {Counter::kTensorCopiesAssumed, "tensor copies", 2},
    {Counter::kMbarrierAnyPhase, "bulk copy", 1},  // the recording does not have its operand
    {Counter::kMbarrierForced, "wait that nobody ends", 1},
    {Counter::kSpinsLeftOut, "spin loop", 2 * 2},
    {Counter::kInstExecuted, "spin loop", 3},
};

TEST_CASE("counters, by hand") {
  for (const Row& r : kTable) {
    INFO(stats::kCounterInfo[static_cast<int>(r.counter)].name);
    CAPTURE(r.sample);
    CHECK(outcome(r.sample)[r.counter] == r.expected);
  }
}

TEST_CASE("no counter is without a row") {
  std::set<Counter> covered;
  for (const Row& r : kTable) {
    covered.insert(r.counter);
    CHECK(r.expected > 0);
  }
  for (int i = 0; i < stats::kCounterCount; ++i) {
    INFO(stats::kCounterInfo[i].name);
    CHECK(covered.count(static_cast<Counter>(i)));
  }
}

TEST_CASE("sums that hold in every launch") {
  for (const auto& [name, make] : samples()) {
    const Outcome& o = outcome(name);
    CAPTURE(name);
    CHECK(o[Counter::kInstExecuted] == o.issues.size());
    CHECK(o[Counter::kIssueActive] + o[Counter::kDualIssued] == o[Counter::kInstExecuted]);
    CHECK(o[Stall::kSelected] + o[Counter::kDualIssued] == o[Counter::kInstExecuted]);
    CHECK(o[Counter::kThreadInstPredOn] <= o[Counter::kThreadInstExecuted]);
    CHECK(o[Counter::kThreadInstExecuted] <= 32 * o[Counter::kInstExecuted]);
    CHECK(o[Counter::kGlobalLdSectors] == o[Counter::kGlobalLdHits] + o[Counter::kGlobalLdMisses]);
    CHECK(o[Counter::kL1SectorHits] <= o[Counter::kL1Sectors]);
    // L1 also sees the traffic to other blocks' shared memory.
    if (o[Counter::kDsmRequests] == 0) {
      CHECK(o[Counter::kL1Sectors] == o[Counter::kGlobalLdSectors] + o[Counter::kGlobalStSectors] +
                                          o[Counter::kGlobalRedSectors] + o[Counter::kGlobalAtomSectors] +
                                          o[Counter::kLocalLdSectors] + o[Counter::kLocalStSectors]);
    }
    if (o[Counter::kL2Membars] == 0) {
      CHECK(o[Counter::kL2FromGpc] == o[Counter::kL2FromSm] + o[Counter::kL2FromGcc]);
      CHECK(o[Counter::kL2Sectors] == o[Counter::kL2FromGpc] + o[Counter::kL2FromFabric]);
    }
    CHECK(o[Counter::kL2Sectors] == o[Counter::kL2Reads] + o[Counter::kL2Writes] + o[Counter::kL2Reds] +
                                        o[Counter::kL2Atoms] + o[Counter::kL2Membars]);
    CHECK(o[Counter::kPipeFma] == o[Counter::kPipeFmaHeavy] + o[Counter::kPipeFmaLite]);
    CHECK(o.result.sm_active_cycles_max <= o.result.sm_active_cycles_sum);
    CHECK(o[Counter::kWarpsActive] >= o.result.sm_active_cycles_max);
    CHECK(o.result.cycles >= 1500 + o.result.sm_active_cycles_max);
  }
}

}  // namespace
}  // namespace heddle::simtest
