// What an instruction works on: the state of its warp and what the warp reaches.
#pragma once

#include <cstdint>
#include <string>

#include "sim/exec/fault.h"
#include "sim/exec/launch.h"
#include "sim/exec/matrix_op.h"
#include "sim/exec/memory_op.h"
#include "sim/exec/warp/convergence.h"
#include "sim/exec/warp/state.h"

namespace heddle::exec {

class Block;
class Races;
class SyncRules;

// Of one instruction at a time; the warps of a block share it.
struct Scratch {
  Access access;
  MatrixAccess matrix;
};

struct WarpCore : WarpState {
  WarpCore(const Code& kernel, const Convergence& convergence, const Spaces& memories, Scratch& operands)
      : code(kernel), flow(convergence), reach(memories), scratch(operands) {}

  const Code& code;
  const Convergence& flow;
  const Spaces& reach;  // all memories but the warp's own
  Scratch& scratch;
  // Who is told of barriers and ends and holds tensor memory; what stays in the warp works without one.
  Block* block = nullptr;
  Observer* observer = nullptr;
  const SimulatedTime* time = nullptr;
  // What is checked; null without Checks::race, Checks::sync.
  Races* races = nullptr;
  SyncRules* sync_rules = nullptr;
  isa::Dim3 block_size{kLanes, 1, 1}, block_at{0, 0, 0};  // threads; in the grid

  bool checked() const { return races != nullptr || sync_rules != nullptr; }
  // Where the registers of the group's frame lie.
  Banks banks(const Group& g) {
    // The constants are never written: no instruction has one as its result.
    return {{registers.data() + g.base, const_cast<Register*>(code.constants.data()), warp_registers.data(),
             nullptr}};
  }
  Spaces spaces() {
    Spaces out = reach;
    out.local = local.data();
    out.local_bytes = local_bytes;
    out.stack = stack.data();
    out.stack_bytes = stack_bytes;
    return out;
  }
  // The same whenever the warp would go on in the same way if it found the same in global memory: of the
  // registers, where its lanes are and what they wait for, and the block's shared memory.
  uint64_t hash() const;
  // Throws ThreadFault: the instruction's place, `what`, the thread.
  [[noreturn]] void fail(uint32_t pc, uint32_t lane, const std::string& what,
                         FaultKind kind = FaultKind::kOther) const;
  [[noreturn]] void refuse(const Group& g, const Access& a, const Refused& r);
};

}  // namespace heddle::exec
