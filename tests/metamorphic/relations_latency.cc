// Latencies: doubled, nothing becomes faster; halved, nothing slower. And machines without some cost at all.
#include "tests/metamorphic/relation.h"

namespace heddle::metamorphic {
namespace {

constexpr const char* kLater = "every answer comes no sooner";
constexpr const char* kSooner = "every answer comes no later";

struct Latency {
  const char* name;
  std::vector<Scale> paths;  // with factor 1
};

const std::vector<Latency>& latencies() {
  static const std::vector<Latency> all = {
      {"L2 latency", {{"l2.hit_latency", 1}}},
      {"latency between L2 partitions", {{"l2.far_latency", 1}}},
      {"latency of the NoC", {{"noc.request_latency", 1}, {"noc.response_latency", 1}}},
      {"latency of L2 atomics", {{"l2.atomic_latency", 1}}},
      {"DRAM latency", {{"dram.latency", 1}}},
      {"DRAM timing", {{"dram.t_", 1}}},
      {"latency of L1 hits", {{"sm.l1.hit_latency_", 1}}},
      {"latency of L1 misses", {{"sm.l1.miss_latency", 1}}},
      {"latency of shared memory",
       {{"sm.shared.load_latency_", 1}, {"sm.shared.atomic_latency", 1}, {"sm.shared.ldmatrix_latency", 1}}},
      {"latency of page walks", {{"tlb.walk_latency", 1}, {"tlb.l2_latency", 1}}},
      {"latency of instruction caches",
       {{"sm.fetch.l1_latency", 1},
        {"sm.fetch.gcc_latency", 1},
        {"sm.fetch.l2_latency", 1},
        {"sm.fetch.dram_latency", 1}}},
      {"latency of constant caches",
       {{"sm.constants.l1_latency", 1},
        {"sm.constants.memory_latency", 1},
        {"sm.constants.parameter_latency", 1}}},
      {"latency of barriers and fences", {{"sm.barrier", 1}}},
      {"latency of asynchronous copies",
       {{"sm.async_copy.tma_latency", 1},
        {"sm.async_copy.dsm_latency", 1},
        {"sm.async_copy.ldgsts_extra_latency", 1}}},
      {"latency of operations", {{"sm.op", 1, ".latency"}}},
      {"latency of branches", {{"sm.issue.branch_", 1}, {"sm.issue.reconverge_cycles", 1}}},
  };
  return all;
}

Side times(const Latency& l, double factor) {
  Side s;
  for (Scale path : l.paths) {
    path.factor = factor;
    s.scale.push_back(path);
  }
  return s;
}

// Each takes a cost away.
struct Perfect {
  const char* name;
  Settings set;
};

const std::vector<Perfect>& perfect() {
  static const std::vector<Perfect> all = {
      {"perfect instruction fetch", {"sm.fetch.model=PERFECT"}},
      {"perfect constant caches", {"sm.constants.model=PERFECT"}},
      {"ideal register ports", {"sm.registers.model=IDEAL"}},
      {"no address translation", {"tlb.enabled=false"}},
      {"DRAM without banks and rows", {"dram.model=ROOFLINE", "dram.t_rcd=1"}},
      {"memory of endless bandwidth",
       {"dram.bytes_per_cycle=1024", "dram.t_rrd=0", "l2.slice_bytes_per_cycle=1024",
        "l2.slice_write_bytes_per_cycle=1024", "l2.slice_requests_per_cycle=16", "l2.fabric_bytes=65536",
        "noc.sm_response_bytes=4096", "noc.tpc_request_bytes=4096", "noc.tpc_response_bytes=4096",
        "noc.gpc_request_bytes=65536", "noc.gpc_response_bytes=65536", "noc.packet_header_bytes=0"}},
      {"memory without latency",
       {"l2.hit_latency=1", "l2.far_latency=0", "l2.atomic_latency=0", "dram.latency=0", "dram.t_rcd=1",
        "dram.t_rp=1", "dram.t_cl=1", "dram.t_ras=1", "dram.t_ccd=1", "dram.t_rrd=0",
        "dram.t_wr_turnaround=0", "sm.l1.miss_latency=0", "tlb.walk_latency=0", "tlb.l2_latency=0"}},
      {"SMs whose memory side has no latency and no limit",
       {"sm.l1.hit_latency_32=1", "sm.l1.hit_latency_64=1", "sm.l1.hit_latency_128=1",
        "sm.l1.data_bytes_per_cycle=1024", "sm.l1.tags_per_cycle=32", "sm.l1.miss_interval=1",
        "sm.l1.store_bytes_per_cycle=1024", "sm.l1.fill_bytes_per_cycle=1024", "sm.l1.miss_sectors=65536",
        "sm.l1.pending_requests=65536", "sm.l1.posted_entries=65536", "sm.memory.lg_queue=64",
        "sm.memory.mio_queue=64"}},
  };
  return all;
}

}  // namespace

Relations latency_relations() {
  Relations out;
  for (const Latency& l : latencies()) {
    const std::string name = l.name;
    out.push_back({"doubled " + name, kLater, {}, times(l, 2), same_work() + not_faster(), {}});
    out.push_back({"halved " + name, kSooner, {}, times(l, 0.5), same_work() + not_slower(), {}});
  }
  const Side refreshed = set({"dram.t_rfc=920"});  // the H200's; the machine here has none
  out.push_back({"DRAM that is refreshed", kLater, {}, refreshed, same_work() + not_faster(), {}});
  out.push_back({"a refresh of three times the length",
                 kLater,
                 refreshed,
                 set({"dram.t_rfc=2760"}),
                 same_work() + not_faster(),
                 {}});
  return out;
}

Relations perfect_relations() {
  Relations out;
  Settings all;
  for (const Perfect& p : perfect()) {
    all.insert(all.end(), p.set.begin(), p.set.end());
  }
  for (const Perfect& p : perfect()) {
    out.push_back(
        {p.name, "nobody waits longer where a cost is gone", {}, set(p.set), same_work() + not_slower(), {}});
    out.push_back({std::string("all perfect is a bound of: ") + p.name,
                   "a machine without the other costs either",
                   set(p.set),
                   set(all),
                   same_work() + not_slower(),
                   {}});
  }
  const Measure issue_time = {"cycles of all sub-cores", [](const stats::KernelResult& r) {
                                return static_cast<double>(r.cycles) * r.sms * r.subcores_per_sm;
                              }};
  const Measure issued = counter(stats::Counter::kInstExecuted);
  out.push_back({"all perfect, each sub-core issues one instruction a cycle",
                 "issue is a limit that stays",
                 {},
                 set(all),
                 {{Expectation::Kind::kAtLeast, issue_time, issued, 1, 0, 0}},
                 {}});
  return out;
}

}  // namespace heddle::metamorphic
