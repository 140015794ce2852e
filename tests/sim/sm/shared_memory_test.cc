// Shared memory: latency 30 (32 bits), 32 (64), 36 (128); each pass over the banks takes 2 cycles of the
// array and each one beyond the conflict-free number 2 cycles more to the result; the reader issues a cycle
// later.
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

// Cycles from the issue of `op` to that of a reader of its result (or of its read barrier).
Cycle to_reader(Op op) {
  Kernel k{op.writes_barrier(0), nop().waits(0b1)};
  return run(test_gpu(), k).cycles(0).at(1);
}
Cycle to_overwriter(Op op) {
  Kernel k{op.reads_barrier(0), nop().waits(0b1)};
  return run(test_gpu(), k).cycles(0).at(1);
}

TEST_CASE("LDS without conflicts, by width") {
  CHECK(to_reader(lds(1, 4)) == 31);
  CHECK(to_reader(lds(1, 8)) == 33);
  CHECK(to_reader(lds(1, 16)) == 37);
  CHECK(to_reader(lds(1, 4).at(0, 0)) == 31);
  CHECK(to_reader(lds(1, 1)) == 31);
}

TEST_CASE("each pass beyond the conflict-free number adds 2 cycles") {
  for (int ways : {2, 4, 8, 16, 32}) {
    CAPTURE(ways);
    CHECK(to_reader(lds(1, 4).at(0, 4 * ways)) == Cycle(31 + 2 * (ways - 1)));
  }
  CHECK(to_reader(lds(1, 8).at(0, 16)) == 33 + 2 * 2);     // 4 passes instead of 2
  CHECK(to_reader(lds(1, 16).at(0, 128)) == 37 + 2 * 28);  // 32 instead of 4
}

TEST_CASE("wavefront counters: passes, and passes beyond the conflict-free number") {
  Kernel k{lds(1, 4).at(0, 8), lds(1, 16), sts(4).at(0, 16), sts(8), atoms(1).at(0, 0)};
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kSharedLdWavefronts] == 2 + 4);
  CHECK(o[Counter::kSharedLdConflicts] == 1);
  CHECK(o[Counter::kSharedStWavefronts] == 4 + 2);
  CHECK(o[Counter::kSharedStConflicts] == 3);
  CHECK(o[Counter::kSharedAtomWavefronts] == 32);
  CHECK(o[Counter::kSharedAtomConflicts] == 31);
  CHECK(o[Counter::kSharedRequests] == 5);
}

TEST_CASE(
    "sources are read 12 cycles after a load's issue, 15 after a store's and 2 more per further register") {
  CHECK(to_overwriter(lds(1)) == 13);
  CHECK(to_overwriter(sts(4)) == 16);
  CHECK(to_overwriter(sts(8)) == 18);
  CHECK(to_overwriter(sts(16)) == 22);
}

TEST_CASE("passes of one instruction delay the next: the array does one at a time") {
  // 32 passes keep the array from cycle 10 to 74; the second load's 2 cycles come after that.
  Kernel k{lds(1).at(0, 128), lds(2).writes_barrier(0), nop().waits(0b1)};
  // It reaches the array when at most 8 cycles of work are left, at 66, and starts at 74 instead of 14:
  // 1 + 30 + 60, and a cycle to the reader.
  CHECK(run(test_gpu(), k).cycles(0).at(2) == 1 + 30 + (74 - 11) + 1);
}

TEST_CASE("stores give no result but finish") {
  CHECK(to_reader(sts()) == 31);
  Kernel k{sts()};
  CHECK(run(test_gpu(), k)[Counter::kSharedStWavefronts] == 1);
}

TEST_CASE("ATOMS: 50 cycles, and 4 for each further lane of a bank") {
  CHECK(to_reader(atoms(1)) == 51);
  CHECK(to_reader(atoms(1).at(0, 0)) == 51 + 4 * 31);
  CHECK(to_reader(atoms(1).at(0, 8)) == 51 + 4);
}

TEST_CASE("64-bit ATOMS: two passes without conflict") {
  CHECK(to_reader(atoms(1, 8)) == 51);
  CHECK(to_reader(atoms(1, 8).at(0, 16)) == 51 + 4 * 2);  // 2 + 2 passes instead of 1 + 1
  CHECK(to_reader(atoms(1, 8).at(0, 0)) == 51 + 4 * 30);  // 16 + 16
  Kernel k{atoms(1, 8)};
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kSharedAtomWavefronts] == 2);
  CHECK(o[Counter::kSharedAtomConflicts] == 0);
}

TEST_CASE("ATOMS.POPC.INC counts the lanes of a word in one pass") {
  Op inc = atoms(1).at(0, 0);
  inc.flags(isa::kFlagMergesSameWord);
  CHECK(to_reader(inc) == 51);
  inc.at(0, 128);
  CHECK(to_reader(inc) == 51 + 4 * 31);  // different words of a bank still conflict
}

TEST_CASE("LDSM: 40 cycles for one matrix, a cycle for each further one") {
  CHECK(to_reader(ldsm(1, 1)) == 41 + 1);
  CHECK(to_reader(ldsm(1, 2)) == 41 + 2);
  CHECK(to_reader(ldsm(1, 4)) == 41 + 4);
  CHECK(to_reader(ldsm(1, 1).at(0, 32)) == 42 + 2);
}

TEST_CASE("an inactive lane takes no bank") {
  Kernel k{lds(1).at(0, 128).writes_barrier(0), nop().waits(0b1)};
  k.stream(0, {{0, 0x0000000f}, {1}});
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kSharedLdWavefronts] == 4);
  CHECK(o.cycles(0).at(1) == 31 + 2 * 3);
}

TEST_CASE("a shared load whose predicate is false passes through the unit like a load of 32 bits") {
  Kernel k{lds(1).writes_barrier(0), nop().waits(0b1)};
  k.stream(0, {{0, 0}, {1}});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 31});
  CHECK(o[Counter::kSharedRequests] == 0);
  CHECK(o[Counter::kThreadInstPredOn] == 32);
}

TEST_CASE("lane exchanges take their class's latency through the same unit") {
  CHECK(to_reader(make(OpClass::kShuffle, "SHFL", 1)) == 26);
  CHECK(to_reader(make(OpClass::kS2RThread, "S2R", 1)) == 36);
}

TEST_CASE("generic loads find shared memory by its window") {
  Op ld = ldg(1).at(0x7f0000000000, 8);
  ld.in.op = OpClass::kLdGeneric;
  ld.in.space = isa::MemSpace::kGeneric;
  Kernel k{ld.writes_barrier(0), nop().waits(0b1)};
  k.shape().shared_base = 0x7f0000000000;
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0).at(1) == 33);  // two-way conflict
  CHECK(o[Counter::kSharedLdWavefronts] == 2);
  CHECK(o[Counter::kGlobalLdRequests] == 0);
}

}  // namespace
}  // namespace heddle::simtest
