// Bandwidths and intervals: halved, nothing becomes faster; doubled, nothing slower.
#include "tests/metamorphic/relation.h"

namespace heddle::metamorphic {
namespace {

constexpr const char* kSlower = "what passes there takes no less time, and nobody waits less for it";
constexpr const char* kFaster = "what passes there takes no more time, and nobody waits longer for it";

struct Rate {
  const char* name;
  std::vector<const char*> paths;
};

const std::vector<Rate>& rates() {
  static const std::vector<Rate> all = {
      {"DRAM bandwidth", {"dram.bytes_per_cycle"}},
      {"bandwidth of L2 slices", {"l2.slice_bytes_per_cycle"}},
      {"what L2 slices can write", {"l2.slice_write_bytes_per_cycle"}},
      {"look-ups of L2 slices", {"l2.slice_requests_per_cycle"}},
      {"bandwidth between L2 partitions", {"l2.fabric_bytes"}},
      {"bandwidth of SM ports", {"noc.sm_response_bytes"}},
      {"bandwidth of TPC ports", {"noc.tpc_request_bytes", "noc.tpc_response_bytes"}},
      {"bandwidth of GPC ports", {"noc.gpc_request_bytes", "noc.gpc_response_bytes"}},
      {"bandwidth of the L1's data", {"sm.l1.data_bytes_per_cycle"}},
      {"bandwidth of the L1's misses and stores",
       {"sm.l1.store_bytes_per_cycle", "sm.l1.fill_bytes_per_cycle"}},
      {"bandwidth of the register file's write port", {"sm.memory.writeback_bytes_per_cycle"}},
      {"rate of tensor cores", {"sm.tensor.mma_rate", "sm.tensor.gmma_rate", "sm.tensor.dmma_rate"}},
  };
  return all;
}

Side scaled_paths(const std::vector<const char*>& paths, double factor, const char* ending = "") {
  Side s;
  for (const char* p : paths) {
    s.scale.push_back({p, factor, ending});
  }
  return s;
}

// Of which more is slower.
const std::vector<Rate>& intervals() {
  static const std::vector<Rate> all = {
      {"time of a shared-memory wavefront",
       {"sm.shared.wavefront_cycles", "sm.shared.atomic_wavefront_cycles"}},
      {"time of an L2 atomic", {"l2.atomic_interval"}},
      {"time of an instruction in the queue to the LSU",
       {"sm.memory.subcore_interval", "sm.memory.shared_interval"}},
      {"time of a bulk copy's request", {"sm.async_copy.tma_request_interval"}},
      {"time of packets between SMs",
       {"sm.async_copy.dsm_packet_cycles", "sm.async_copy.dsm_slice_cycles",
        "sm.async_copy.dsm_answer_cycles"}},
      {"time between blocks", {"launch.block_interval", "launch.sm_block_interval"}},
      {"time of a line of instructions",
       {"sm.fetch.l1_interval", "sm.fetch.gcc_interval", "sm.fetch.prefetch_interval"}},
  };
  return all;
}

}  // namespace

Relations bandwidth_relations() {
  Relations out;
  for (const Rate& r : rates()) {
    const std::string name = r.name;
    out.push_back(
        {"halved " + name, kSlower, {}, scaled_paths(r.paths, 0.5), same_work() + not_faster(), {}});
    out.push_back({"doubled " + name, kFaster, {}, scaled_paths(r.paths, 2), same_work() + not_slower(), {}});
  }
  for (const Rate& r : intervals()) {
    out.push_back({std::string("doubled ") + r.name,
                   kSlower,
                   {},
                   scaled_paths(r.paths, 2),
                   same_work() + not_faster(),
                   {}});
  }
  Side pipes = scaled({{"sm.pipe", 2, ".interval"}, {"sm.op", 2, ".interval"}});
  out.push_back({"doubled intervals of all pipes", kSlower, {}, pipes, same_work() + not_faster(), {}});
  out.push_back({"DRAM efficiency halved is its bandwidth halved",
                 "a transfer takes its bytes over the product of the two",
                 scaled({{"dram.bytes_per_cycle", 0.5}}),
                 scaled({{"dram.efficiency", 0.5}}),
                 same_everything(),
                 {}});
  out.push_back({"every bandwidth halved is no faster than DRAM's alone",
                 "a machine with less of everything else",
                 scaled({{"dram.bytes_per_cycle", 0.5}}),
                 [] {
                   Side all;
                   for (const Rate& r : rates()) {
                     for (const char* p : r.paths) {
                       all.scale.push_back({p, 0.5});
                     }
                   }
                   return all;
                 }(),
                 same_work() + not_faster(),
                 {}});
  return out;
}

}  // namespace heddle::metamorphic
