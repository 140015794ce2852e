// Kernels in another order, written differently, elsewhere in memory.
#include <algorithm>

#include "tests/metamorphic/relation.h"
#include "tests/metamorphic/transforms.h"

namespace heddle::metamorphic {
namespace {

using isa::Instr;
using isa::OpClass;
using stats::Counter;

Except one_block() {
  return {"one block has one order", [](const Recording& k) { return k.blocks.size() == k.cluster(); }};
}

bool uses_shared_addresses(const Recording& k) {
  return k.has([](const Instr& i) { return i.mem_refs && i.space == isa::MemSpace::kShared; });
}

bool fits_registers(const Recording& k, uint32_t by) {
  return !k.has([by](const Instr& i) {
    const auto beyond = [by](const isa::Operand& o) {
      return o.file == isa::RegFile::kGpr && o.index + o.count + by > 254;
    };
    return std::any_of(i.src.begin(), i.src.begin() + i.n_src, beyond) ||
           std::any_of(i.dst.begin(), i.dst.begin() + i.n_dst, beyond);
  });
}

bool copies_in_groups(const Recording& k) {
  return k.has([](const Instr& i) { return i.op == OpClass::kLdgdepbar || i.op == OpClass::kLdgsts; });
}

bool has_named_barriers(const Recording& k) {
  return k.has([](const Instr& i) { return i.op == OpClass::kBarrier && i.barrier_id < 16; });
}

}  // namespace

Relations order_relations() {
  const char* const order = "the blocks are the same, and no order is better than by what neighbours share";
  const double bound = 0.05;
  return {
      {"blocks in reverse",
       order,
       {},
       changed({"reversed_blocks", reversed_blocks}),
       same_work() + near(cycles(), bound),
       {one_block()}},
      {"blocks from the second third on",
       order,
       {},
       changed({"rotated_blocks", rotated_blocks}),
       same_work() + near(cycles(), bound),
       {one_block()}},
      {"blocks shuffled",
       order,
       {},
       changed({"shuffled_blocks", shuffled_blocks}),
       same_work() + near(cycles(), bound),
       {one_block()}},
      {"reversed twice",
       "the same blocks in the same order",
       {},
       changed({"reversed twice", [](const Recording& k) { return reversed_blocks(reversed_blocks(k)); }}),
       same_everything(),
       {one_block()}},
      {"warps of a block in reverse",
       "sub-cores have the same work from other warps",
       {},
       changed({"reversed_warps", reversed_warps}),
       same_work() + near(cycles(), bound),
       {only("one warp has one order", [](const Recording& k) { return k.image.shape.warps() > 1; })}},
      {"GPCs in another order",
       "SMs are alike; only what stands beside what changes",
       set({"topology.tpcs_per_gpc=[5,4,4,3]"}),
       set({"topology.tpcs_per_gpc=[3,4,4,5]"}),
       same_work() + near(cycles(), bound),
       {}},
      {"every block twice",
       "twice the work in at most twice the time, and not in less than once",
       {},
       changed({"doubled_blocks", doubled_blocks}),
       same_work(2) + at_least(cycles(), kAnomaly) + at_most(cycles(), 0.02, 2),
       {}},
      {"eight empty blocks more",
       "each warp has one instruction, and nobody else less",
       {},
       changed({"with_empty_blocks", [](const Recording& k) { return with_empty_blocks(k, 8); }}),
       {not_faster(),
        {Expectation::Kind::kEqual,
         counter(Counter::kInstExecuted),
         {"instructions and 8 blocks of warps",
          [](const stats::KernelResult& r) {
            return static_cast<double>(r.totals[Counter::kInstExecuted] + 8 * r.shape.warps());
          }},
         1,
         0,
         0},
        equal(counter(Counter::kBlocksLaunched), 1, 8),
        equal(counter(Counter::kL1Sectors))},
       {}},
      {"half of the grid",
       "less work on the same machine; lines that neighbours would have fetched come later (gemm_wmma 3.2 %)",
       {},
       changed({"first of two parts", [](const Recording& k) { return part_of(k, 0, 2); }}),
       {not_slower(0.04), at_most(counter(Counter::kInstExecuted)), at_most(counter(Counter::kL1Sectors))},
       {one_block()}},
  };
}

Relations notation_relations() {
  const char* const notation = "the same instructions and addresses, written differently";
  return {
      {"a run for each instruction",
       notation,
       {},
       changed({"split_runs", split_runs}),
       same_everything(),
       {}},
      {"every address by itself",
       notation,
       {},
       changed({"listed_addresses", listed_addresses}),
       same_everything(),
       {}},
      {"other names and numbers",
       "nothing depends on names",
       {},
       changed({"renamed", renamed}),
       same_everything(),
       {}},
      {"through a .heddle file",
       notation,
       {},
       changed({"through_heddle", through_heddle}),
       same_everything(),
       {}},
      {"code 4 KiB further on",
       "a kernel's lines are counted from its first one",
       {},
       changed({"moved_code", [](const Recording& k) { return moved_code(k, 4096); }}),
       same_work() + equal(cycles()),
       {}},
      {"registers 8 further on",
       "the same banks and the same dependences",
       {},
       changed({"moved_registers", [](const Recording& k) { return moved_registers(k, 8); }}),
       same_everything(),
       {only("no 8 registers are left", [](const Recording& k) { return fits_registers(k, 8); })}},
      {"registers 8 further on, tracked by a scoreboard",
       "the same banks and the same dependences",
       set({"sm.issue.dependences=SCOREBOARD"}),
       {.set = {"sm.issue.dependences=SCOREBOARD"},
        .change = {"moved_registers", [](const Recording& k) { return moved_registers(k, 8); }}},
       same_everything(),
       {only("no 8 registers are left", [](const Recording& k) { return fits_registers(k, 8); })}},
      {"scoreboard counters numbered backwards",
       "the counters are alike",
       {},
       changed({"mirrored_scoreboards", mirrored_scoreboards}),
       same_everything(),
       {{"groups of LDGSTS are bound to a counter", copies_in_groups}}},
      {"named barriers numbered backwards",
       "the barriers are alike",
       {},
       changed({"renumbered_barriers", renumbered_barriers}),
       same_everything(),
       {only("there is no barrier", has_named_barriers)}},
  };
}

Relations address_relations() {
  const auto global = [](const char* name, uint64_t bytes) {
    return changed({name, [bytes](const Recording& k) { return moved_global(k, bytes); }});
  };
  const Except no_shared = only("there are no addresses of shared memory", uses_shared_addresses);
  const Except bulk{"operands of bulk copies name shared memory, too", [](const Recording& k) {
                      return k.has([](const Instr& i) { return i.op == OpClass::kBulkCopy; });
                    }};
  const Except clusters{"addresses of other blocks' shared memory stay", has_clusters};
  const char* const elsewhere =
      "sectors and lines are counted from multiples of their size; slices and sets are hashed";
  return {
      {"global memory 2 MiB further on",
       elsewhere,
       {},
       global("global + 2 MiB", uint64_t{2} << 20),
       same_work() + near(cycles(), 0.03),
       {}},
      {"global memory 1 GiB further on",
       elsewhere,
       {},
       global("global + 1 GiB", uint64_t{1} << 30),
       same_work() + near(cycles(), 0.03),
       {}},
      {"global memory 128 bytes further on",
       elsewhere,
       {},
       global("global + 128", 128),
       same_work() + near(cycles(), 0.03),
       {}},
      {"global memory 48 TiB further on, without hashes",
       "slices are modulo 24 lines, sets modulo 512 of these; both "
       "divide it three times, and so do banks' rows",
       set({"l2.hash=MODULO"}),
       {.set = {"l2.hash=MODULO"},
        .change = {"global + 48 TiB", [](const Recording& k) { return moved_global(k, uint64_t{3} << 44); }}},
       same_work() + equal(counter(Counter::kTlbWalks)) + near(cycles(), 0.03),
       {}},
      {"lanes in reverse",
       "a warp's accesses are sets of addresses",
       {},
       changed({"mirrored_lanes", mirrored_lanes}),
       same_work() + near(cycles(), 0.02),
       {}},
      {"shared memory 128 bytes further on",
       "all banks once around",
       {},
       changed({"shared + 128", [](const Recording& k) { return moved_shared(k, 128); }}),
       same_everything(),
       {no_shared, bulk, clusters}},
      {"shared memory 16 bytes further on",
       "other banks, in the same order",
       {},
       changed({"shared + 16", [](const Recording& k) { return moved_shared(k, 16); }}),
       same_everything(),
       {no_shared,
        bulk,
        clusters,
        {"LDGSTS.BYPASS asks for the sectors of its destination", copies_in_groups}}},
  };
}

}  // namespace heddle::metamorphic
