// What is kept of a run and of each launch: the common form between the simulation, the database and the
// reports.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/store/flop.h"
#include "sim/isa/kernel.h"
#include "sim/stats/result.h"

namespace heddle::analysis {

// One invocation of `heddle run` or `heddle validate`. Everything here follows from the command line, the
// configuration and the program; nothing from the machine it ran on.
struct RunRecord {
  int64_t id = 0;
  std::string gpu;          // name of the configuration, "h200"
  std::string product;      // "NVIDIA H200 SXM"
  std::string config_hash;  // of config_text
  std::string config_text;  // resolved: overrides and the fidelity preset applied
  std::string fidelity;
  std::string overrides;  // one "path=value" per line, in the order given
  uint64_t seed = 0;
  std::string revision;           // of the program's source, or "unknown"
  uint64_t launches_planned = 0;  // more than are stored: the run was interrupted or failed
};

// Where and how fast a launch was simulated: everything that may differ between two equal runs.
struct HostTiming {
  double wall_seconds = 0;
  std::string hostname;
  std::string date;  // UTC, ISO 8601
  int threads = 1;
  uint64_t max_rss_bytes = 0;  // peak of the process so far
  std::string trace_path;
};

struct LaunchRecord {
  int64_t id = 0;
  int64_t run_id = 0;
  std::string trace;       // name of the capture's directory
  uint32_t launch = 0;     // position in that capture, from 1
  std::string trace_hash;  // fingerprint of the trace's files
  std::string kernel;      // as in the trace, mangled
  uint64_t kernel_id = 0;  // launch number of the capture
  isa::LaunchShape shape;
  double core_mhz = 0;
  uint64_t cycles = 0;
  uint64_t sm_active_cycles = 0;
  uint64_t warp_instructions = 0;
  bool used_control_bits = true;
  std::vector<double> values;  // parallel to stats::catalogue(); NaN = not stored
  std::array<uint64_t, stats::kStallCount> stall_warp_cycles{};
  std::map<std::string, uint64_t> unknown_opcodes;  // opcode -> executed warp instructions
  stats::Sampling sampling;
  stats::Profile profile;  // only what was asked for; ResultReader reads it on request
  std::vector<Flop> flop;  // parallel to profile.instructions
  HostTiming host;

  // The value under a catalogued name; nothing for other names and values that were not stored.
  std::optional<double> metric(std::string_view name) const;
  // The same, 0 when there is none. For reports.
  double metric_or_zero(std::string_view name) const { return metric(name).value_or(0); }
};

// Of a run that is a host program (`heddle host`): what it counted, and how its threads, streams and engines
// were used.
struct RunCounter {
  std::string name;  // "commands", "device 0 memory peak bytes", "time ps"
  uint64_t value = 0;
};
struct TrackUse {
  std::string track;
  uint64_t spans = 0;
  uint64_t busy_ps = 0;  // some span of the track covers so much time
};

LaunchRecord make_record(stats::KernelResult result);

// Position of a name in stats::catalogue().
std::optional<size_t> metric_index(std::string_view name);

// Nsight's name of a stall reason's ratio.
std::string stall_metric(std::string_view reason);

}  // namespace heddle::analysis
