// Where an SM's warps wait for each other.
#include <algorithm>
#include <bit>
#include <utility>

#include "sim/sm/sm.h"

namespace heddle::sm {

using stats::Counter;
using stats::Stall;

// ---- named barriers ----

// Threads are counted by whole warps (PTX barrier).
uint32_t Sm::expected_warps(const BlockSlot& b, const isa::BarrierOp& op) {
  const uint32_t threads = op.threads == isa::BarrierOp::kOfPhase
                               ? b.program->barrier_threads(op.number, b.barrier[op.number].phase)
                               : op.threads;
  return op.threads == 0 ? b.warps_left : (threads + 31) / 32;
}

Cycle Sm::arrive_barrier(uint32_t warp, const TimedInstr& t, Cycle now) {
  Warp& w = warps_[warp];
  BlockSlot& b = blocks_[w.block];
  const isa::BarrierOp& op = operands_->barrier;
  counters_[Counter::kBarriersByOrder] += op.by_order;
  BarrierState& s = b.barrier[op.number];
  const bool waits = !(t.instr->flags & isa::kFlagBarrierArrive);
  if (op.threads == 0) {
    // All threads of the block: a warp has come when all its lanes that have not exited have.
    uint32_t lanes = w.stream.mask();
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
      return 0;
    }
    if (p != s.partial.end()) {
      s.partial.erase(p);
    }
  }
  count_arrival(warp, op.number, expected_warps(b, op), waits, now);
  return 0;
}

void Sm::count_arrival(uint32_t warp, uint32_t barrier, uint32_t expected, bool waits, Cycle now) {
  Warp& w = warps_[warp];
  BarrierState& s = blocks_[w.block].barrier[barrier];
  Cycle counted =
      to_cycles_up(barrier_unit_.reserve(to_ticks(now), to_ticks(config_.barrier().arrive_interval())));
  s.last = std::max(s.last, counted);
  ++s.arrived;
  if (waits) {
    s.waiting |= uint64_t{1} << warp;
    w.behind_barrier = true;
  }
  if (s.arrived >= expected) {
    schedule(s.last + config_.barrier().release_latency(),
             {Event::Kind::kBarrierRelease, 0, 0, barrier_event(w.block, barrier)});
    s.complete_phase();
  }
}

