#include "sim/sm/state/sm_state.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle::sm {

using stats::Counter;
using stats::Stall;

SmState::SmState(uint32_t index, const spec::GpuConfig& gpu, WarpScheduler& scheduler)
    : index_(index),
      config_(gpu.sm()),
      subcores_(gpu.sm().subcores()),
      scheduler_(scheduler),
      warps_(gpu.limits().max_warps_per_sm()),
      blocks_(gpu.limits().max_blocks_per_sm()),
      active_mask_(gpu.limits().max_warps_per_sm()),
      port_(gpu.sm().l1()) {}

void SmState::begin(IssueObserver* observer, const Noting& noting, isa::GlobalMemory* image, bool used) {
  observer_ = observer;
  noting_ = noting;
  image_ = image;
  counters_ = {};
  profile_.clear();
  scoreboards_.reset();
  now_ = 0;
  if (!used) {
    return;
  }
  residencies_.clear();
  events_.clear();
  std::fill_n(warps_.begin(), std::exchange(places_used_, 0), Warp{});
  for (BlockSlot& b : blocks_) {
    if (b.generation != 0) {  // it has had a block
      b = {};
    }
  }
  outbox_.clear();
  port_.reset();
  payloads_.clear();
  fault_.reset();
  openings_ = 0;
  resident_ = 0;
  active_since_ = active_cycles_ = last_activity_ = 0;
}

void SmState::need_scoreboards() {
  if (!scoreboards_) {
    scoreboards_ = std::make_unique<std::vector<RegisterScoreboard>>(warps_.size());
  }
}

void SmState::start_warp(uint32_t id, const Warp& w) {
  if (resident_ == 0) {
    active_since_ = w.started;
  }
  warps_[id] = w;
  places_used_ = std::max(places_used_, id + 1);
  active_mask_[id] = ~0u;
  if (scoreboards_) {
    (*scoreboards_)[id].reset();
  }
  ++resident_;
}

void SmState::expect(uint32_t warp, const TimedInstr& t, Stall why) {
  Warp& w = warps_[warp];
  for (uint8_t b : {t.write_barrier, t.read_barrier}) {
    if (b != kNoBarrier) {
      // A counter that several instructions share is named after the slowest kind.
      if (w.counter[b]++ == 0 || why == Stall::kLongScoreboard) {
        w.reason[b] = why;
      }
      w.busy |= static_cast<uint8_t>(1u << b);
    }
  }
  if (by_scoreboard(warp)) {
    (*scoreboards_)[warp].set(*t.instr, kNever, why);
  }
}

void SmState::result_at(Cycle at, uint32_t warp, const TimedInstr& t) {
  // A warp does not end before what LDC reads has come, wanted or not (FINDINGS.md 54).
  const bool counted = by_scoreboard(warp) || (t.op == isa::OpClass::kLdc && t.write_barrier == kNoBarrier);
  if (t.write_barrier != kNoBarrier || counted) {
    warps_[warp].results += counted;
    schedule(std::max(at, now_ + 1), {UnitEvent::Kind::kResult, static_cast<uint8_t>(warp), 0, t.index});
  }
}

void SmState::operands_read_at(Cycle at, uint32_t warp, const TimedInstr& t) {
  if (t.read_barrier != kNoBarrier) {
    schedule(std::max(at, now_ + 1),
             {UnitEvent::Kind::kOperandsRead, static_cast<uint8_t>(warp), 0, t.index});
  }
}

void SmState::release(uint32_t warp, uint8_t barrier, Cycle now) {
  Warp& w = warps_[warp];
  if (--w.counter[barrier] == 0) {
    w.busy &= static_cast<uint8_t>(~(1u << barrier));
  }
  if (w.draining) {
    retire_if_drained(warp, now);
  } else {
    recheck(warp, now);
  }
}

void SmState::result(uint32_t warp, uint32_t code, Cycle now) {
  const TimedInstr& t = kernel(warp).code[code];
  const bool scoreboard = by_scoreboard(warp);
  if (!scoreboard && t.write_barrier != kNoBarrier) {
    release(warp, t.write_barrier, now);
    return;
  }
  Warp& w = warps_[warp];
  --w.results;
  if (scoreboard) {
    (*scoreboards_)[warp].set(*t.instr, now, Stall::kWait);
  }
  if (w.draining) {
    retire_if_drained(warp, now);
  } else {
    recheck(warp, now);
  }
}

