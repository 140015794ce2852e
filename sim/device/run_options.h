// How launches are simulated, and what can go wrong.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/memory/access_policy.h"
#include "sim/stats/profile.h"

namespace heddle::sm {
class IssueObserver;  // sim/sm/sm.h
}

namespace heddle::device {

class LaunchWatcher;  // launch_watcher.h

// How far a running kernel has come.
struct Progress {
  uint64_t cycle = 0;              // core cycles simulated
  uint64_t warp_instructions = 0;  // issued so far
  uint64_t blocks_done = 0;
  uint64_t blocks_total = 0;
};

struct RunOptions {
  int threads = 1;  // host threads that advance SMs; results do not depend on it
  // Core cycles that SMs advance between two exchanges, at most; 0: as many as there can be. Results do not
  // depend on it, which is what it is for.
  uint64_t quantum = 0;
  // Called from the thread that called run(), at most every few milliseconds of host time. May be empty.
  std::function<void(const Progress&)> progress{};
  // When it becomes true the run stops soon and throws Cancelled. May be null.
  const std::atomic<bool>* cancel = nullptr;
  // No instruction issued for this many core cycles while warps are resident: DeadlockError.
  uint64_t watchdog_cycles = 5'000'000;
  // Looks on. May be null.
  LaunchWatcher* watcher = nullptr;
  // What KernelResult::profile will have. Of one launch at a time.
  stats::ProfileRequest profile{};
  // L2 residency control.
  memory::L2Policy l2{};
  // The L2 is as the launches before on this machine left it; other caches are cold. The first finds it
  // empty.
  bool warm = false;
  // Told of every issue. May be null.
  sm::IssueObserver* observer = nullptr;
  // What programs that compute find in the device's memory, and change. They need one; recordings do not look
  // at it.
  isa::GlobalMemory* image = nullptr;
  // Programs that compute: when for so many core cycles memory has not changed, no block has ended, and every
  // warp repeats what it did or waits, LivelockError. 0: never.
  uint64_t livelock_cycles = 100'000;
};

// The machine can make no progress. `what()` is a one-line summary; `report` has a line for each of
// the first 16 stuck warps (SM, block, warp, PC, instruction, what it waits for and the state of that), and
// if there are more, how many.
class DeadlockError : public Error {
 public:
  DeadlockError(const std::string& what, std::vector<std::string> lines)
      : Error(what), report(std::move(lines)) {}
  std::vector<std::string> report;
};

// Warps go on for ever without anything changing: each has come again to a state that it was in before, and
// memory is as it was. `report` as above.
class LivelockError : public DeadlockError {
 public:
  using DeadlockError::DeadlockError;
};

}  // namespace heddle::device
