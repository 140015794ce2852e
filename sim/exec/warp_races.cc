// What orders warps and what they access, for Races.
#include <fmt/format.h>

#include <bit>

#include "sim/exec/async/reach.h"
#include "sim/exec/cluster.h"
#include "sim/exec/warp.h"

namespace heddle::exec {
namespace {

bool is_shared(Space space, uint64_t address) {
  return space == Space::kShared || space == Space::kSharedCluster ||
         (space == Space::kGeneric && address - kSharedWindow < kSharedWindows);
}

}  // namespace

// Atomics and strong accesses order; the others must be ordered.
void Warp::check_races(Races& races, const Group& g, const Access& a) const {
  const MemoryOp& op = *a.op;
  const uint64_t bytes = uint64_t{op.bytes} * op.elements;
  const bool loads = op.kind != MemoryOp::Kind::kStore, stores = op.kind != MemoryOp::Kind::kLoad;
  for (uint32_t m = a.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    const uint64_t address = a.address[lane];
    const bool shared = is_shared(op.space, address);
    if (shared &&
        (rank_of({op.space, address}) != block_.rank() || address % kWindowBytes < kSharedReserve)) {
      continue;
    }
    const uint64_t offset = address % kWindowBytes - kSharedReserve;
    if (op.strong) {
      const uint64_t what = shared ? offset : Races::kGlobal;
      if (loads) {
        races.acquire(what, index_);
      }
      if (stores) {
        races.release(what, index_);
      }
      continue;
    }
    if (!shared) {
      continue;
    }
    if (const auto other = races.access(index_, g.pc, offset, bytes, stores)) {
      fail(g.pc, lane,
           fmt::format("race in shared memory: {} of {} bytes at 0x{:x}, which warp {} {} at {} with nothing "
                       "between that orders them",
                       stores ? "store" : "load", bytes, address % kSharedWindows, other->warp,
                       other->stores ? "stores" : "loads", code_.place(other->pc)));
    }
  }
}

void Warp::order_by_object(Races& races, const BarrierObjectOp& op, const At& at, uint64_t result) const {
  if (rank_of(at) != block_.rank()) {
    return;
  }
  const uint64_t what = at.address % kWindowBytes - kSharedReserve;
  if (op.kind != BarrierObjectOp::Kind::kWait) {
    races.release(what, index_);
  } else if (result != 0) {
    races.acquire(what, index_);
  }
}

// Others do not wait at barriers for a warp that has ended.
void Warp::order_end(Races& races) const {
  for (uint64_t number = 0; number < 16; ++number) {
    races.release(Races::kBarriers + number, index_);
  }
  races.release(Races::kClusterBarrier, index_);
}

}  // namespace heddle::exec
