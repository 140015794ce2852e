// Where an SM's warps wait for each other: named barriers, the cluster's, barrier objects in shared memory
// (mbarrier), warp-groups.
#pragma once

#include <cstdint>

#include "sim/engine/bandwidth.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/sm/dsm/cluster_port.h"
#include "sim/sm/fences/fences.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/unit.h"

namespace heddle::sm {

class Barriers final : public Unit, public ClusterBarriers {
 public:
  // `lsu` is told of barriers that open (Unit::barrier_opened).
  Barriers(SmState& sm, Fences& fences, ClusterPort& cluster, Unit& lsu)
      : sm_(sm), fences_(fences), cluster_(cluster), lsu_(lsu) {}

  void reset(Cycle) override { unit_.reset(); }
  // BAR, UCGABAR, SYNCS, WARPGROUP.ARRIVE, EXIT.
  Cycle start(const Issued& i) override;
  // A complete barrier lets its warps go.
  void event(const UnitEvent& e, Cycle now) override;

  // The warp has gone: no barrier may wait for it.
  void leave(uint32_t warp, Cycle now);
  void bulk_arrived(uint32_t slot, uint64_t address, uint64_t bytes, Cycle now) override;
  void open_cluster_barrier(uint32_t slot, Cycle now) override;
  void change_mbarrier(uint32_t slot, const isa::MbarrierOp& op, Cycle now) override;
  // The block in `slot` does that to a barrier object, its own or another block's of its cluster.
  void tell(uint32_t slot, const isa::MbarrierOp& op, Cycle now);

  // Of each block that replays a recording: waits for one barrier object end, and those that come later.
  bool end_recorded_waits(Cycle now);

  template <class Archive>
  void serialize(Archive& ar) {
    ar(unit_);
  }

 private:
  static uint32_t expected_warps(const BlockSlot& b, const isa::BarrierOp& op);
  void arrive(const Issued& i);
  void count_arrival(uint32_t warp, uint32_t barrier, uint32_t expected, bool waits, Cycle now);
  void exit_lanes(uint32_t warp, uint32_t mask, Cycle now);
  void release(uint32_t slot, uint32_t barrier, Cycle now);
  // The cluster's (cluster_barrier.cc).
  Cycle arrive_cluster(const Issued& i);
  void announce_cluster_arrival(uint32_t slot, Cycle now);
  // Barrier objects (mbarrier.cc).
  void mbarrier(const Issued& i);
  void tell_mbarrier(const Issued& i, const isa::MbarrierOp& op);
  void settle_mbarrier(MbarrierState& m, Cycle now);
  struct Asked {  // by a program that computes
    uint32_t mask, ticket;
  };
  void pass_mbarrier(uint32_t warp, const TimedInstr& t, const Asked& asked, bool complete, Cycle now);
  // Warp-groups.
  Cycle arrive_warpgroup(uint32_t warp, Cycle now);
  bool release_warpgroup(const BlockSlot& b, WarpgroupState& s, uint32_t group, Cycle now);

  SmState& sm_;
  Fences& fences_;
  ClusterPort& cluster_;
  Unit& lsu_;
  Server unit_;  // takes one arrival after the other
};

}  // namespace heddle::sm
