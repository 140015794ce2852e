// The machine: build it from a configuration, run kernels on it one after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/base/cancelled.h"
#include "sim/base/error.h"
#include "sim/device/occupancy.h"
#include "sim/engine/time.h"
#include "sim/isa/recording.h"
#include "sim/memory/access_policy.h"
#include "sim/memory/image.h"
#include "sim/stats/result.h"

namespace heddle::sm {
class IssueObserver;  // sim/sm/sm.h
}

namespace heddle::device {

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
  std::function<void(const Progress&)> progress;
  // When it becomes true the run stops soon and throws Cancelled. May be null.
  const std::atomic<bool>* cancel = nullptr;
  // No instruction issued for this many core cycles while warps are resident: DeadlockError.
  uint64_t watchdog_cycles = 5'000'000;
  // Blocks may be left out and what they do be extrapolated (sim/device/block_sampler.h);
  // KernelResult::sampling says what happened.
  bool sample = false;
  // What KernelResult::profile will have. Not together with `sample`.
  stats::ProfileRequest profile;
  // L2 residency control.
  memory::L2Policy l2;
  // The L2 is as the launch before on this Gpu left it; other caches are cold. A Gpu's first launch finds it
  // empty.
  bool warm = false;
  // Told of every issue. May be null.
  sm::IssueObserver* observer = nullptr;
  // What programs that compute find in the device's memory, and change. They need one; recordings do not look
  // at it.
  memory::Image* image = nullptr;
  // Programs that compute: when for so many core cycles memory has not changed, no block has ended, and every
  // warp repeats what it did or waits, LivelockError. 0: never.
  uint64_t livelock_cycles = 100'000;
};

using heddle::Cancelled;

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

class Gpu {
 public:
  // Made by so many host threads, which is worth it when it runs on as many.
  explicit Gpu(const config::GpuConfig& config, int threads = 1);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // Simulates one launch from cold caches. Throws Error (bad launch, malformed trace), Cancelled,
  // DeadlockError; the machine can be used again afterwards.
  // A recording, or any program; only a recording can be sampled.
  stats::KernelResult run(isa::BlockSource& kernel, const RunOptions& options = {});
  stats::KernelResult run(isa::GridProgram& kernel, const RunOptions& options = {});

  // Between launches: nothing persists any more (cudaCtxResetPersistingL2Cache); and how much does.
  void reset_persisting_l2();
  uint64_t persisting_l2_bytes() const;

  // The same launch piece by piece: begin(), advance() while it says true, finish(). `kernel` and what the
  // options point to must live until then. The pieces change no result.
  void begin(isa::BlockSource& kernel, const RunOptions& options = {});
  void begin(isa::GridProgram& kernel, const RunOptions& options = {});
  // Simulates whole quanta (some hundred cycles at most) until core cycle `until`; false: the launch is over.
  bool advance(Cycle until);
  // How far it is, in core cycles.
  Cycle now() const;
  // Of the launch so far: cycles are those that have passed. What ends when a warp leaves its SM or its state
  // (warps active, stalls) is counted then.
  stats::KernelResult so_far() const;
  // Once advance() has said false.
  stats::KernelResult finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::device
