// What the units of an SM share: its warps and blocks, the scoreboard counters between instructions, events,
// counters, and the way to memory.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/event_wheel.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/memory/message.h"
#include "sim/memory/outbox.h"
#include "sim/memory/payload.h"
#include "sim/sm/code/timed_instr.h"
#include "sim/sm/registers/register_scoreboard.h"
#include "sim/sm/state/block_slot.h"
#include "sim/sm/state/event.h"
#include "sim/sm/state/observe.h"
#include "sim/sm/state/request_port.h"
#include "sim/sm/state/warp.h"
#include "sim/stats/counters.h"
#include "sim/stats/profile.h"

namespace heddle::sm {

inline constexpr Cycle kOperandReadCycles = 6;  // issue to sources read in a pipe that is not busy

// Who deals with warps that nothing holds any more.
class WarpScheduler {
 public:
  virtual ~WarpScheduler() = default;
  // It may issue now, as far as scoreboard counters go.
  virtual void evaluate(uint32_t warp, Cycle now) = 0;
  // It is looked at again at cycle `at`, which is later than `now`.
  virtual void park(uint32_t warp, Cycle at, Cycle now) = 0;
  // It has gone; its block still counts it.
  virtual void retired(uint32_t warp, Cycle now) = 0;
};

class SmState {
 public:
  // `gpu` and `scheduler` must live as long.
  SmState(uint32_t index, const spec::GpuConfig& gpu, WarpScheduler& scheduler);

  // Sm::begin(). `used`: warps have been here, or something else has happened, since the last.
  void begin(IssueObserver* observer, const Noting& noting, isa::GlobalMemory* image, bool used);
  // A kernel without control bits may come: its dependences are known by registers.
  void need_scoreboards();

  const spec::Sm& config() const { return config_; }
  uint32_t index() const { return index_; }
  // The cycle that is being handled; between quanta, the end of the last.
  Cycle now() const { return now_; }
  void set_now(Cycle now) { now_ = now; }
  uint32_t subcores() const { return subcores_; }

  // ---- warps and blocks ----
  uint32_t warps() const { return static_cast<uint32_t>(warps_.size()); }
  Warp& warp(uint32_t id) { return warps_[id]; }
  const Warp& warp(uint32_t id) const { return warps_[id]; }
  Warp& warp(uint32_t subcore, uint32_t slot) { return warps_[slot * subcores_ + subcore]; }
  uint8_t warp_of(uint32_t subcore, uint32_t slot) const {
    return static_cast<uint8_t>(slot * subcores_ + subcore);
  }
  uint32_t subcore_of(uint32_t warp) const { return warp % subcores_; }
  uint32_t slot_of(uint32_t warp) const { return warp / subcores_; }
  BlockSlot& block(uint32_t slot) { return blocks_[slot]; }
  const BlockSlot& block(uint32_t slot) const { return blocks_[slot]; }
  BlockSlot& block_of(uint32_t warp) { return blocks_[warps_[warp].block]; }
  const TimedKernel& kernel(uint32_t warp) const { return warps_[warp].stream.kernel(); }
  uint8_t grid(uint32_t warp) const { return blocks_[warps_[warp].block].grid; }
  // What an event for a barrier of the block in `slot` carries. The block may have gone when it comes, and
  // another be in its place.
  uint32_t barrier_event(uint32_t slot, uint32_t barrier) const {
    return blocks_[slot].generation * kBarriersPerSm + slot * kNamedBarriers + barrier;
  }
  bool is_current(uint32_t barrier_event) const {
    return barrier_event / kBarriersPerSm ==
           blocks_[barrier_event % kBarriersPerSm / kNamedBarriers].generation % (~0u / kBarriersPerSm + 1);
  }
  // Lanes of the newest unpredicated instruction.
  uint32_t& active_mask(uint32_t warp) { return active_mask_[warp]; }
  // The warp's current instruction applies to some of its active lanes, not to all and not to none.
  bool is_partial(uint32_t warp) const {
    uint32_t mask = warps_[warp].stream.mask();
    return mask != 0 && (mask & active_mask_[warp]) != active_mask_[warp];
  }
  // The warp in that place begins.
  void start_warp(uint32_t id, const Warp& w);

