// What an SM does when an instruction has issued.
#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "sim/isa/bulk_copy.h"
#include "sim/sm/sm.h"

namespace heddle::sm {

using isa::OpClass;
using stats::Counter;
using stats::Stall;

namespace {

// What a warp's wait on a variable-latency result is called.
Stall wait_reason(const TimedInstr& t) {
  if (uses_lg_queue(t.port) || t.handler == Handler::kLdgdepbar) {
    return Stall::kLongScoreboard;
  }
  return Stall::kShortScoreboard;
}

constexpr Cycle kOperandReadCycles = 6;  // issue to sources read in a pipe that is not busy

}  // namespace

Cycle Sm::execute(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle now, Cycle start) {
  Warp& w = warps_[warp];
  uint32_t mask = w.stream.mask();
  expect(warp, t, wait_reason(t));
  switch (t.handler) {
    case Handler::kFixed: {
      Cycle done = start + t.latency;
      if (t.constant != kNoConstant && !(t.flags & kFixedLatencyConstant)) {
        Cycle wait = constants_.read(subcore, t.constant, start) - start;
        done += wait;
        // The ADU counts a load that found its line missing again when it repeats it (FINDINGS.md 18).
        counters_[Counter::kPipeAdu] += wait > 0;
      }
      if (by_scoreboard(warp) && t.write_barrier == kNoBarrier) {
        // Fixed latency: readable from then on, no event needed.
        bool queued = t.pipe == isa::Pipe::kXu || t.pipe == isa::Pipe::kAdu;
        (*scoreboards_)[warp].set(*t.instr, done, queued ? Stall::kShortScoreboard : Stall::kWait);
      } else {
        result_at(done, warp, t);
      }
      operands_read_at(start + kOperandReadCycles, warp, t);
      return 0;
    }
    case Handler::kMemory:
      ++w.loads;
      if (t.op == OpClass::kLdgsts) {
        copy_started(warp);
      }
      lsu_.enqueue(subcore, warp, t, mask, w.stream.ref(), now);
      return 0;
    case Handler::kLdgdepbar:
      operands_read_at(now + 1, warp, t);
      close_copy_group(w, warp, t, now);
      return 0;
    case Handler::kBarrier:
      result_at(now + kOperandReadCycles, warp, t);
      operands_read_at(now + kOperandReadCycles, warp, t);
      return mask ? arrive_barrier(warp, t, start) : 0;
    case Handler::kMembar: {
      result_at(now + 2, warp, t);
      operands_read_at(now + 1, warp, t);
      // It passes through the LSU, and beyond the block through the texture pipe (FINDINGS.md 18).
      ++counters_[Counter::kSharedMiscWavefronts];
      counters_[Counter::kPipeTex] += !(t.instr->flags & isa::kFlagScopeCta);
      const config::Barrier& b = config_.barrier();
      Cycle cost = t.instr->flags & isa::kFlagScopeCta   ? b.membar_cta()
                   : t.instr->flags & isa::kFlagScopeSys ? b.membar_sys()
                                                         : b.membar_gpu();
      if (mask == 0) {
        return 0;
      }
      if ((w.stores == 0 && w.loads == 0) || (t.instr->flags & isa::kFlagScopeCta)) {
        return now + cost;
      }
      w.waiting = w.held = true;
      w.state = Stall::kMembar;
      w.since = now + 1;
      return kNever;
    }
    case Handler::kNanosleep: {
      result_at(now + 2, warp, t);
      operands_read_at(now + 1, warp, t);
      Cycle sleep = static_cast<Cycle>(launch_.nanosleep_ns() / ns_per_cycle_);
      return mask ? now + sleep : 0;
    }
    case Handler::kClusterBarrier:
      result_at(now + 2, warp, t);
      operands_read_at(now + 1, warp, t);
      return arrive_cluster(warp, t, now);
    case Handler::kMbarrier:
      mbarrier(warp, t, now);
      return 0;
    case Handler::kBulkCopy:
      operands_read_at(now + kOperandReadCycles, warp, t);
      result_at(now + kOperandReadCycles, warp, t);
      if (mask && (t.flags & kBulkLoad)) {
        start_bulk_load(warp, now);
      }
      return 0;
    case Handler::kGmma:
      start_gmma(subcore, warp, t, now);
      return 0;
    case Handler::kWarpgroupArrive:
      result_at(now + 2, warp, t);
      operands_read_at(now + 1, warp, t);
      return mask ? arrive_warpgroup(warp, now) : 0;
    case Handler::kExit:
    case Handler::kNop:
    case Handler::kDepbar:
    case Handler::kWarpgroupDepbar:
      result_at(now + 2, warp, t);
      operands_read_at(now + 1, warp, t);
      return 0;
  }
  return 0;
}

// ---- barriers ----

uint32_t Sm::expected_warps(const BlockSlot& b, const isa::Instr& in, uint32_t barrier) const {
  if (in.barrier_threads) {
    return (in.barrier_threads + 31) / 32;
  }
  if (in.flags & isa::kFlagBarrierAllThreads || b.barrier_counts.empty()) {
    return b.warps_left;
  }
  return b.barrier_counts[barrier].at(b.barrier[barrier].phase);
}

Cycle Sm::arrive_barrier(uint32_t warp, const TimedInstr& t, Cycle now) {
  Warp& w = warps_[warp];
  BlockSlot& b = blocks_[w.block];
  const isa::Instr& in = *t.instr;
  const uint32_t id = barrier_number(t, w.barriers);
  counters_[Counter::kBarriersByOrder] += (t.flags & kBarrierByOrder) != 0;
  BarrierState& s = b.barrier[id];
  Cycle counted =
      to_cycles_up(barrier_unit_.reserve(to_ticks(now), to_ticks(config_.barrier().arrive_interval())));
  s.last = std::max(s.last, counted);
  ++s.arrived;
  bool waits = !(in.flags & isa::kFlagBarrierArrive);
  if (waits) {
    s.waiting |= uint64_t{1} << warp;
    w.behind_barrier = true;
  }
  if (s.arrived >= expected_warps(b, in, id)) {
    schedule(s.last + config_.barrier().release_latency(),
             {Event::Kind::kBarrierRelease, 0, 0, barrier_event(w.block, id)});
    s.complete_phase();
  }
  return 0;
}

// No barrier may wait for a warp that has exited.
void Sm::leave_barriers(uint32_t warp, Cycle now) {
  const Warp& w = warps_[warp];
  BlockSlot& b = blocks_[w.block];
  for (uint32_t i = 0; i < kNamedBarriers; ++i) {
    BarrierState& s = b.barrier[i];
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
      cluster_notices_.push_back({at, slot, b.cluster});
    } else {
      release_cluster(slot, at + config_.barrier().cluster_barrier());
    }
  }
}

