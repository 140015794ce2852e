#include "sim/sm/barriers/barriers.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace heddle::sm {

using stats::Counter;
using stats::Stall;

Cycle Barriers::start(const Issued& i) {
  const TimedInstr& t = i.instr;
  switch (t.handler) {
    case Handler::kBarrier:
      sm_.result_at(i.now + kOperandReadCycles, i.warp, t);
      sm_.operands_read_at(i.now + kOperandReadCycles, i.warp, t);
      if (i.mask) {
        arrive(i);
      }
      return 0;
    case Handler::kMbarrier:
      mbarrier(i);
      return 0;
    default:
      break;
  }
  sm_.result_at(i.now + 2, i.warp, t);
  sm_.operands_read_at(i.now + 1, i.warp, t);
  switch (t.handler) {
    case Handler::kClusterBarrier:
      return arrive_cluster(i);
    case Handler::kWarpgroupArrive:
      return i.mask ? arrive_warpgroup(i.warp, i.now) : 0;
    default:
      exit_lanes(i.warp, i.mask, i.now);
      return 0;
  }
}

void Barriers::event(const UnitEvent& e, Cycle now) {
  if (sm_.is_current(e.arg)) {
    release(e.arg % kBarriersPerSm / kNamedBarriers, e.arg % kNamedBarriers, now);
  }
}

// ---- named barriers ----

// Threads are counted by whole warps (PTX barrier).
uint32_t Barriers::expected_warps(const BlockSlot& b, const isa::BarrierOp& op) {
  const uint32_t threads = op.threads == isa::BarrierOp::kOfPhase
                               ? b.program->barrier_threads(op.number, b.barrier[op.number].phase)
                               : op.threads;
  return op.threads == 0 ? b.warps_left : (threads + 31) / 32;
}

void Barriers::arrive(const Issued& i) {
  const uint32_t warp = i.warp;
  const Warp& w = sm_.warp(warp);
  BlockSlot& b = sm_.block(w.block);
  const isa::BarrierOp& op = i.operands.barrier;
  sm_.counters()[Counter::kBarriersByOrder] += op.by_order;
  BarrierState& s = b.barrier[op.number];
  const bool waits = !(i.instr.instr->flags & isa::kFlagBarrierArrive);
  if (op.threads == 0) {
    // All threads of the block: a warp has come when all its lanes that have not exited have.
    uint32_t lanes = i.mask;
    auto p = std::find_if(s.partial.begin(), s.partial.end(), [&](const auto& x) { return x.warp == warp; });
    if (p != s.partial.end()) {
      lanes |= p->lanes;
    }
    if ((w.lanes & ~lanes) != 0) {
      if (p == s.partial.end()) {
        s.partial.push_back({warp, lanes});
      } else {
        p->lanes = lanes;
      }
      return;
    }
    if (p != s.partial.end()) {
      s.partial.erase(p);
    }
  }
  count_arrival(warp, op.number, expected_warps(b, op), waits, i.start);
}

void Barriers::count_arrival(uint32_t warp, uint32_t barrier, uint32_t expected, bool waits, Cycle now) {
  Warp& w = sm_.warp(warp);
  BarrierState& s = sm_.block(w.block).barrier[barrier];
  Cycle counted =
      to_cycles_up(unit_.reserve(to_ticks(now), to_ticks(sm_.config().barrier().arrive_interval())));
  s.last = std::max(s.last, counted);
  ++s.arrived;
  if (waits) {
    s.waiting |= uint64_t{1} << warp;
    w.behind_barrier = true;
  }
  if (s.arrived >= expected) {
    sm_.schedule(s.last + sm_.config().barrier().release_latency(),
                 {UnitEvent::Kind::kBarrierRelease, 0, 0, sm_.barrier_event(w.block, barrier)});
    s.complete_phase();
  }
}

// Lanes that exit are no longer waited for.
void Barriers::exit_lanes(uint32_t warp, uint32_t mask, Cycle now) {
  Warp& w = sm_.warp(warp);
  w.lanes &= ~mask;
  if (w.lanes == 0) {
    return;  // the whole warp: leave()
  }
  BlockSlot& b = sm_.block(w.block);
  for (uint32_t i = 0; i < kNamedBarriers; ++i) {
    BarrierState& s = b.barrier[i];
    auto p = std::find_if(s.partial.begin(), s.partial.end(), [&](const auto& x) { return x.warp == warp; });
    if (p != s.partial.end() && (w.lanes & ~p->lanes) == 0) {
      s.partial.erase(p);
      count_arrival(warp, i, b.warps_left, true, now);
    }
  }
}

// No barrier may wait for a warp that has exited.
void Barriers::leave(uint32_t warp, Cycle now) {
  const Warp& w = sm_.warp(warp);
  BlockSlot& b = sm_.block(w.block);
  for (uint32_t i = 0; i < kNamedBarriers; ++i) {
    BarrierState& s = b.barrier[i];
    std::erase_if(s.partial, [&](const BarrierState::Partial& p) { return p.warp == warp; });
    if (s.arrived && s.arrived >= b.warps_left && std::popcount(s.waiting) == static_cast<int>(s.arrived)) {
      sm_.schedule(std::max(now, s.last) + sm_.config().barrier().release_latency(),
                   {UnitEvent::Kind::kBarrierRelease, 0, 0, sm_.barrier_event(w.block, i)});
      s.complete_phase();
    }
  }
  b.cluster_barrier.arrived &= ~(uint64_t{1} << warp);
  announce_cluster_arrival(w.block, now);
  const uint32_t group = w.index / kWarpsPerGroup;
  ++b.warpgroup[group].exited;
  release_warpgroup(b, b.warpgroup[group], group, now);
}

void Barriers::release(uint32_t slot, uint32_t id, Cycle now) {
  sm_.opened();
  BarrierState& s = sm_.block(slot).barrier[id];
  uint64_t waiting = s.leaving.front();
  s.leaving.erase(s.leaving.begin());
  lsu_.barrier_opened();
  for (; waiting; waiting &= waiting - 1) {
    uint32_t warp = static_cast<uint32_t>(std::countr_zero(waiting));
    sm_.warp(warp).behind_barrier = false;
    if (sm_.warp(warp).waiting && sm_.warp(warp).held) {
      sm_.wake_held(warp, now, now);
    }
  }
}

// ---- warp-groups ----

// The four warps of a warp-group wait for each other.
Cycle Barriers::arrive_warpgroup(uint32_t warp, Cycle now) {
  const Warp& w = sm_.warp(warp);
  BlockSlot& b = sm_.block(w.block);
  uint32_t group = w.index / kWarpsPerGroup;
  WarpgroupState& s = b.warpgroup[group];
  ++s.arrived;
  if (release_warpgroup(b, s, group, now)) {
    return 0;
  }
  s.waiting |= uint64_t{1} << warp;
  return sm_.hold(warp, Stall::kGmma, now + 1);
}

// True when all warps of the group that have not exited have come; those that wait go on.
bool Barriers::release_warpgroup(const BlockSlot& b, WarpgroupState& s, uint32_t group, Cycle now) {
  if (!s.arrived || s.arrived + s.exited < std::min(kWarpsPerGroup, b.warps - group * kWarpsPerGroup)) {
    return false;
  }
  s.arrived = 0;
  for (uint64_t waiting = std::exchange(s.waiting, 0); waiting; waiting &= waiting - 1) {
    sm_.wake_held(static_cast<uint32_t>(std::countr_zero(waiting)), now + 1, now);
  }
  return true;
}

}  // namespace heddle::sm
