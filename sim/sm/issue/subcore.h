// One sub-core: its warps, the issue stage, the pipes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/engine/time.h"
#include "sim/sm/code/timed_instr.h"
#include "sim/sm/fetch/constant_cache.h"
#include "sim/sm/fetch/instruction_supply.h"
#include "sim/sm/issue/dispatch.h"
#include "sim/sm/issue/issue_order.h"
#include "sim/sm/registers/register_ports.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/warp.h"
#include "sim/sm/tensor/tensor_array.h"
#include "sim/stats/counters.h"

namespace heddle::sm {

class SubCore;

// Pipes that the sub-cores of an SM share.
class SharedPipes {
 public:
  explicit SharedPipes(const spec::Sm& config);
  void reset() { free_.fill(0); }
  template <class Archive>
  void serialize(Archive& ar) {
    ar(free_);
  }
  bool shared(uint8_t p) const { return (mask_ >> p) & 1; }
  // When it is done with what is queued for it.
  Cycle& free(uint8_t p) { return free_[p]; }

 private:
  uint32_t mask_ = 0;
  std::array<Cycle, isa::kPipeCount> free_{};
};

// What a sub-core is wired to.
struct IssueWires {
  SmState& state;
  InstructionSupply& instructions;
  ConstantCache& constants;
  Dispatch& dispatch;
  SharedPipes& shared_pipes;
  std::vector<SubCore>& subcores;    // of the SM
  std::vector<TensorArray>& arrays;  // of the sub-cores
};

class SubCore {
 public:
  SubCore(const IssueWires& wires, uint32_t index);

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

  template <class Archive>
  void serialize(Archive& ar) {
    ar(ports_, ready_, wanting_, pipe_free_, queue_, busy_ports_, full_ports_, wheel_, wheel_bits_, order_,
       lines_, turns_, hold_until_, fetched_until_, issued_at_, next_, stepped_, pending_, pending_reasons_);
  }

 private:
  static constexpr uint32_t kWheel = 64;

  SubCore(const IssueWires& wires, uint32_t index, const spec::Sm& config);

  bool hold_for_operands(Warp& w, const TimedInstr& t, uint32_t slot, Cycle now);
  void charge_slots(stats::Stall s, uint32_t slots, Cycle cycles);
  void profile_slots(stats::Stall s, uint32_t slots, Cycle cycles);
  void account_gap(Cycle now);
  uint32_t blocked(Cycle now);
  void charge_waits(Cycle cycle, uint32_t stopped, bool skipped);
  void line_up(uint32_t stopped);
  // Until when the registers' ports, or a step of the tensor array, keep everybody from issuing;
  Cycle port_until() const { return std::max(hold_until_, array_.port_until()); }
  // until when nobody issues.
  Cycle held_until() const { return std::max(port_until(), fetched_until_); }
  uint32_t before_step(uint32_t eligible, Cycle now);
  void note_turn(uint32_t slot, Cycle now);
  void note_fetch(uint32_t slot, bool jumps, Cycle now);
  // subcore_issue.cc
  void issue(uint32_t slot, Cycle now);
  bool goes_along(uint32_t slot, const TimedInstr& first, Cycle now);
  Cycle issue_one(uint32_t slot, Cycle now, bool paired);
  void end_stream(uint32_t warp, Cycle now, uint32_t gap, Cycle again);
  uint32_t jump_cycles(const TimedInstr& t, uint32_t to) const;
  struct Booking {
    uint8_t pipe;  // the pipe that was used
    Cycle start;   // `now`, or later by the wait in the pipe's queue
  };
  Booking occupy(const TimedInstr& t, Cycle now);
  Cycle enter_queue(uint8_t p, uint32_t interval, Cycle now);
  void compute_next(Cycle now);

  IssueWires wires_;
  SmState& sm_;
  const uint32_t index_;
  const bool dual_issue_;
  const uint32_t wasted_fetches_, fetch_ahead_;
  const uint32_t branch_cycles_, branch_next_line_cycles_, branch_far_cycles_;
  RegisterPorts ports_;
  TensorArray& array_;

  uint32_t ready_ = 0;                          // slots that could issue, were their port free
  std::array<uint32_t, kPortCount> wanting_{};  // of these, by port
  std::array<Cycle, isa::kPipeCount> pipe_free_{};
  // Of a pipe with a queue: when it will be done with each of the last instructions that entered.
  struct PipeQueue {
    uint32_t depth = 0, latency = 0, next = 0;
    Cycle free = 0;
    std::array<Cycle, kMaxPipeQueue> done{};

    template <class Archive>
    void serialize(Archive& ar) {
      ar(next, free, done);
      ar.check(next < std::max(depth, 1u), "a place that a pipe's queue does not have");
    }
  };
  std::array<PipeQueue, isa::kPipeCount> queue_{};
  uint32_t queued_pipes_ = 0;             // pipes that have one
  uint32_t busy_ports_ = 0;               // ports that may be occupied
  uint32_t full_ports_ = 0;               // queues that are full
  std::array<uint32_t, kWheel> wheel_{};  // slots by wake-up cycle
  uint64_t wheel_bits_ = 0;
  IssueOrder order_;
  PortLines lines_;
  // Issues since the last step of the tensor array: whose the last was, how many without a gap, who had some.
  struct Turns {
    uint64_t step = 0;
    uint32_t slot = 0, run = 0, had = 0;
    Cycle until = 0;  // the last one's end
    // Of each warp: how many it has issued that it could issue in the cycle behind the one before.
    std::array<uint8_t, kSlotsPerSubcore> stream{};

    template <class Archive>
    void serialize(Archive& ar) {
      ar(step, slot, run, had, until, stream);
      ar.check(slot < kSlotsPerSubcore, "a slot that the sub-core does not have");
    }
  };
  Turns turns_;
  Cycle hold_until_ = 0;     // register ports
  Cycle fetched_until_ = 0;  // when the fetch stage has caught up with what has issued
  std::array<Cycle, kSlotsPerSubcore> issued_at_{};
  Cycle next_ = kNever;
  Cycle stepped_ = 0;
  // Slots of the ready warps that did not issue, by what they were waiting for, to charge skipped cycles.
  std::array<uint32_t, stats::kStallCount> pending_{};
  uint32_t pending_reasons_ = 0;  // mask of those that have any
};

}  // namespace heddle::sm