// Lanes that exit are no longer waited for.
void Sm::exit_lanes(uint32_t warp, uint32_t mask, Cycle now) {
  Warp& w = warps_[warp];
  w.lanes &= ~mask;
  if (w.lanes == 0) {
    return;  // the whole warp: leave_barriers()
  }
  BlockSlot& b = blocks_[w.block];
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
void Sm::leave_barriers(uint32_t warp, Cycle now) {
  const Warp& w = warps_[warp];
  BlockSlot& b = blocks_[w.block];
  for (uint32_t i = 0; i < kNamedBarriers; ++i) {
    BarrierState& s = b.barrier[i];
    std::erase_if(s.partial, [&](const BarrierState::Partial& p) { return p.warp == warp; });
    if (s.arrived && s.arrived >= b.warps_left && std::popcount(s.waiting) == static_cast<int>(s.arrived)) {
      schedule(std::max(now, s.last) + config_.barrier().release_latency(),
               {Event::Kind::kBarrierRelease, 0, 0, barrier_event(w.block, i)});
      s.complete_phase();
    }
  }
  b.cluster_barrier.arrived &= ~(uint64_t{1} << warp);
  announce_cluster_arrival(w.block, now);
  const uint32_t group = w.index / kWarpsPerGroup;
  ++b.warpgroup[group].exited;
  release_warpgroup(b, b.warpgroup[group], group, now);
}

void Sm::release_barrier(uint32_t slot, uint32_t id, Cycle now) {
  ++openings_;
  BarrierState& s = blocks_[slot].barrier[id];
  uint64_t waiting = s.leaving.front();
  s.leaving.erase(s.leaving.begin());
  lsu_.barrier_released();
  for (; waiting; waiting &= waiting - 1) {
    uint32_t warp = static_cast<uint32_t>(std::countr_zero(waiting));
    warps_[warp].behind_barrier = false;
    if (warps_[warp].waiting && warps_[warp].held) {
      wake_held(warp, now, now);
    }
  }
}

// A cluster's blocks sit on different SMs, so the device counts their arrivals. The block arrives when its
// last warp does, or exits.
Cycle Sm::arrive_cluster(uint32_t warp, const TimedInstr& t, Cycle now) {
  Warp& w = warps_[warp];
  BlockSlot& b = blocks_[w.block];
  ClusterBarrierState& s = b.cluster_barrier;
  if (t.instr->flags & isa::kFlagBarrierArrive) {
    s.last = now;
    w.cluster_target = b.cluster_phase + 1;
    s.arrived |= uint64_t{1} << warp;
    announce_cluster_arrival(w.block, now);
    return 0;
  }
  if (b.cluster_phase >= w.cluster_target) {
    return 0;  // released before this warp came to wait
  }
  s.waiting |= uint64_t{1} << warp;
  w.waiting = w.held = true;
  w.state = Stall::kBarrier;
  w.since = now + 1;
  return kNever;
}

void Sm::announce_cluster_arrival(uint32_t slot, Cycle now) {
  const BlockSlot& b = blocks_[slot];
  ClusterBarrierState& s = blocks_[slot].cluster_barrier;
  if (s.arrived && !s.announced && std::popcount(s.arrived) == static_cast<int>(b.warps_left)) {
    s.announced = true;
    const Cycle at = std::max(now, s.last);
    if (b.in_cluster) {
      tell_cluster(ClusterMessage::Kind::kArrived, slot, at);
    } else {
      ClusterMessage open;
      open.kind = ClusterMessage::Kind::kOpen;
      open.slot = static_cast<uint8_t>(slot);
      open.time = at + config_.barrier().cluster_barrier();
      cluster_.deliver(open);
    }
  }
}

void Sm::tell_cluster(ClusterMessage::Kind kind, uint32_t slot, Cycle at) {
  ClusterMessage m;
  m.kind = kind;
  m.time = at;
  m.cluster = blocks_[slot].cluster;
  m.slot = static_cast<uint8_t>(slot);
  m.sm = static_cast<uint16_t>(index_);
  cluster_.tell(m);
}

void Sm::open_cluster_barrier(uint32_t slot, Cycle now) {
  BlockSlot& b = blocks_[slot];
  ++openings_;
  uint64_t waiting = b.cluster_barrier.waiting;
  b.cluster_barrier = {};
  ++b.cluster_phase;
  for (; waiting; waiting &= waiting - 1) {
    wake_held(static_cast<uint32_t>(std::countr_zero(waiting)), now, now);
  }
}

// ---- barrier objects in shared memory ----

void Sm::bulk_arrived(uint32_t slot, uint64_t address, uint64_t bytes, Cycle now) {
  MbarrierState& m = blocks_[slot].mbarriers[address];
  m.bytes -= static_cast<int64_t>(bytes);
  if (m.expected == 0) {
    m.bytes = std::max<int64_t>(m.bytes, 0);  // of a recording: what it was told to expect is what came
  }
  settle_mbarrier(m, now);
}

void Sm::settle_mbarrier(MbarrierState& m, Cycle now) {
  if (m.expected > 0 && m.missing == 0 && m.bytes == 0) {
    ++openings_;
    ++m.phase;
    m.missing = m.expected;
  }
  std::erase_if(m.waiters, [&](const MbarrierState::Waiter& x) {
    if (!m.complete(x.op)) {
      return false;
    }
    pass_mbarrier(x.warp, kernel(x.warp).code[x.code], {x.mask, x.ticket}, true, now);
    memory_done(x.warp, now);
    return true;
  });
}

// Its (try-)wait has ended.
void Sm::pass_mbarrier(uint32_t warp, const TimedInstr& t, const Asked& asked, bool complete, Cycle now) {
  if (kernel(warp).image->computed) {
    isa::LaneValues values{};
    for (auto& lane : values.data) {
      lane[0] = complete;
    }
    warps_[warp].stream.program().complete(asked.ticket, asked.mask, values);
  }
  result_at(now + config_.barrier().mbarrier_try_wait(), warp, t);
}

// SYNCS: initialisation and arrival take their time; a (try-)wait ends when its phase is complete.
void Sm::mbarrier(uint32_t warp, const TimedInstr& t, Cycle now) {
  using Kind = isa::MbarrierOp::Kind;
  Warp& w = warps_[warp];
  operands_read_at(now + kOperandReadCycles, warp, t);
  const uint32_t mask = w.stream.mask();
  const isa::MbarrierOp op = mask ? operands_->mbarrier : isa::MbarrierOp{};
  const Asked asked = {mask, operands_->ticket};
  if (op.kind != Kind::kWait && op.kind != Kind::kTest) {
    if (op.remote && !blocks_[w.block].in_cluster) {
      fault(warp, t, now, "a barrier object of another block, without a cluster");
    } else if (op.remote) {
      ClusterMessage m;
      m.kind = ClusterMessage::Kind::kMbarrier;
      m.cluster = blocks_[w.block].cluster;
      m.slot = w.block;
      m.rank = op.rank;
      m.load = ClusterMessage::kFlit;
      m.mbarrier = op;
      cluster_.send(m, 1, now);
    } else {
      change_mbarrier(w.block, op, now);
    }
    const bool waits = (t.instr->flags & isa::kFlagWaitsForPhase) != 0;
    result_at(now + (waits ? config_.barrier().mbarrier_try_wait() : config_.barrier().mbarrier_arrive()),
              warp, t);
    return;
  }
  const auto& objects = blocks_[w.block].mbarriers;
  const auto it = objects.find(op.address);
  const bool complete = it == objects.end() || it->second.complete(op);
  if (!complete && op.kind == Kind::kWait) {
    ++w.loads;  // keeps the warp from retiring under the waiter
    blocks_[w.block].mbarriers[op.address].waiters.push_back(
        {static_cast<uint8_t>(warp), t.index, op, asked.mask, asked.ticket});
    return;
  }
  pass_mbarrier(warp, t, asked, complete, now);
}

void Sm::change_mbarrier(uint32_t slot, const isa::MbarrierOp& op, Cycle now) {
  using Kind = isa::MbarrierOp::Kind;
  if (op.kind == Kind::kOther) {
    return;
  }
  BlockSlot& b = blocks_[slot];
  if (op.kind == Kind::kInvalidate) {
    b.mbarriers.erase(op.address);
    return;
  }
  MbarrierState& m = b.mbarriers[op.address];
  if (op.kind == Kind::kInit) {
    m = {};
    m.expected = m.missing = op.count;
    return;
  }
  if (op.kind == Kind::kExpect || op.kind == Kind::kArriveExpect) {
    m.bytes += static_cast<int64_t>(op.bytes);
  }
  if (op.kind == Kind::kComplete) {
    m.bytes -= static_cast<int64_t>(op.bytes);
  }
  if (op.kind == Kind::kArrive || op.kind == Kind::kArriveExpect) {
    m.missing -= std::min(m.missing, op.count);
  }
  settle_mbarrier(m, now);
}

// ---- warp-groups ----

// The four warps of a warp-group wait for each other.
Cycle Sm::arrive_warpgroup(uint32_t warp, Cycle now) {
  Warp& w = warps_[warp];
  BlockSlot& b = blocks_[w.block];
  uint32_t group = w.index / kWarpsPerGroup;
  WarpgroupState& s = b.warpgroup[group];
  ++s.arrived;
  if (release_warpgroup(b, s, group, now)) {
    return 0;
  }
  s.waiting |= uint64_t{1} << warp;
  w.waiting = w.held = true;
  w.state = Stall::kGmma;
  w.since = now + 1;
  return kNever;
}

// True when all warps of the group that have not exited have come; those that wait go on.
bool Sm::release_warpgroup(const BlockSlot& b, WarpgroupState& s, uint32_t group, Cycle now) {
  if (!s.arrived || s.arrived + s.exited < std::min(kWarpsPerGroup, b.warps - group * kWarpsPerGroup)) {
    return false;
  }
  s.arrived = 0;
  for (uint64_t waiting = std::exchange(s.waiting, 0); waiting; waiting &= waiting - 1) {
    wake_held(static_cast<uint32_t>(std::countr_zero(waiting)), now + 1, now);
  }
  return true;
}

}  // namespace heddle::sm
