// One sub-core: its warps, the issue stage, the pipes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "sim/engine/time.h"
#include "sim/sm/register_ports.h"
#include "sim/sm/timed_instr.h"
#include "sim/sm/warp.h"
#include "sim/stats/counters.h"

namespace heddle::sm {

class Sm;

inline constexpr uint32_t kSlotsPerSubcore = 32;  // at most; masks are 32 bits

class SubCore {
 public:
  SubCore(Sm& sm, uint32_t index, const config::Sm& config);

  void reset();

  // The warp in `slot` may be looked at again at cycle `at` (later than the current one).
  void park(uint32_t slot, Cycle at, Cycle now);
  // The warp in `slot` has nothing timed in front of it: it becomes ready, or starts the wait that holds it.
  void evaluate(uint32_t slot, Cycle now);
  // A queue to the LSU has room, or is full.
  void set_port_full(uint8_t port, bool full, Cycle now);

  void step(Cycle now);
  // The next cycle in which step() has something to do.
  Cycle next() const { return next_; }
  void wake(Cycle at) { next_ = at < next_ ? at : next_; }

  // Pipe `p` takes its next instruction at `until`.
  void take_pipe(uint8_t p, Cycle until) {
    pipe_free_[p] = until;
    busy_ports_ |= 1u << p;
  }

  uint32_t index() const { return index_; }
  // GMMA and the other users of a pipe that book it ahead.
  Cycle& pipe_free(isa::Pipe p) { return pipe_free_[static_cast<int>(p)]; }

 private:
  static constexpr uint32_t kWheel = 64;

  bool hold_for_operands(Warp& w, const TimedInstr& t, uint32_t slot, Cycle now);
  void charge_slots(stats::Stall s, uint32_t slots, Cycle cycles);
  void profile_slots(stats::Stall s, uint32_t slots, Cycle cycles);
  void account_gap(Cycle now);
  uint32_t blocked(Cycle now);
  void charge_waits(Cycle cycle, uint32_t stopped, bool skipped);
  uint32_t pick(uint32_t eligible) const;
  void issue(uint32_t slot, Cycle now);
  void end_stream(uint32_t warp, Cycle now, uint32_t gap, Cycle again);
  uint32_t jump_cycles(const TimedInstr& t, uint32_t to) const;
  struct Booking {
    uint8_t pipe;  // the pipe that was used
    Cycle start;   // `now`, or later by the wait in the pipe's queue
  };
  Booking occupy(const TimedInstr& t, Cycle now);
  Cycle enter_queue(uint8_t p, uint32_t interval, Cycle now);
  void compute_next(Cycle now);

  Sm& sm_;
  const uint32_t index_;
  const config::Issue::Policy policy_;
  const uint32_t branch_cycles_, branch_next_line_cycles_, branch_far_cycles_;
  RegisterPorts ports_;

  uint32_t ready_ = 0;                          // slots that could issue, were their port free
  std::array<uint32_t, kPortCount> wanting_{};  // of these, by port
  std::array<Cycle, isa::kPipeCount> pipe_free_{};
  // Of a pipe with a queue: when it will be done with each of the last instructions that entered.
  struct PipeQueue {
    uint32_t depth = 0, latency = 0, next = 0;
    Cycle free = 0;
    std::array<Cycle, kMaxPipeQueue> done{};
  };
  std::array<PipeQueue, isa::kPipeCount> queue_{};
  uint32_t queued_pipes_ = 0;             // pipes that have one
  uint32_t busy_ports_ = 0;               // ports that may be occupied
  uint32_t full_ports_ = 0;               // queues that are full
  std::array<uint32_t, kWheel> wheel_{};  // slots by wake-up cycle
  uint64_t wheel_bits_ = 0;
  uint32_t last_ = 0;     // slot that issued last
  Cycle hold_until_ = 0;  // register ports
  Cycle next_ = kNever;
  Cycle stepped_ = 0;
  // Slots of the ready warps that did not issue, by what they were waiting for, to charge skipped cycles.
  std::array<uint32_t, stats::kStallCount> pending_{};
  uint32_t pending_reasons_ = 0;  // mask of those that have any
};

}  // namespace heddle::sm
