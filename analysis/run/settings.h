// How launches are simulated, whoever asks: what the command line and the Python package share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/memory/access_policy.h"
#include "sim/stats/profile.h"

namespace heddle::analysis {

// Told of what is odd but no error; may be empty.
using Warn = std::function<void(std::string_view)>;

// How many host threads can simulate a launch on `sms` SMs, of those that are wanted: no more than SMs, and
// where the host does not start as many, half of what it starts, so that there is room for the simulation;
// `warn` is told of that.
int threads_for(int wanted, uint32_t sms, const Warn& warn);

// What of the launch before a launch finds in the L2: nothing, as behind Nsight Compute's --cache-control
// all; or all that a launch of the same recording has left. Other caches are cold either way.
enum class Between : uint8_t { kFlush, kKeep };

struct RunSettings {
  int threads = 1;                       // host threads that simulate one launch
  uint64_t quantum = 0;                  // device::RunOptions::quantum
  int jobs = 1;                          // launches simulated at a time
  int cpus = 0;                          // not 0: to be shared out between jobs and threads
  uint64_t watchdog_cycles = 5'000'000;  // device::RunOptions::watchdog_cycles
  bool sample = false;                   // sampling::simulate()
  Between between = Between::kFlush;
  uint32_t warm_up = 0;                    // so often each launch is simulated before the time that counts
  memory::L2Policy l2;                     // device::RunOptions::l2
  stats::ProfileRequest profile;           // device::RunOptions::profile
  bool strict = false;                     // unknown opcodes and unknown lines of lists are errors
  bool allow_capability_mismatch = false;  // traces of another compute capability than the GPU's
};

// As options, those that change what is simulated and are not the default.
std::vector<std::string> describe(const RunSettings& settings);

// Chooses `jobs` and `threads` for `launches` where `cpus` is given.
void share_out(RunSettings& settings, size_t launches);

}  // namespace heddle::analysis
