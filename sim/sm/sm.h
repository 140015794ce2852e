// A streaming multiprocessor. It advances on its own through a quantum; what it sends to the memory side and
// to the work distributor is collected and exchanged between quanta.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/engine/event_wheel.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/memory/image.h"
#include "sim/memory/inbox.h"
#include "sim/memory/message.h"
#include "sim/memory/outbox.h"
#include "sim/memory/payload.h"
#include "sim/sm/block_slot.h"
#include "sim/sm/cluster_port.h"
#include "sim/sm/constant_cache.h"
#include "sim/sm/event.h"
#include "sim/sm/instruction_supply.h"
#include "sim/sm/lsu.h"
#include "sim/sm/register_scoreboard.h"
#include "sim/sm/subcore.h"
#include "sim/sm/tma.h"
#include "sim/sm/warp.h"
#include "sim/stats/counters.h"
#include "sim/stats/profile.h"

namespace heddle::sm {

inline constexpr Cycle kOperandReadCycles = 6;  // issue to sources read in a pipe that is not busy

// To the work distributor: the block in that slot is done, and its place free, at `time`.
struct Notice {
  Cycle time;
  uint32_t slot;
  uint32_t cluster;
};

// How long a block or one of its warps was on an SM.
struct Residency {
  uint64_t block = 0;  // isa::BlockProgram::linear
  isa::Dim3 index;     // of the block
  uint32_t lane = 0;   // block slot, or warp slot of the SM
  int32_t warp = -1;   // within the block; -1: the whole block
  Cycle start = 0, end = 0;
};
// What an SM notes for stats::Profile.
struct Noting {
  bool instructions = false, blocks = false, warps = false;
};

// What a program that computes did wrong first.
struct Fault {
  Cycle time = 0;
  std::string text;
};

// Told of every instruction that issues, for tests and tools. With several host threads the calls for
// different SMs overlap.
class IssueObserver {
 public:
  virtual ~IssueObserver() = default;
  virtual void issued(uint32_t sm, uint32_t subcore, uint32_t warp, uint32_t pc, Cycle cycle) = 0;
};

class Sm {
 public:
  // `gpu` must live as long.
  Sm(uint32_t index, const config::GpuConfig& gpu);

  // ---- between quanta, called by the device ----
  // Empty and cold, with nothing counted. Who notes instructions adds one kernel. resize_l1() comes before
  // the first block.
  // Time counts from `origin`. `image`: what programs that compute find in memory; null for recordings.
  void begin(Cycle origin, IssueObserver* observer = nullptr, const Noting& noting = {},
             const memory::Image* image = nullptr);
  // Blocks of this kernel may come from now on; its code and constants are cold. It must live as long as
  // they.
  void add_kernel(const TimedKernel& kernel);
  // A block, and where it goes: `grid` numbers its launch, `cluster` its cluster on the device. What it
  // points to must live until the block has ended.
  struct Placement {
    isa::BlockProgram* program = nullptr;
    const TimedKernel* kernel = nullptr;
    uint8_t grid = 0;
    uint32_t slot = 0;
    uint32_t cluster = 0;
    bool in_cluster = false;  // of several blocks
    bool new_l1 = false;      // the SM is empty then: its L1 has `l1_bytes` from there on, and nothing in it
    uint32_t l1_bytes = 0;
  };
  // Its first warp may issue at `at`, which is not in the SM's past. There must be room then.
  void launch(const Placement& p, Cycle at);
  // Handles everything before `end`.
  void advance(Cycle end);
  // The next cycle with something to do; kNever when the SM only waits for others.
  Cycle next() const;

