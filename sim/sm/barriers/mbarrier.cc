// Barrier objects in shared memory.
#include <algorithm>
#include <bit>

#include "sim/sm/barriers/barriers.h"

namespace heddle::sm {

void Barriers::bulk_arrived(uint32_t slot, uint64_t address, uint64_t bytes, Cycle now) {
  MbarrierState& m = sm_.block(slot).mbarriers[address];
  m.bytes -= static_cast<int64_t>(bytes);
  if (m.expected == 0) {
    m.bytes = std::max<int64_t>(m.bytes, 0);  // of a recording: what it was told to expect is what came
  }
  settle_mbarrier(m, now);
}

namespace {

// Its recording does not have the numbers of some named barriers, so they are matched by the order of
// arrivals (isa/recorded_program.h), which can be wrong.
bool barriers_by_order(const isa::KernelImage& image) {
  return std::any_of(image.code.begin(), image.code.end(), [](const isa::Instr& in) {
    return in.op == isa::OpClass::kBarrier && in.barrier_id == isa::kBarrierInRegister;
  });
}

}  // namespace

bool Barriers::end_recorded_waits(Cycle now) {
  bool any = false;
  for (uint32_t slot = 0; slot < kMaxBlocks; ++slot) {
    BlockSlot& b = sm_.block(slot);
    const auto m = std::find_if(b.mbarriers.begin(), b.mbarriers.end(),
                                [](const auto& m) { return !m.second.waiters.empty(); });
    if (!b.active || b.kernel->image->delivered || m == b.mbarriers.end()) {
      continue;
    }
    sm_.counters()[stats::Counter::kMbarrierForced] += m->second.waiters.size();
    m->second.given_up = any = true;
    settle_mbarrier(m->second, now);
  }
  for (uint32_t slot = 0; slot < kMaxBlocks && !any; ++slot) {
    BlockSlot& b = sm_.block(slot);
    const auto s = std::find_if(b.barrier.begin(), b.barrier.end(),
                                [](const BarrierState& s) { return s.waiting != 0; });
    if (!b.active || b.kernel->image->delivered || s == b.barrier.end() ||
        !barriers_by_order(*b.kernel->image)) {
      continue;
    }
    sm_.counters()[stats::Counter::kMbarrierForced] += static_cast<uint64_t>(std::popcount(s->waiting));
    any = true;
    sm_.schedule(now + sm_.config().barrier().release_latency(),
                 {UnitEvent::Kind::kBarrierRelease, 0, 0,
                  sm_.barrier_event(slot, static_cast<uint32_t>(s - b.barrier.begin()))});
    s->complete_phase();
  }
  return any;
}

void Barriers::settle_mbarrier(MbarrierState& m, Cycle now) {
  if (m.expected > 0 && m.missing == 0 && m.bytes == 0) {
    sm_.opened();
    ++m.phase;
    m.missing = m.expected;
  }
  std::erase_if(m.waiters, [&](const MbarrierState::Waiter& x) {
    if (!m.complete(x.op)) {
      return false;
    }
    pass_mbarrier(x.warp, sm_.kernel(x.warp).code[x.code], {x.mask, x.ticket}, true, now);
    fences_.memory_done(x.warp, now);
    return true;
  });
}

// Its (try-)wait has ended.
void Barriers::pass_mbarrier(uint32_t warp, const TimedInstr& t, const Asked& asked, bool complete,
                             Cycle now) {
  if (sm_.kernel(warp).image->delivered) {
    isa::LaneValues values{};
    for (auto& lane : values.data) {
      lane[0] = complete;
    }
    sm_.warp(warp).stream.program().complete(asked.ticket, asked.mask, values);
  }
  sm_.result_at(now + sm_.config().barrier().mbarrier_try_wait(), warp, t);
}

// SYNCS: initialisation and arrival take their time; a (try-)wait ends when its phase is complete.
void Barriers::mbarrier(const Issued& i) {
  using Kind = isa::MbarrierOp::Kind;
  const TimedInstr& t = i.instr;
  const Cycle now = i.now;
  Warp& w = sm_.warp(i.warp);
  BlockSlot& block = sm_.block(w.block);
  sm_.operands_read_at(now + kOperandReadCycles, i.warp, t);
  const isa::MbarrierOp op = i.mask ? i.operands.mbarrier : isa::MbarrierOp{};
  if (op.kind != Kind::kWait && op.kind != Kind::kTest) {
    tell_mbarrier(i, op);
    if (i.mask) {
      for (const isa::MbarrierOp& more : i.operands.more_mbarriers) {
        tell_mbarrier(i, more);
      }
    }
    const spec::Barrier& c = sm_.config().barrier();
    const bool waits = t.instr->syncs.kind == isa::SyncsForm::Kind::kWait;
    sm_.result_at(now + (waits ? c.mbarrier_try_wait() : c.mbarrier_arrive()), i.warp, t);
    return;
  }
  const Asked asked = {i.mask, i.operands.ticket};
  const auto it = block.mbarriers.find(op.address);
  const bool complete = it == block.mbarriers.end() || it->second.complete(op);
  sm_.counters()[stats::Counter::kMbarrierAnyPhase] += op.any_phase;
  if (!complete && op.kind == Kind::kWait) {
    ++w.loads;  // keeps the warp from retiring under the waiter
    it->second.waiters.push_back({static_cast<uint8_t>(i.warp), t.index, op, asked.mask, asked.ticket});
    return;
  }
  pass_mbarrier(i.warp, t, asked, complete, now);
}

// The object may be another block's.
void Barriers::tell_mbarrier(const Issued& i, const isa::MbarrierOp& op) {
  const uint32_t slot = sm_.warp(i.warp).block;
  if (op.remote && !sm_.block(slot).in_cluster) {
    sm_.fault(i.warp, i.instr, i.now, "a barrier object of another block, without a cluster");
  } else {
    tell(slot, op, i.now);
  }
}

void Barriers::tell(uint32_t slot, const isa::MbarrierOp& op, Cycle now) {
  const BlockSlot& block = sm_.block(slot);
  if (!op.remote) {
    change_mbarrier(slot, op, now);
  } else if (op.kind != isa::MbarrierOp::Kind::kOther) {
    ClusterMessage m;
    m.kind = ClusterMessage::Kind::kMbarrier;
    m.cluster = block.cluster;
    m.slot = static_cast<uint8_t>(slot);
    m.rank = op.rank;
    m.mbarrier = op;
    cluster_.send(m, now);
  }
}

void Barriers::change_mbarrier(uint32_t slot, const isa::MbarrierOp& op, Cycle now) {
  using Kind = isa::MbarrierOp::Kind;
  if (op.kind == Kind::kOther) {
    return;
  }
  BlockSlot& b = sm_.block(slot);
  if (op.kind == Kind::kInvalidate) {
    b.mbarriers.erase(op.address);
    return;
  }
  MbarrierState& m = b.mbarriers[op.address];
  if (op.kind == Kind::kInit) {
    m = {};
    m.expected = m.missing = op.count;
    m.phase = op.parity;
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

}  // namespace heddle::sm
