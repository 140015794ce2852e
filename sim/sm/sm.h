// A streaming multiprocessor: its units, and how they are wired. It advances on its own through a quantum;
// what it sends to the memory side, to the work distributor and to other SMs is collected and exchanged
// between quanta.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/memory/inbox.h"
#include "sim/memory/outbox.h"
#include "sim/memory/payload.h"
#include "sim/sm/barriers/barriers.h"
#include "sim/sm/dsm/cluster_port.h"
#include "sim/sm/fences/fences.h"
#include "sim/sm/fetch/constant_cache.h"
#include "sim/sm/fetch/instruction_supply.h"
#include "sim/sm/issue/dispatch.h"
#include "sim/sm/issue/subcore.h"
#include "sim/sm/lsu/lsu.h"
#include "sim/sm/state/observe.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/unit.h"
#include "sim/sm/tensor/tensor.h"
#include "sim/sm/tensor_memory/tensor_memory.h"
#include "sim/sm/tma/tma.h"
#include "sim/stats/counters.h"
#include "sim/stats/profile.h"

namespace heddle::sm {

// To the work distributor: the block in that slot is done, and its place free, at `time`.
struct Notice {
  Cycle time;
  uint32_t slot;
  uint32_t cluster;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(time, slot, cluster);
  }
};

class Sm final : WarpScheduler, QueueRoom {
 public:
  // `gpu` must live as long.
  Sm(uint32_t index, const spec::GpuConfig& gpu);

  // Empty and cold, with nothing counted. Who notes instructions adds one kernel. resize_l1() comes before
  // the first block.
  // Time counts from `origin`. `image`: what programs that compute find in memory; null for recordings.
  // False: it was as begin() leaves it, which costs little.
  bool begin(Cycle origin, IssueObserver* observer = nullptr, const Noting& noting = {},
             isa::GlobalMemory* image = nullptr);
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
    uint8_t rank = 0;         // in it
    bool new_l1 = false;      // the SM is empty then: its L1 has `l1_bytes` from there on, and nothing in it
    uint32_t l1_bytes = 0;

    // But what it points to.
    template <class A>
    void serialize(A& ar) {
      ar(grid, slot, cluster, in_cluster, rank, new_l1, l1_bytes);
    }
  };
  // Its first warp may issue at `at`, which is not in the SM's past. There must be room then.
  void launch(const Placement& p, Cycle at);
  // Handles everything before `end`.
  void advance(Cycle end);
  // The next cycle with something to do; kNever when the SM only waits for others.
  Cycle next() const;

  uint32_t index() const { return state_.index(); }
  Cycle now() const { return state_.now(); }
  uint64_t issued() const { return dispatch_.issued(); }
  uint64_t executed_unknown(uint32_t code) const { return dispatch_.executed_unknown(code); }
  Cycle active_cycles(Cycle now) const { return state_.active_cycles(now); }
  Cycle last_activity() const { return state_.last_activity(); }
  // The last cycle in which anything happened.
  Cycle last_event() const { return last_event_; }
  uint64_t warp_cycles(Cycle now) const { return state_.warp_cycles(now); }
  memory::Outbox& outbox() { return state_.outbox(); }
  memory::Inbox& inbox() { return inbox_; }
  memory::Payloads& payloads() { return state_.payloads(); }
  ClusterPort& cluster() { return cluster_; }
  Tma& tma() { return tma_; }
  // Since they were taken last.
  std::vector<Notice>& blocks_done() { return blocks_done_; }
  stats::CounterSet& counters() { return state_.counters(); }
  const std::vector<stats::InstructionCounts>& profile() const { return state_.profile(); }
  // What has ended since they were taken last.
  std::vector<Residency>& residencies() { return state_.residencies(); }
  // Warps that wait for nothing but time, memory or a unit: f(hardware warp, its program).
  template <class F>
  void for_each_running(F&& f) const {
    for (uint32_t i = 0; i < state_.warps(); ++i) {
      const Warp& w = state_.warp(i);
      const bool waits = w.held && (w.state == stats::Stall::kBarrier || w.state == stats::Stall::kGmma);
      if (w.active && !w.draining && !waits) {
        f(i, w.stream.program());
      }
    }
  }
  // Whether warps that have issued their last instruction are still here: it may yet change something.
  bool any_draining() const {
    for (uint32_t i = 0; i < state_.warps(); ++i) {
      if (state_.warp(i).active && state_.warp(i).draining) {
        return true;
      }
    }
    return false;
  }
  // Barriers that have opened, and warps that have ended.
  uint64_t openings() const { return state_.openings(); }
  // The first; null: none.
  const Fault* fault() const { return state_.fault(); }
  // Before the first launch: code that others have asked for, which is known so many cycles later.
  void connect(const memory::CodeLines& code, Cycle known_after) { instructions_.connect(code, known_after); }
  // Ends waits for barrier objects that the recordings on this SM have; false when there are none.
  bool end_recorded_waits(Cycle now) { return barriers_.end_recorded_waits(now); }
  // One line per warp that is not done: what it is and what it waits for.
  void describe_stuck(std::vector<std::string>& out) const;

  // Between quanta, of blocks of one kernel (SmState::serialize). Whoever reads has begun and added the
  // kernel.
  void serialize(Archive& ar, const TimedKernel& kernel, std::span<isa::BlockProgram* const> blocks);

 private:
  void evaluate(uint32_t warp, Cycle now) override {
    subcores_[state_.subcore_of(warp)].evaluate(state_.slot_of(warp), now);
  }
  void park(uint32_t warp, Cycle at, Cycle now) override {
    subcores_[state_.subcore_of(warp)].park(state_.slot_of(warp), at, now);
  }
  void retired(uint32_t warp, Cycle now) override;
  void set_port_full(uint32_t subcore, uint8_t port, bool full, Cycle now) override {
    subcores_[subcore].set_port_full(port, full, now);
  }
  void handle(const UnitEvent& e, Cycle now);
  void start_stream(uint32_t warp, Cycle now);
  void answer(const memory::Inbox::Answer& a, Cycle now);
  void take_arrivals(Cycle now);
  void start_block(const Placement& p, Cycle now);

  const spec::Launch& launch_;               // of the machine, which outlives its SMs
  const uint32_t sms_;                       // of the GPU
  const std::pair<uint32_t, uint32_t> gpc_;  // the SMs from one until another are in the SM's GPC
  const uint32_t code_line_bytes_;
  SmState state_;
  InstructionSupply instructions_;
  ConstantCache constants_;
  Dispatch dispatch_;
  SharedPipes shared_pipes_;
  std::vector<SubCore> subcores_;
  // Units.
  Tensor tensor_;
  Fences fences_;
  ClusterPort cluster_;
  Lsu lsu_;
  Barriers barriers_;
  Tma tma_;
  TensorMemory tensor_memory_;
  // All of them: who is reset, and describes what it has in hand.
  const std::vector<Unit*> units_ = {&fences_, &lsu_, &barriers_, &tma_, &tensor_, &tensor_memory_};

  memory::Inbox inbox_;
  // Blocks that will start, by time: from outside, so apart from the SM's own events.
  struct Arrival {
    Cycle time = 0;
    Placement block;

    template <class A>
    void serialize(A& ar) {
      ar(time, block);
    }
  };
  std::vector<Arrival> arrivals_;
  std::vector<Notice> blocks_done_;
  uint64_t age_ = 0;
  uint32_t first_subcore_ = 0;  // of the next block
  Cycle origin_ = 0;
  Cycle last_event_ = 0;
  bool used_ = true;  // something has come or happened since begin()
};

}  // namespace heddle::sm