  uint32_t index() const { return index_; }
  Cycle now() const { return now_; }
  uint64_t issued() const { return issued_; }
  // How often the instruction with that code index, of an unknown opcode, was issued.
  uint64_t executed_unknown(uint32_t code) const {
    auto it = unknown_.find(code);
    return it == unknown_.end() ? 0 : it->second;
  }
  // Until `now`, the time in which it has been holding warps since then included.
  Cycle active_cycles(Cycle now) const {
    return active_cycles_ + (resident_ && now > active_since_ ? now - active_since_ : 0);
  }
  // When its last warp ended.
  Cycle last_activity() const { return last_activity_; }
  memory::Outbox& outbox() { return outbox_; }
  memory::Inbox& inbox() { return inbox_; }
  // Since they were taken last.
  std::vector<Notice>& blocks_done() { return blocks_done_; }
  stats::CounterSet& counters() { return counters_; }
  // Warp-cycles of residency until `now`, those of resident warps included.
  uint64_t warp_cycles(Cycle now) const;
  // Parallel to the kernel's code; empty unless noted.
  const std::vector<stats::InstructionCounts>& profile() const { return profile_; }
  // What has ended since they were taken last.
  std::vector<Residency>& residencies() { return residencies_; }
  // Warps that wait for nothing but time, memory or a unit: f(hardware warp, its program).
  template <class F>
  void for_each_running(F&& f) const {
    for (uint32_t i = 0; i < warps_.size(); ++i) {
      const Warp& w = warps_[i];
      const bool waits = w.held && (w.state == stats::Stall::kBarrier || w.state == stats::Stall::kGmma);
      if (w.active && !w.draining && !waits) {
        f(i, w.stream.program());
      }
    }
  }
  // Barriers that have opened.
  uint64_t openings() const { return openings_; }
  // The first; null: none.
  const Fault* fault() const { return fault_ ? &*fault_ : nullptr; }
  // One line per warp that is not done: what it is and what it waits for.
  void describe_stuck(std::vector<std::string>& out) const;

  // ---- for the units inside ----
  const TimedKernel& kernel(uint32_t warp) const { return warps_[warp].stream.kernel(); }
  uint8_t grid(uint32_t warp) const { return blocks_[warps_[warp].block].grid; }
  IssueObserver* observer() const { return observer_; }
  Warp& warp(uint32_t id) { return warps_[id]; }
  Warp& warp(uint32_t subcore, uint32_t slot) { return warps_[slot * subcores_count_ + subcore]; }
  uint8_t warp_of(uint32_t subcore, uint32_t slot) const {
    return static_cast<uint8_t>(slot * subcores_count_ + subcore);
  }
  uint32_t subcore_of(uint32_t warp) const { return warp % subcores_count_; }
  SubCore& subcore(uint32_t i) { return subcores_[i]; }
  uint32_t subcores() const { return subcores_count_; }
  BlockSlot& block(uint32_t slot) { return blocks_[slot]; }
  InstructionSupply& instructions() { return instructions_; }
  Lsu& lsu() { return lsu_; }
  ClusterPort& cluster() { return cluster_; }
  // All blocks of the cluster have come to its barrier.
  void open_cluster_barrier(uint32_t slot, Cycle now);
  // Does that to a barrier object of the block in `slot`.
  void change_mbarrier(uint32_t slot, const isa::MbarrierOp& op, Cycle now);
  // What an event for a barrier of the block in `slot` carries. The block may have gone when it comes, and
  // another be in its place.
  uint32_t barrier_event(uint32_t slot, uint32_t barrier) const {
    return blocks_[slot].generation * kBarriersPerSm + slot * kNamedBarriers + barrier;
  }
  bool is_current(uint32_t barrier_event) const {
    return barrier_event / kBarriersPerSm ==
           blocks_[barrier_event % kBarriersPerSm / kNamedBarriers].generation % (~0u / kBarriersPerSm + 1);
  }
  ConstantCache& constants() { return constants_; }
  RegisterScoreboard& scoreboard(uint32_t warp) { return (*scoreboards_)[warp]; }
  void schedule(Cycle at, const Event& e) { events_.schedule(at, e); }
  bool shared_pipe(uint8_t p) const { return (shared_pipes_ >> p) & 1; }
  // When a pipe that the sub-cores share is done with what is queued for it.
  Cycle& shared_free(uint8_t p) { return shared_free_[p]; }
  // The warp was in that state for so long, before its next instruction.
  void charge(const Warp& w, stats::Stall s, uint64_t cycles) {
    counters_[s] += cycles;
    if (noting_.instructions) [[unlikely]] {
      profile_charge(w, s, cycles);
    }
  }
  // Where an instruction's counts are noted; null when nobody wants them.
  stats::InstructionCounts* profile(const TimedInstr& t) {
    return noting_.instructions ? &profile_[t.index] : nullptr;
  }
  bool profiles() const { return noting_.instructions; }
  memory::Payloads& payloads() { return payloads_; }
  const memory::Image* image() const { return image_; }
  // The instruction of a program that computes cannot do what it should.
  void fault(uint32_t warp, const TimedInstr& t, Cycle now, const std::string& what);
  void send(const memory::Request& r) {
    assert(r.sectors != 0);  // the memory side serves sectors
    outbox_.send(r);
  }

