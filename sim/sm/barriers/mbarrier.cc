// Barrier objects in shared memory.
#include <algorithm>

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
  if (sm_.kernel(warp).image->computed) {
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
    if (op.remote && !block.in_cluster) {
      sm_.fault(i.warp, t, now, "a barrier object of another block, without a cluster");
    } else if (op.remote) {
      ClusterMessage m;
      m.kind = ClusterMessage::Kind::kMbarrier;
      m.cluster = block.cluster;
      m.slot = w.block;
      m.rank = op.rank;
      m.load = ClusterMessage::kFlit;
      m.mbarrier = op;
      cluster_.send(m, 1, now);
    } else {
      change_mbarrier(w.block, op, now);
    }
    const config::Barrier& c = sm_.config().barrier();
    const bool waits = (t.instr->flags & isa::kFlagWaitsForPhase) != 0;
    sm_.result_at(now + (waits ? c.mbarrier_try_wait() : c.mbarrier_arrive()), i.warp, t);
    return;
  }
  const Asked asked = {i.mask, i.operands.ticket};
  const auto it = block.mbarriers.find(op.address);
  const bool complete = it == block.mbarriers.end() || it->second.complete(op);
  if (!complete && op.kind == Kind::kWait) {
    ++w.loads;  // keeps the warp from retiring under the waiter
    it->second.waiters.push_back({static_cast<uint8_t>(i.warp), t.index, op, asked.mask, asked.ticket});
    return;
  }
  pass_mbarrier(i.warp, t, asked, complete, now);
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