void SmState::recheck(uint32_t warp, Cycle now) {
  Warp& w = warps_[warp];
  if (!w.waiting || w.held) {
    return;
  }
  const TimedInstr& t = *w.next;
  if (t.wait_mask & w.busy) {
    return;
  }
  w.waiting = false;
  Cycle at = now + config_.issue().scoreboard_wakeup_cycles();
  charge(w, w.state, at - w.since);
  if (at == now) {
    scheduler_.evaluate(warp, now);
  } else {
    scheduler_.park(warp, at, now);
  }
}

void SmState::wake_held(uint32_t warp, Cycle at, Cycle now) {
  Warp& w = warps_[warp];
  w.waiting = false;
  w.held = false;
  at = std::max(at, now + 1);
  charge(w, w.state, at > w.since ? at - w.since : 0);
  if (w.asks) {
    ask_at(warp, at, std::max(at, w.since));
    return;
  }
  if (w.stream.done()) {  // recorded without an EXIT: what held it was its last instruction
    finish_warp(warp, std::max(at, w.since));
    return;
  }
  scheduler_.park(warp, at, now);
}

void SmState::ask_at(uint32_t warp, Cycle at, Cycle since) {
  warps_[warp].since = since;
  schedule(at, {UnitEvent::Kind::kWarpReady, static_cast<uint8_t>(warp)});
}

void SmState::ask(uint32_t warp, Cycle now) {
  Warp& w = warps_[warp];
  w.asks = !w.stream.ask(now) && w.stream.waits();
  charge(w, w.busy ? w.reason[static_cast<size_t>(std::countr_zero(w.busy))] : Stall::kBranchResolve,
         now > w.since ? now - w.since : 0);
  if (w.asks) {
    ask_at(warp, now + kAskAgain, now);
  } else if (w.stream.done()) {
    finish_warp(warp, now);
  } else {
    w.next = &w.stream.peek();
    scheduler_.evaluate(warp, now);
  }
}

void SmState::finish_warp(uint32_t warp, Cycle now) {
  Warp& w = warps_[warp];
  w.draining = true;
  w.waiting = false;
  w.since = now;
  retire_if_drained(warp, now);
}

void SmState::retire_if_drained(uint32_t warp, Cycle now) {
  Warp& w = warps_[warp];
  if (w.busy || w.loads || w.gmma || w.results) {
    return;
  }
  w.active = w.draining = false;
  now = std::max(now, w.since);
  charge(w, Stall::kDrain, now - w.since);
  counters_[Counter::kWarpsActive] += now - w.started;
  note_residency(w, warp, now);
  --resident_;
  ++openings_;
  last_activity_ = std::max(last_activity_, now);
  if (resident_ == 0) {
    active_cycles_ += now - active_since_;
  }
  scheduler_.retired(warp, now);
}

void SmState::profile_charge(const Warp& w, Stall s, uint64_t cycles) {
  profile_[w.next ? w.next->index : 0].stall[static_cast<size_t>(s)] += cycles;
}

// A warp retires; its block does not know yet.
void SmState::note_residency(const Warp& w, uint32_t id, Cycle now) {
  BlockSlot& b = blocks_[w.block];
  b.ended = std::max(b.ended, now);
  if (noting_.warps) {
    residencies_.push_back({b.program->linear, b.program->index, id, w.index, w.started, now});
  }
  if (noting_.blocks && b.warps_left == 1) {
    residencies_.push_back({b.program->linear, b.program->index, w.block, -1, b.started, b.ended});
  }
}

void SmState::fault(uint32_t warp, const TimedInstr& t, Cycle now, const std::string& what) {
  if (fault_) {
    return;
  }
  const Warp& w = warps_[warp];
  const isa::KernelImage& image = *w.stream.kernel().image;
  fault_ = {now, fmt::format("kernel {}, block {}, warp {}, pc 0x{:04x} ({}): {}", image.name,
                             blocks_[w.block].program->linear, w.index, t.instr->pc,
                             image.opcodes[t.instr->opcode], what)};
}

uint64_t SmState::warp_cycles(Cycle now) const {
  uint64_t sum = counters_[Counter::kWarpsActive];
  for (const Warp& w : warps_) {
    sum += w.active && w.started < now ? now - w.started : 0;
  }
  return sum;
}

}  // namespace heddle::sm