  // An instruction of `warp` issues: counts it.
  void count_issue(Warp& w, const TimedInstr& t);
  // The warp's current instruction applies to some of its active lanes, not to all and not to none.
  bool is_partial(uint32_t warp) const {
    uint32_t mask = warps_[warp].stream.mask();
    return mask != 0 && (mask & active_mask_[warp]) != active_mask_[warp];
  }
  // Starts its execution. Returns the earliest cycle of the warp's next issue beyond its stall count (0: no
  // constraint), kNever when the warp is held until an event.
  // `start` is later than `now` by the time that it waits in a pipe's queue.
  Cycle execute(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle now, Cycle start);
  // Before that, and before it is counted: its program hands out the operands.
  void hand_out(Warp& w, const TimedInstr& t);
  // Its stream has ended.
  void finish_warp(uint32_t warp, Cycle now);
  void retire_if_drained(uint32_t warp, Cycle now);
  // A memory instruction of `warp` no longer needs it.
  void memory_done(uint32_t warp, Cycle now) {
    Warp& w = warps_[warp];
    if (--w.loads == 0) {
      if (w.draining) {
        retire_if_drained(warp, now);
      } else if (w.held) {
        end_fence(warp, now, now + 1);
      }
    }
  }

  // Scoreboard counters: a result (or the reading of the sources) will happen at `at`; or happens now.
  void expect(uint32_t warp, const TimedInstr& t, stats::Stall why);
  void result_at(Cycle at, uint32_t warp, const TimedInstr& t);
  void operands_read_at(Cycle at, uint32_t warp, const TimedInstr& t);
  void release(uint32_t warp, uint8_t barrier, Cycle now);
  // A waiting warp may look again.
  void recheck(uint32_t warp, Cycle now);

  // LDGSTS groups.
  void copy_started(uint32_t warp) { ++warps_[warp].copies.open[warps_[warp].copies.tail % kGroupRing]; }
  void copy_done(uint32_t warp, uint32_t group, Cycle now);
  // A bulk copy has delivered `bytes` for the barrier object at `address` of the block in `slot`.
  void bulk_arrived(uint32_t slot, uint64_t address, uint64_t bytes, Cycle now);
  void store_done(uint32_t warp, uint64_t age, Cycle now);
  void end_fence(uint32_t warp, Cycle now, Cycle earliest);

 private:
  void handle(const Event& e, Cycle now);
  void answer(const memory::Inbox::Answer& a, Cycle now);
  void take_arrivals(Cycle now);
  void start_block(const Placement& p, Cycle now);
  void profile_charge(const Warp& w, stats::Stall s, uint64_t cycles);
  void note_residency(const Warp& w, uint32_t id, Cycle now);
  void close_copy_group(Warp& w, uint32_t warp, const TimedInstr& t, Cycle now);
  void pop_copy_groups(uint32_t warp, Cycle now);
  Cycle execute_fixed(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle start);
  Cycle execute_membar(Warp& w, uint32_t warp, const TimedInstr& t, Cycle now);
  Cycle arrive_barrier(uint32_t warp, const TimedInstr& t, Cycle now);
  void count_arrival(uint32_t warp, uint32_t barrier, uint32_t expected, bool waits, Cycle now);
  void exit_lanes(uint32_t warp, uint32_t mask, Cycle now);

