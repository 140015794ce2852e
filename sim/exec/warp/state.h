// What a warp is while it executes, as plain data: its registers, the groups that its lanes are in, what it
// waits for. ../README.md tells the rules.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/exec/code.h"
#include "sim/exec/layout.h"

namespace heddle::exec {

// Lanes with one pc and one frame.
struct Group {
  enum class State : uint8_t { kRunnable, kAtSync, kAtBarrier, kAtMatrix, kAtCluster, kAtConverge };
  uint32_t pc = 0;
  uint32_t base = 0;   // its frame, in WarpState::registers
  uint32_t local = 0;  // its frame, in the lanes' local memory
  uint32_t mask = 0;   // 0: there is none
  int join = -1;
  State state = State::kRunnable;
  uint32_t wait_for = 0;  // kAtSync: lanes; kAtBarrier: the barrier
  uint64_t turn = 0;      // when it last let others go first
  uint32_t yields = 0;    // waits in vain, one after the other
  uint64_t born = 0;      // grows from one group to the next
  uint32_t from = kNoPc;  // where it parted from others
  bool told = false;      // the observer knows of its next instruction

  bool runs() const { return mask != 0 && state == State::kRunnable; }
  bool waits(State at) const { return mask != 0 && state == at; }
  template <class Archive>
  void serialize(Archive& ar) {
    ar(pc, base, local, mask, join, state, wait_for, turn, yields, born, from, told);
  }
};

// Lanes that parted meet at `pc` of their frame. Those that have come are in no group.
struct Join {
  uint32_t pc = 0;
  uint32_t base = 0, local = 0;
  uint32_t expected = 0, arrived = 0;  // lanes; none expected: there is none
  int parent = -1;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(pc, base, local, expected, arrived, parent);
  }
};

struct WarpState {
  uint32_t index = 0;  // in its block
  uint32_t alive = 0;  // lanes that have not ended
  // As many as there have been at a time, at most one for each lane: most warps never part. A group keeps its
  // address.
  std::deque<Group> groups = std::deque<Group>(1);
  std::vector<Join> joins;
  std::vector<Register> warp_registers;       // Bank::kWarp
  std::vector<Register> registers;            // frames, one behind the other
  std::vector<uint8_t> local, stack;          // lane by lane; stack: of alloca
  uint32_t local_bytes = 0, stack_bytes = 0;  // of a lane

  uint32_t polls = 0;  // loads and atomics since the slice began that may look for something
  uint32_t strong_polls = 0;
  uint32_t backward = 0;  // backward branches since then
  bool yields = false;    // the group lets others go first now
  bool told = false;      // the observer knows already of what is executed now
  uint64_t progress = 0;  // grows with what others may wait for: stores, arrivals, waits that are over
  uint64_t writes = 0;    // grows with all that may change what others look at
  uint64_t slept = 0;     // ns
  uint64_t executed = 0, thread_executed = 0;
  uint64_t turns = 0;
  uint64_t groups_born = 0;
  uint32_t at_cluster = 0;      // lanes that have come to the cluster's barrier
  uint32_t passed_cluster = 0;  // lanes whose barrier is complete and that have not waited for it
  uint32_t counted = 0;         // barriers at which this warp has been counted and that it has not passed

  template <class Archive>
  void serialize(Archive& ar) {
    ar(alive, groups, joins, warp_registers, registers, local_bytes, stack_bytes);
    for (std::vector<uint8_t>* bytes : {&local, &stack}) {
      uint64_t size = bytes->size();
      ar(size);
      ar.check(size <= uint64_t{kLanes} * kMostLocalBytes, "more local memory than a warp can have");
      bytes->resize(size);
      ar.pages(*bytes);
    }
    ar(polls, strong_polls, backward, yields, told, progress, writes, slept, executed, thread_executed);
    ar(turns, groups_born, at_cluster, passed_cluster, counted);
  }
};

}  // namespace heddle::exec
