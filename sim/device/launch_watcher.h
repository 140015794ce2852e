// Who looks on while a launch runs, and may have a say in its result.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/engine/time.h"
#include "sim/stats/counters.h"
#include "sim/stats/result.h"

namespace heddle::device {

class LaunchWatcher {
 public:
  virtual ~LaunchWatcher() = default;
  // The first wave has been placed: so many blocks are resident at once.
  virtual void placed(uint64_t blocks, Cycle at) = 0;
  // The block with that isa::BlockProgram::linear is done.
  virtual void block_done(uint64_t linear) = 0;
  // Between quanta: so many warp instructions have been issued on the device until `now`. `counters` gives
  // the sum of all counters.
  virtual void quantum(Cycle now, uint64_t issued, const std::function<stats::CounterSet()>& counters) = 0;
  // Blocks of the grid that were left out so far: nobody waits for them.
  virtual uint64_t left_out() const = 0;
  // The launch has ended; its result is not out yet.
  virtual void complete(stats::KernelResult& result) const = 0;
};

}  // namespace heddle::device
