// What the units of an SM are to each other.
#pragma once

#include <cstdint>
#include <string>

#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/memory/payload.h"
#include "sim/sm/code/timed_instr.h"
#include "sim/sm/state/event.h"

namespace heddle::sm {

// An instruction that issues, with what its program handed out.
struct Issued {
  uint32_t subcore, warp;
  const TimedInstr& instr;
  uint32_t mask;  // lanes that it applies to
  const isa::Operands& operands;
  Cycle now;
  Cycle start;       // `now`, or later by the wait in a pipe's queue
  Cycle& pipe_free;  // when the sub-core's pipe takes the next one: for units that book it ahead
};

// A unit of the SM: asynchronous to the warps, shared by the sub-cores. It knows SmState and the units that
// it is wired to (Sm's constructor), nothing else. A new kind of unit is a folder with one of these, a
// Handler for its instructions and a line in Sm.
class Unit {
 public:
  Unit() = default;
  virtual ~Unit() = default;
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  // Empty and cold; time counts from `origin`.
  virtual void reset(Cycle origin) = 0;
  // An instruction of its own issues, and the warp's scoreboard counters expect it (SmState::expect). The
  // unit says when its operands have been read and its result is there. Returns the earliest cycle of the
  // warp's next issue beyond its stall count (0: no constraint), kNever when the unit holds the warp
  // (SmState::hold).
  virtual Cycle start(const Issued& i) = 0;
  // What it has scheduled.
  virtual void event(const UnitEvent& e, Cycle now) = 0;
  // From memory, for its request with that id. `values`: of a program that computes, else null.
  virtual void answer(uint32_t /*id*/, uint8_t /*sectors*/, const memory::Payload* /*values*/,
                      Cycle /*now*/) {}
  // Programs that compute: room for operands of the next instruction that it starts, if it has any for them.
  virtual isa::LaneRoom* room() { return nullptr; }
  // A named barrier lets its warps go.
  virtual void barrier_opened() {}
  // What it has in hand, for the report of a deadlock; empty: nothing to say.
  virtual std::string describe() const { return ""; }
};

}  // namespace heddle::sm
