// Several launches on one machine at a time. Their blocks share SMs within their resources, and everything
// behind them: L1 and L2, NoC, DRAM. What a launch leaves in the L2 the next one finds.
//
// Each launch has instruction and constant caches to warm up, as if no kernel had run before; an SM's L1 is
// emptied when a launch other than the last gets the SM to itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "configs/schema/gpu.pb.h"
#include "sim/engine/time.h"
#include "sim/isa/recording.h"
#include "sim/stats/counters.h"

namespace heddle::sm {
class IssueObserver;  // sim/sm/sm.h
}

namespace heddle::device {

struct SessionOptions {
  int threads = 1;                            // host threads that advance SMs; results do not depend on it
  uint64_t quantum = 0;                       // as RunOptions::quantum
  const std::atomic<bool>* cancel = nullptr;  // as RunOptions::cancel
  uint64_t watchdog_cycles = 5'000'000;       // as RunOptions::watchdog_cycles
  sm::IssueObserver* observer = nullptr;      // told of every issue; may be null
};

class Session {
 public:
  // At core cycle 0, with a cold machine.
  explicit Session(const config::GpuConfig& gpu, const SessionOptions& options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // How many launches may be on the machine at once.
  uint32_t most_launches() const;
  uint32_t launches() const;
  // The launch's blocks may start from core cycle `at` on, or from now() on if that is later. `priority` as
  // CUDA's: lower numbers go first. `tag` comes back when it has ended. Throws Error when no block or cluster
  // fits, or too many launches are under way.
  // `address_offset` is added to its addresses in memory: kernels of different processes have nothing in
  // common there, whatever their traces say.
  void launch(std::unique_ptr<isa::BlockSource> kernel, int32_t priority, Cycle at, uint64_t tag,
              uint64_t address_offset = 0);

  struct Ended {
    uint64_t tag = 0;
    Cycle start = 0;  // its first block's
    Cycle end = 0;    // when its last warp had ended and its last store had been performed
    isa::BlockWork work;
  };
  // Simulates until core cycle `until`, or until a launch has ended, which is then returned: its end may be
  // somewhat later than now(). Throws Error (malformed trace), Cancelled, DeadlockError.
  std::optional<Ended> advance(Cycle until);

  Cycle now() const;
  // Of all launches so far.
  stats::CounterSet counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::device
