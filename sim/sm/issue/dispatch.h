// What happens when an instruction issues: its program hands out the operands, it is counted, and it executes
// in its pipe or goes to its unit.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/sm/code/timed_instr.h"
#include "sim/sm/fetch/constant_cache.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/unit.h"

namespace heddle::sm {

class Dispatch {
 public:
  // What must live as long.
  Dispatch(SmState& sm, ConstantCache& constants, const spec::GpuConfig& gpu);
  // Instructions of that kind are the unit's.
  void wire(Handler h, Unit& unit) { units_[static_cast<size_t>(h)] = &unit; }

  void reset();

  // The warp's next instruction issues. First, its operands:
  void hand_out(uint32_t warp, const TimedInstr& t, Cycle now);
  // then it is counted (`paired`: in the cycle of the one before),
  void count(uint32_t warp, const TimedInstr& t, bool paired);
  // and starts (Unit::start). `start` and `pipe_free`: Issued.
  Cycle start(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle now, Cycle start, Cycle& pipe_free);

  uint64_t issued() const { return issued_; }
  // How often the instruction with that code index, of an unknown opcode, was issued.
  uint64_t executed_unknown(uint32_t code) const {
    auto it = unknown_.find(code);
    return it == unknown_.end() ? 0 : it->second;
  }

  // Between two instructions.
  template <class Archive>
  void serialize(Archive& ar) {
    ar(issued_, unknown_);
  }

 private:
  Cycle fixed(uint32_t subcore, uint32_t warp, const TimedInstr& t, Cycle start);

  SmState& sm_;
  ConstantCache& constants_;
  const Cycle nanosleep_cycles_;
  std::array<Unit*, kHandlers> units_{};     // null: nothing but time passes
  const isa::Operands* operands_ = nullptr;  // of the instruction that issues
  isa::Operands handed_out_;
  uint64_t issued_ = 0;
  std::map<uint32_t, uint64_t> unknown_;  // issues of instructions of unknown opcodes, by code index
};

}  // namespace heddle::sm
