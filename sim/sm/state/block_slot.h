// A resident block: its warps and its barriers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/sm/code/timed_instr.h"

namespace heddle::sm {

inline constexpr uint32_t kMaxBlocks = 32;
using isa::kNamedBarriers;
inline constexpr uint32_t kBarriersPerSm = kMaxBlocks * kNamedBarriers;
inline constexpr uint32_t kWarpsPerGroup = 4;  // of a warp-group
inline constexpr uint32_t kMaxWarpgroups = 16;

struct BarrierState {
  uint32_t arrived = 0;           // warps, waiting or not
  uint32_t phase = 0;             // how many are complete
  uint64_t waiting = 0;           // hardware warps of this phase
  std::vector<uint64_t> leaving;  // of complete phases that are about to be released, in order
  Cycle last = 0;                 // when the newest arrival counts
  // Of __syncthreads: warps of which some lanes have come, and which.
  struct Partial {
    uint32_t warp, lanes;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(warp, lanes);
    }
  };
  std::vector<Partial> partial;

  // Everybody has arrived: later arrivals belong to the next phase.
  void complete_phase() {
    arrived = 0;
    ++phase;
    leaving.push_back(waiting);
    waiting = 0;
  }
  template <class Archive>
  void serialize(Archive& ar) {
    ar(arrived, phase, waiting, leaving, last, partial);
  }
};

// The cluster barrier, as far as the block is concerned: it has arrived when all its warps that have not
// exited have.
struct ClusterBarrierState {
  uint64_t arrived = 0;  // hardware warps, without those that have exited
  uint64_t waiting = 0;
  Cycle last = 0;
  bool announced = false;  // the device knows

  template <class Archive>
  void serialize(Archive& ar) {
    ar(arrived, waiting, last, announced);
  }
};

// Warps of a warp-group that have come to WARPGROUP.ARRIVE.
struct WarpgroupState {
  uint32_t arrived = 0;
  uint32_t exited = 0;  // they are not waited for
  uint64_t waiting = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(arrived, exited, waiting);
  }
};

// A shared-memory barrier object (cuda-model.md, PTX mbarrier). A phase is complete when all its arrivals
// have come and all bytes that it expects. Where a recording tells neither the arrivals it waits for nor the
// phases, its waits end when no bytes are expected (isa/recorded_phases.h).
struct MbarrierState {
  uint32_t expected = 0;  // arrivals of each phase; 0: not known
  uint32_t missing = 0;   // of this phase
  int64_t bytes = 0;      // of bulk copies, expected and not here; copies can come first
  uint32_t phase = 0;
  bool given_up = false;  // of a recording: nobody waits for it any more
  struct Waiter {
    uint8_t warp;
    uint32_t code;
    isa::MbarrierOp op;
    uint32_t mask, ticket;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(warp, code, op, mask, ticket);
    }
  };
  std::vector<Waiter> waiters;

  bool complete(const isa::MbarrierOp& wait) const {
    return given_up || (wait.any_phase ? bytes <= 0 : (phase & 1) != wait.parity);
  }
  template <class Archive>
  void serialize(Archive& ar) {
    ar(expected, missing, bytes, phase, given_up, waiters);
  }
};

struct BlockSlot {
  bool active = false;
  uint32_t generation = 0;  // of the slot: counts its blocks
  isa::BlockProgram* program = nullptr;
  const TimedKernel* kernel = nullptr;
  uint8_t grid = 0;              // number of its launch on the device
  uint32_t cluster = 0;          // device-wide number of its cluster
  bool in_cluster = false;       // of several blocks
  uint8_t rank = 0;              // in it
  uint32_t warps = 0;            // of the block
  uint32_t warps_left = 0;       // not finished
  Cycle started = 0, ended = 0;  // ended: of the warps that are finished, the last
  std::array<BarrierState, kNamedBarriers> barrier{};
  std::array<WarpgroupState, kMaxWarpgroups> warpgroup{};
  ClusterBarrierState cluster_barrier;
  uint32_t cluster_phase = 0;                   // cluster barriers completed
  std::map<uint64_t, MbarrierState> mbarriers;  // by shared-memory address

  // But whose block it is: SmState::serialize().
  template <class Archive>
  void serialize(Archive& ar) {
    ar(active, generation, grid, cluster, in_cluster, rank, warps, warps_left, started, ended, barrier,
       warpgroup, cluster_barrier, cluster_phase, mbarriers);
  }
};

}  // namespace heddle::sm
