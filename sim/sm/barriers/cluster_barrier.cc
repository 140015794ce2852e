// The cluster's barrier. Its blocks sit on different SMs, so the network counts their arrivals.
#include <algorithm>
#include <bit>

#include "sim/sm/barriers/barriers.h"

namespace heddle::sm {

using stats::Stall;

// The block arrives when its last warp does, or exits.
Cycle Barriers::arrive_cluster(const Issued& i) {
  Warp& w = sm_.warp(i.warp);
  BlockSlot& b = sm_.block(w.block);
  ClusterBarrierState& s = b.cluster_barrier;
  if (i.instr.instr->flags & isa::kFlagBarrierArrive) {
    s.last = i.now;
    w.cluster_target = b.cluster_phase + 1;
    s.arrived |= uint64_t{1} << i.warp;
    announce_cluster_arrival(w.block, i.now);
    return 0;
  }
  if (b.cluster_phase >= w.cluster_target) {
    return 0;  // released before this warp came to wait
  }
  s.waiting |= uint64_t{1} << i.warp;
  return sm_.hold(i.warp, Stall::kBarrier, i.now + 1);
}

void Barriers::announce_cluster_arrival(uint32_t slot, Cycle now) {
  const BlockSlot& b = sm_.block(slot);
  ClusterBarrierState& s = sm_.block(slot).cluster_barrier;
  if (s.arrived && !s.announced && std::popcount(s.arrived) == static_cast<int>(b.warps_left)) {
    s.announced = true;
    const Cycle at = std::max(now, s.last);
    if (b.in_cluster) {
      cluster_.tell(ClusterMessage::Kind::kArrived, slot, at);
    } else {
      ClusterMessage open;
      open.kind = ClusterMessage::Kind::kOpen;
      open.slot = static_cast<uint8_t>(slot);
      open.time = at + sm_.config().barrier().cluster_barrier();
      cluster_.deliver(open);
    }
  }
}

void Barriers::open_cluster_barrier(uint32_t slot, Cycle now) {
  BlockSlot& b = sm_.block(slot);
  sm_.opened();
  uint64_t waiting = b.cluster_barrier.waiting;
  b.cluster_barrier = {};
  ++b.cluster_phase;
  for (; waiting; waiting &= waiting - 1) {
    sm_.wake_held(static_cast<uint32_t>(std::countr_zero(waiting)), now, now);
  }
}

}  // namespace heddle::sm
