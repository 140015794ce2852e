// What a simulated kernel launch leaves behind. Only the analysis layer knows how it is stored.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/isa/kernel.h"
#include "sim/stats/counters.h"
#include "sim/stats/profile.h"

namespace heddle::stats {

// Theoretical residency of a launch on one SM (Nsight: launch__occupancy_limit_*).
struct Occupancy {
  uint32_t limit_blocks = 0;     // by the hardware's block slots
  uint32_t limit_registers = 0;  // blocks
  uint32_t limit_shared = 0;     // blocks
  uint32_t limit_warps = 0;      // blocks
  uint32_t blocks_per_sm = 0;    // smallest of the four
  uint32_t warps_per_sm = 0;
  double theoretical_pct = 0;          // warps_per_sm of the SM's maximum, per cent
  uint32_t shared_carveout_bytes = 0;  // launch__shared_mem_config_size
  uint32_t l1_bytes = 0;
  uint32_t shared_bytes_per_block = 0;  // allocated: rounded, with the reserved part
  uint32_t registers_per_block = 0;     // allocated
  // Beside blocks of other kernels it goes only to SMs whose carve-out is in this range.
  uint32_t carveout_min_bytes = 0, carveout_max_bytes = 0;
  double waves_per_sm = 0;  // launch__waves_per_multiprocessor
};

// Whether blocks were left out of the simulation, and how far the result can be trusted then.
struct Sampling {
  bool requested = false;        // by `--sample` or the configuration's share
  uint64_t detailed_blocks = 0;  // simulated; the others' share is extrapolated
  uint64_t total_blocks = 0;
  uint64_t cycles_low = 0,
           cycles_high = 0;   // bound of KernelResult::cycles; both equal to it when all were simulated
  std::string reason;         // why all blocks were simulated; empty when not all were
  uint32_t detailed_sms = 0;  // a share of the machine (sim/sampling/share.h); both 0 for all of it
  uint32_t total_sms = 0;

  bool sampled() const { return detailed_blocks < total_blocks; }
};

struct KernelResult {
  std::string kernel;      // demangled or mangled, as in the trace
  uint64_t kernel_id = 0;  // launch number of the capture
  isa::LaunchShape shape;
  Occupancy occupancy;
  uint64_t cycles = 0;  // core cycles, what gpc__cycles_elapsed.max means: fixed launch cost included
  uint64_t sm_active_cycles_max = 0;  // core cycles, sm__cycles_active.max
  uint64_t sm_active_cycles_sum = 0;  // over all SMs; sm__cycles_active.avg = sum / sms
  uint32_t sms = 0;
  uint32_t subcores_per_sm = 4;
  uint32_t max_warps_per_sm = 64;
  double core_mhz = 0;
  CounterSet totals;              // over all units
  bool used_control_bits = true;  // false: the trace had no encodings and the register scoreboard was used
  std::map<std::string, uint64_t> unknown_opcodes;  // opcode text -> executed warp instructions
  Sampling sampling;
  Profile profile;  // what was asked for with device::RunOptions::profile

  double seconds() const { return cycles / (core_mhz * 1e6); }  // simulated time
};

// One value by Nsight name, derived from the raw counters.
struct Metric {
  std::string name;
  double value;
};

struct MetricInfo {
  std::string name, unit, meaning;
};

// Every metric of a result: raw counters, stall ratios, hit rates, occupancy, launch limits.
std::vector<Metric> derive(const KernelResult& r);

// The catalogue: one entry per name that derive() can produce.
const std::vector<MetricInfo>& catalogue();

}  // namespace heddle::stats