  // ---- what warps wait for ----
  // Scoreboard counters: a result (or the reading of the sources) will happen at `at`; or happens now.
  void expect(uint32_t warp, const TimedInstr& t, stats::Stall why);
  void result_at(Cycle at, uint32_t warp, const TimedInstr& t);
  void operands_read_at(Cycle at, uint32_t warp, const TimedInstr& t);
  void release(uint32_t warp, uint8_t barrier, Cycle now);
  // The result of its instruction `code` is written.
  void result(uint32_t warp, uint32_t code, Cycle now);
  // Its dependences are known by registers, not by control bits.
  bool by_scoreboard(uint32_t warp) const { return scoreboards_ && !kernel(warp).control_bits; }
  RegisterScoreboard& scoreboard(uint32_t warp) { return (*scoreboards_)[warp]; }
  // A waiting warp may look again.
  void recheck(uint32_t warp, Cycle now);
  // A barrier, a fence or the like holds the warp from `since` on. Returns kNever, as Unit::start() does
  // then.
  Cycle hold(uint32_t warp, stats::Stall why, Cycle since) {
    Warp& w = warps_[warp];
    w.waiting = w.held = true;
    w.state = why;
    w.since = since;
    return kNever;
  }
  // It may go on at `at`.
  void wake_held(uint32_t warp, Cycle at, Cycle now);
  // Its program, which did not know at `since` what comes next, is asked at `at`, and from then on again and
  // again. An answer may come so much too late; that is a matter of the simulator's.
  static constexpr Cycle kAskAgain = 16;
  void ask_at(uint32_t warp, Cycle at, Cycle since);
  void ask(uint32_t warp, Cycle now);
  // Its stream has ended.
  void finish_warp(uint32_t warp, Cycle now);
  void retire_if_drained(uint32_t warp, Cycle now);

  // ---- events, counters, memory ----
  EventWheel<UnitEvent>& events() { return events_; }
  const EventWheel<UnitEvent>& events() const { return events_; }
  void schedule(Cycle at, const UnitEvent& e) { events_.schedule(at, e); }
  stats::CounterSet& counters() { return counters_; }
  const stats::CounterSet& counters() const { return counters_; }
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
  // Parallel to the kernel's code; empty unless noted.
  std::vector<stats::InstructionCounts>& profile() { return profile_; }
  const std::vector<stats::InstructionCounts>& profile() const { return profile_; }
  std::vector<Residency>& residencies() { return residencies_; }
  IssueObserver* observer() const { return observer_; }
  memory::Outbox& outbox() { return outbox_; }
  RequestPort& port() { return port_; }
  // Its number in the outbox.
  uint32_t send(const memory::Request& r) {
    assert(r.sectors != 0);  // the memory side serves sectors
    return outbox_.send(r);
  }
  memory::Payloads& payloads() { return payloads_; }
  isa::GlobalMemory* image() const { return image_; }
  // A barrier has opened.
  void opened() { ++openings_; }
  uint64_t openings() const { return openings_; }
  // The instruction of a program that computes cannot do what it should.
  void fault(uint32_t warp, const TimedInstr& t, Cycle now, const std::string& what);
  const Fault* fault() const { return fault_ ? &*fault_ : nullptr; }

  // Until `now`, the time in which it has been holding warps since then included.
  Cycle active_cycles(Cycle now) const {
    return active_cycles_ + (resident_ && now > active_since_ ? now - active_since_ : 0);
  }
  // When its last warp ended.
  Cycle last_activity() const { return last_activity_; }
  // Warp-cycles of residency until `now`, those of resident warps included.
  uint64_t warp_cycles(Cycle now) const;

  // Between quanta, of blocks of one kernel. `blocks`, by slot: whose block it is, or will be; null:
  // nobody's.
  void serialize(Archive& ar, const TimedKernel& kernel, std::span<isa::BlockProgram* const> blocks);

 private:
  void profile_charge(const Warp& w, stats::Stall s, uint64_t cycles);
  void note_residency(const Warp& w, uint32_t id, Cycle now);

  const uint32_t index_;
  const spec::Sm& config_;  // of the machine, which outlives its SMs
  const uint32_t subcores_;
  WarpScheduler& scheduler_;
  IssueObserver* observer_ = nullptr;
  stats::CounterSet counters_;
  Noting noting_;
  std::vector<stats::InstructionCounts> profile_;
  std::vector<Residency> residencies_;
  EventWheel<UnitEvent> events_;
  std::vector<Warp> warps_;
  std::vector<BlockSlot> blocks_;
  std::unique_ptr<std::vector<RegisterScoreboard>> scoreboards_;
  std::vector<uint32_t> active_mask_;
  memory::Outbox outbox_;
  RequestPort port_;
  isa::GlobalMemory* image_ = nullptr;
  memory::Payloads payloads_;
  std::optional<Fault> fault_;
  uint64_t openings_ = 0;
  uint32_t resident_ = 0;     // warps
  uint32_t places_used_ = 0;  // of warps, since begin(): the first so many
  Cycle now_ = 0;
  Cycle active_since_ = 0;
  Cycle active_cycles_ = 0;
  Cycle last_activity_ = 0;
};

}  // namespace heddle::sm
