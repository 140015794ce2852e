// Sizes: more room, no more misses; more units, no more time.
#include "tests/metamorphic/relation.h"

namespace heddle::metamorphic {
namespace {

using stats::Counter;

// Which of two accesses in flight comes first depends on time, and time on the size: a cache of any
// replacement can miss a little more where others' lines come in another order.
constexpr double kReordered = 0.01;

// With another number of sets or banks every address goes elsewhere, by the hash, and some fare worse there.
constexpr double kRehashed = 0.02;

const Except kNoClusters{"a GPC of two SMs has no room for the cluster", has_clusters};

Settings sms(const char* count, const char* gpcs) {
  return {std::string("topology.sms=") + count, std::string("topology.tpcs_per_gpc=") + gpcs};
}

// Waves of the grid on that many SMs, as far as blocks of the kernel fit.
Except waves_on(uint32_t sms) {
  return only("too few blocks for two waves on the larger machine", [sms](const Recording& k) {
    const uint64_t resident = std::max<uint64_t>(1, 64 / k.image.shape.warps());
    return k.blocks.size() >= 2 * sms * std::min<uint64_t>(resident, 4);
  });
}

Relations cache_relations() {
  return {
      {"doubled L1",
       "of a set's lines the more recent ones stay, and more of them",
       {},
       scaled({{"sm.l1.total_bytes", 2}}),
       same_work() + at_least(counter(Counter::kL1SectorHits), kReordered) + not_slower(kRehashed),
       {}},
      {"doubled ways of the L1",
       "the same sets with twice the lines, of which the less recent half would be gone",
       {},
       scaled({{"sm.l1.total_bytes", 2}, {"sm.l1.ways", 2}}),
       same_work() + at_least(counter(Counter::kL1SectorHits), kReordered) + not_slower(),
       {}},
      {"doubled L2",
       "twice the sets",
       {},
       scaled({{"l2.total_bytes", 2}}),
       same_work() + at_most(counter(Counter::kDramReadBytes), kReordered) + not_slower(kRehashed),
       {}},
      {"doubled ways of the L2",
       "the same sets with twice the lines, of which the less recent half would be gone",
       {},
       scaled({{"l2.total_bytes", 2}, {"l2.ways", 2}}),
       same_work() + at_most(counter(Counter::kDramReadBytes), kReordered) + not_slower(),
       {}},
      {"an L2 of a sixteenth",
       "less is kept",
       {},
       scaled({{"l2.total_bytes", 0.0625},
               {"l2.max_dirty_bytes", 0.0625},
               {"l2.max_persisting_bytes", 0.0625},
               {"launch.dirty_bytes", 0.0625}}),
       same_work() + at_least(counter(Counter::kDramReadBytes), kReordered) + not_faster(0.01),
       {}},
      {"doubled first TLBs",
       "LRU: what a smaller one holds, a larger one holds",
       {},
       scaled({{"tlb.l1_entries", 2}}),
       same_work() + at_most(counter(Counter::kTlbL1Misses), kReordered) + not_slower(),
       {}},
      {"TLBs of one entry",
       "what a smaller one holds, a larger one holds",
       {},
       set({"tlb.l1_entries=1"}),
       same_work() + at_least(counter(Counter::kTlbL1Misses)) + not_faster(),
       {}},
  };
}

Relations unit_relations() {
  return {
      {"doubled L0 instruction caches",
       "more lines stay",
       {},
       scaled({{"sm.fetch.l0_bytes", 2}}),
       same_work() + at_most(counter(Counter::kFetchL0Misses), kReordered) + not_slower(),
       {}},
      {"L0 instruction caches of four lines",
       "fewer lines stay",
       {},
       set({"sm.fetch.l0_bytes=512"}),
       same_work() + not_faster(),
       {}},
      {"doubled constant caches",
       "more lines stay",
       {},
       scaled({{"sm.constants.l0_bytes", 2}, {"sm.constants.l1_bytes", 2}}),
       same_work() + at_most(counter(Counter::kConstMisses), kReordered) + not_slower(),
       {}},
      {"without reuse caches",
       "operands come through the ports of the register banks",
       {},
       set({"sm.registers.reuse_cache=false"}),
       same_work() + equal(counter(Counter::kReuseHits), 0) +
           at_least(counter(Counter::kRegPortStalls), kReordered) + not_faster(),
       {}},
      {"without merging of reads",
       "every read of every SM goes to the L2",
       {},
       set({"noc.merge_entries=0"}),
       same_work() + at_least(counter(Counter::kL2FromSm), kReordered) + not_faster(),
       {}},
      {"doubled DRAM banks",
       "rows of more addresses stay open",
       {},
       scaled({{"dram.banks", 2}}),
       same_work() + not_slower(kRehashed),
       {}},
  };
}

Relations queue_relations() {
  const std::vector<std::pair<const char*, const char*>> queues = {
      {"misses in flight", "sm.l1.miss_sectors"},
      {"loads in flight", "sm.l1.pending_requests"},
      {"posted stores", "sm.l1.posted_entries"},
      {"stores in front of the tags", "sm.l1.posted_queue"},
      {"packets in front of the port", "sm.l1.port_packets"},
      {"queues to the LSU", "sm.memory"},
      {"bulk copies in flight", "sm.async_copy.tma_requests_in_flight"},
      {"page walkers", "tlb.walkers"},
  };
  Relations out;
  for (const auto& [name, path] : queues) {
    const std::string ending = std::string(path) == "sm.memory" ? "_queue" : "";
    out.push_back({std::string("doubled room for ") + name,
                   "nobody waits longer for a place",
                   {},
                   scaled({{path, 2, ending}}),
                   same_work() + not_slower(),
                   {}});
    out.push_back({std::string("a quarter of the room for ") + name,
                   "nobody waits less for a place",
                   {},
                   scaled({{path, 0.25, ending}}),
                   same_work() + not_faster(),
                   {}});
  }
  return out;
}

Relations sm_relations() {
  return {
      {"8 to 16 SMs in twice the GPCs",
       "each SM has half the blocks of a grid of waves, and its share of ports stays",
       set(sms("8", "[2,2]")),
       set(sms("16", "[2,2,2,2]")),
       same_work() + not_slower(0.02),
       {waves_on(16), kNoClusters}},
      {"8 to 16 SMs in the same GPCs",
       "each SM has half the blocks; the ports of GPCs stay as wide",
       set(sms("8", "[1,1,1,1]")),
       set(sms("16", "[2,2,2,2]")),
       same_work() + not_slower(0.02),
       {waves_on(16), kNoClusters}},
      {"32 to 64 SMs in twice the GPCs",
       "each SM has half the blocks of a grid of waves, and its share of ports stays",
       {},
       set(sms("64", "[4,4,4,4,4,4,4,4]")),
       same_work() + not_slower(0.02),
       {waves_on(64)}},
      {"one SM",
       "all blocks share what each of 32 had for itself",
       {},
       set(sms("2", "[1]")),
       same_work() + not_faster(),
       {kNoClusters}},
      {"half the warps an SM",
       "half as many blocks wait at a time",
       {},
       scaled({{"limits.max_warps_per_sm", 0.5}}),
       same_work() + not_faster(0.02),
       {{"less thrash in caches can be faster", [](const Recording& k) { return k.name == "cluster_dsm"; }}}},
  };
}

}  // namespace

Relations capacity_relations() {
  Relations out = cache_relations();
  for (const Relations& more : {unit_relations(), queue_relations(), sm_relations()}) {
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

}  // namespace heddle::metamorphic
