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
  const Register* constants = code.constants.data();  // or those of the launch
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
    return {{registers.data() + g.base, const_cast<Register*>(constants), warp_registers.data(), nullptr}};
  }
  Spaces spaces() {
    Spaces out = reach;
    out.local = local.data();
    out.local_bytes = local_bytes;
    out.stack = stack.data();
    out.stack_bytes = stack_bytes;
    return out;
  }
  // Lanes of g that execute the record. Those of other groups may have something else in the guard's register
  // than a predicate.
  static uint32_t lanes(const Group& g, const Inst& in, const Banks& b) {
    if (in.guard == kNoSlot) {
      return g.mask;
    }
    const Register& predicate = *b.at(in.guard);
    uint32_t holds = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      holds |= (static_cast<uint32_t>(predicate[lane]) & 1) << lane;
    }
    return g.mask & (in.guard_negated ? ~holds : holds);
  }
  // Kind::kCompute.
  void compute(const Inst& in, uint32_t mask, const Banks& b) {
    if (mask != 0) {
      const Arguments a = {{b.at(in.d[0]), b.at(in.d[1])},
                           {b.at(in.s[0]), b.at(in.s[1]), b.at(in.s[2]), b.at(in.s[3]), b.at(in.s[4])},
                           warp_registers.data(),
                           static_cast<uint64_t>(in.offset)};
      in.fn(a, in.sub == 0 ? mask : ~0U);
    }
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