  void release_barrier(uint32_t slot, uint32_t barrier, Cycle now);
  void tell_cluster(ClusterMessage::Kind kind, uint32_t slot, Cycle at);
  Cycle arrive_cluster(uint32_t warp, const TimedInstr& t, Cycle now);
  void announce_cluster_arrival(uint32_t slot, Cycle now);
  Cycle arrive_warpgroup(uint32_t warp, Cycle now);
  bool release_warpgroup(const BlockSlot& b, WarpgroupState& s, uint32_t group, Cycle now);
  void leave_barriers(uint32_t warp, Cycle now);
  void start_gmma(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle now);
  void start_bulk_load(uint32_t warp, Cycle now);
  void mbarrier(uint32_t warp, const TimedInstr& t, Cycle now);
  void settle_mbarrier(MbarrierState& m, Cycle now);
  struct Asked {  // by a program that computes
    uint32_t mask, ticket;
  };
  void pass_mbarrier(uint32_t warp, const TimedInstr& t, const Asked& asked, bool complete, Cycle now);
  static uint32_t expected_warps(const BlockSlot& b, const isa::BarrierOp& op);
  void wake_held(uint32_t warp, Cycle at, Cycle now);
  // Its dependences are known by registers, not by control bits.
  bool by_scoreboard(uint32_t warp) const { return scoreboards_ && !kernel(warp).control_bits; }

  const uint32_t index_;
  // Of the machine, which outlives its SMs.
  const config::Sm& config_;
  const config::Launch& launch_;
  const uint32_t subcores_count_;
  const double ns_per_cycle_;
  uint32_t shared_pipes_ = 0;  // mask of pipes that the sub-cores share
  std::array<Cycle, isa::kPipeCount> shared_free_{};
  IssueObserver* observer_ = nullptr;
  stats::CounterSet counters_;
  Noting noting_;
  std::vector<stats::InstructionCounts> profile_;
  std::vector<Residency> residencies_;
  EventWheel<Event> events_;
  std::vector<Warp> warps_;
  std::vector<BlockSlot> blocks_;
  std::vector<SubCore> subcores_;
  InstructionSupply instructions_;
  ConstantCache constants_;
  Lsu lsu_;
  Tma tma_;
  ClusterPort cluster_;
  std::unique_ptr<std::vector<RegisterScoreboard>> scoreboards_;
  memory::Outbox outbox_;
  memory::Inbox inbox_;
  // Blocks that will start, by time: from outside, so apart from the SM's own events.
  struct Arrival {
    Cycle time;
    Placement block;
  };
  std::vector<Arrival> arrivals_;
  std::vector<Notice> blocks_done_;
  std::map<uint32_t, uint64_t> unknown_;     // issues of instructions of unknown opcodes, by code index
  const isa::Operands* operands_ = nullptr;  // of the instruction that issues
  isa::Operands handed_out_;
  const memory::Image* image_ = nullptr;
  memory::Payloads payloads_;
  std::optional<Fault> fault_;
  uint64_t openings_ = 0;
  std::vector<uint32_t> active_mask_;  // per warp: mask of its newest unpredicated instruction
  Server barrier_unit_;
  uint64_t age_ = 0;
  uint64_t issued_ = 0;
  uint32_t resident_ = 0;  // warps
  Cycle origin_ = 0;
  Cycle now_ = 0;
  Cycle active_since_ = 0;
  Cycle active_cycles_ = 0;
  Cycle last_activity_ = 0;
};

}  // namespace heddle::sm
