#include "tests/analysis/sample_records.h"

namespace heddle::analysis {

using stats::Counter;
using stats::Stall;

RunRecord sample_run() {
  RunRecord r;
  r.gpu = "h200";
  r.product = "NVIDIA H200 SXM";
  r.config_hash = "0123456789abcdef";
  r.config_text = "name: \"h200\"\n";
  r.fidelity = "default";
  r.overrides = "l2.ways=8\n";
  r.seed = 7;
  r.revision = "abc1234";
  r.launches_planned = 2;
  return r;
}

stats::KernelResult sample_result(uint64_t seed) {
  stats::KernelResult r;
  r.kernel = "_Z8k_vecaddPKfS0_Pfi";
  r.kernel_id = seed;
  r.shape.grid = {static_cast<uint32_t>(4096 + seed), 1, 1};
  r.shape.block = {256, 1, 1};
  r.shape.registers_per_thread = 16;
  r.occupancy.limit_blocks = 32;
  r.occupancy.limit_registers = 16;
  r.occupancy.limit_shared = 32;
  r.occupancy.limit_warps = 8;
  r.occupancy.blocks_per_sm = 8;
  r.occupancy.warps_per_sm = 64;
  r.occupancy.theoretical_pct = 100;
  r.occupancy.waves_per_sm = 3.88;
  r.cycles = 11282 + seed;
  r.sm_active_cycles_max = 8207 + seed;
  r.sm_active_cycles_sum = 952757;
  r.sms = 132;
  r.core_mhz = 1980;
  r.totals[Counter::kInstExecuted] = 655360;
  r.totals[Counter::kIssueActive] = 655360;
  r.totals[Counter::kWarpsActive] = 44000000;
  r.totals[Counter::kL1Sectors] = 400000;
  r.totals[Counter::kL1SectorHits] = 100000;
  r.totals[Counter::kL2Sectors] = 600000;
  r.totals[Counter::kL2SectorHits] = 660000;  // more than there are sectors, as on silicon
  r.totals[Counter::kL2FromSm] = 500000;
  r.totals[Counter::kL2FromSmHits] = 200000;
  r.totals[Counter::kDramReadBytes] = 8391424;
  r.totals[Counter::kDramWriteBytes] = 1000000;
  r.totals[Stall::kSelected] = 655360;
  r.totals[Stall::kLongScoreboard] = 31000000;
  r.totals[Stall::kNoInstruction] = 8500000;
  r.totals[Stall::kMioThrottle] = 2900000 + seed;
  r.unknown_opcodes = {{"NEWOP.X", 12}};
  return r;
}

LaunchRecord sample_launch(const std::string& trace, uint32_t launch, uint64_t seed) {
  LaunchRecord r = make_record(sample_result(seed));
  r.trace = trace;
  r.launch = launch;
  r.trace_hash = "fedcba9876543210";
  r.host.wall_seconds = 0.5;
  r.host.hostname = "loom";
  r.host.date = "2026-11-20T12:00:00Z";
  r.host.threads = 1;
  r.host.max_rss_bytes = 1 << 20;
  r.host.trace_path = "/traces/" + trace + "/kernel-1.traceg";
  return r;
}

}  // namespace heddle::analysis
