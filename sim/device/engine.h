// What executes launches on a device: instruction by instruction (detailed_engine.h), and whatever else will.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/isa/recording.h"
#include "sim/stats/counters.h"

namespace heddle::device {

struct Launch {
  // One of the three: a recording that lives until the launch has ended, or that goes with it, or a program.
  isa::BlockSource* recording = nullptr;
  std::unique_ptr<isa::BlockSource> owned = nullptr;
  isa::GridProgram* program = nullptr;
  int32_t priority = 0;  // as CUDA's: lower numbers go first
  Cycle at = 0;          // its blocks may start from then on, or from now() on if that is later
  uint64_t tag = 0;      // comes back when it has ended
  // Added to its addresses in memory: kernels of different processes have nothing in common there, whatever
  // their traces say.
  uint64_t address_offset = 0;
};

struct LaunchEnd {
  uint64_t tag = 0;
  Cycle start = 0;  // its first block's
  Cycle end = 0;    // when its last warp had ended and its last store had been performed
  isa::BlockWork work;
};

// Time is in core cycles and begins at 0.
class Engine {
 public:
  virtual ~Engine() = default;

  // How many launches may be on the machine at once, and how many are.
  virtual uint32_t most_launches() const = 0;
  virtual uint32_t launches() const = 0;
  // Throws Error when no block or cluster fits, or too many launches are under way.
  virtual void launch(Launch launch) = 0;
  // Simulates until `until`, or until a launch has ended, which is then returned: its end may be somewhat
  // later than now(). Throws Error (malformed trace), Cancelled, DeadlockError.
  virtual std::optional<LaunchEnd> advance(Cycle until) = 0;
  virtual Cycle now() const = 0;
  // Of all launches so far.
  virtual stats::CounterSet counters() const = 0;
};

}  // namespace heddle::device