void Sm::open_cluster_barrier(uint32_t slot, Cycle now) {
  BlockSlot& b = blocks_[slot];
  uint64_t waiting = b.cluster_barrier.waiting;
  b.cluster_barrier = {};
  ++b.cluster_phase;
  for (; waiting; waiting &= waiting - 1) {
    wake_held(static_cast<uint32_t>(std::countr_zero(waiting)), now, now);
  }
}

// ---- asynchronous copies ----

// LDGDEPBAR: the copies issued so far make one group; its scoreboard counter falls when they and all older
// groups are complete.
void Sm::close_copy_group(Warp& w, uint32_t warp, const TimedInstr& t, Cycle now) {
  GroupRing& g = w.copies;
  g.barrier[g.tail % kGroupRing] = t.write_barrier;
  ++g.tail;
  g.open[g.tail % kGroupRing] = 0;
  pop_copy_groups(warp, now);
}

void Sm::copy_done(uint32_t warp, uint32_t group, Cycle now) {
  Warp& w = warps_[warp];
  --w.copies.open[group];
  pop_copy_groups(warp, now);
  memory_done(warp, now);
}

void Sm::pop_copy_groups(uint32_t warp, Cycle now) {
  GroupRing& g = warps_[warp].copies;
  while (g.head != g.tail && g.open[g.head % kGroupRing] == 0) {
    uint8_t barrier = g.barrier[g.head % kGroupRing];
    ++g.head;
    if (barrier != kNoBarrier) {
      release(warp, barrier, now);
    }
  }
}

void Sm::start_bulk_load(uint32_t warp, Cycle now) {
  const Warp& w = warps_[warp];
  const isa::WarpTrace& trace = w.stream.trace();
  const isa::MemRef& r = trace.refs[w.stream.ref()];
  if (r.kind != isa::MemRef::Kind::kValues || r.count < isa::kBulkCopyValues) {
    return;  // not recorded
  }
  const isa::BulkCopy c = isa::bulk_copy(std::span(trace.values).subspan(r.list, r.count));
  if (c.bytes > 0) {
    blocks_[w.block].mbarriers[c.barrier].pending_bytes += c.bytes;
    tma_.start(w.block, c.source + kernel(warp).address_offset, c.barrier, c.bytes, now);
  }
}

void Sm::bulk_arrived(uint32_t slot, uint64_t address, uint64_t bytes, Cycle now) {
  MbarrierState& m = blocks_[slot].mbarriers[address];
  m.pending_bytes -= std::min(m.pending_bytes, bytes);
  if (m.pending_bytes == 0) {
    for (const MbarrierState::Waiter& x : m.waiters) {
      result_at(now + config_.barrier().mbarrier_try_wait(), x.warp, kernel(x.warp).code[x.code]);
      memory_done(x.warp, now);
    }
    m.waiters.clear();
  }
}

// SYNCS: initialisation and arrival take their time; a (try-)wait ends when no bulk copy is outstanding at
// its object.
void Sm::mbarrier(uint32_t warp, const TimedInstr& t, Cycle now) {
  Warp& w = warps_[warp];
  operands_read_at(now + kOperandReadCycles, warp, t);
  const isa::WarpTrace& trace = w.stream.trace();
  const std::string& opcode = kernel(warp).image->opcodes[t.instr->opcode];
  bool waits = opcode.find("PHASECHK") != std::string::npos;
  uint32_t mask = w.stream.mask();
  uint64_t addr[32];
  if (waits && mask && isa::expand(trace, trace.refs[w.stream.ref()], mask, addr)) {
    auto& objects = blocks_[w.block].mbarriers;
    auto it = objects.find(addr[std::countr_zero(mask)]);
    if (it != objects.end() && it->second.pending_bytes > 0) {
      ++w.loads;  // keeps the warp from retiring under the waiter
      it->second.waiters.push_back({static_cast<uint8_t>(warp), t.index});
      return;
    }
  }
  result_at(now + (waits ? config_.barrier().mbarrier_try_wait() : config_.barrier().mbarrier_arrive()), warp,
            t);
}

void Sm::store_done(uint32_t warp, uint64_t age, Cycle now) {
  Warp& w = warps_[warp];
  if (w.age != age) {
    return;  // the warp that sent it has gone
  }
  --w.stores;
  end_fence(warp, now, now + config_.barrier().membar_behind_stores());
}

// A fence waits for what the warp has in the queues, too. It ends at `earliest`, and not before its own round
// trip.
void Sm::end_fence(uint32_t warp, Cycle now, Cycle earliest) {
  Warp& w = warps_[warp];
  if (w.stores == 0 && w.loads == 0 && w.held && w.state == Stall::kMembar) {
    wake_held(warp, std::max(earliest, w.since + config_.barrier().membar_gpu()), now);
  }
}

// ---- warp-group MMA ----

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

// The tensor array works through the warp's instructions in order; the warp goes on at once.
void Sm::start_gmma(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle now) {
  Warp& w = warps_[warp];
  Cycle& free = subcores_[subcore].pipe_free(isa::Pipe::kTensor);
  free = std::max(free, now) + t.interval;
  ++w.gmma;
  counters_[Counter::kTensorBusy] += t.interval;
  if (w.stream.trace().warp % 4 == 0) {
    counters_[Counter::kSharedGmmaWavefronts] += t.gmma_wavefronts;  // of the whole warp group
  }
  schedule(free - t.interval + t.latency, {Event::Kind::kGmmaDone, static_cast<uint8_t>(warp)});
  operands_read_at(now + kOperandReadCycles, warp, t);
  result_at(free - t.interval + t.latency, warp, t);
}

}  // namespace heddle::sm
