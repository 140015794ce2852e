// A warp that executes: registers, and the groups that its lanes are in. Lanes of a group have one pc; a
// branch that they do not agree about makes two of it, which meet again where the branch says (joins). Groups
// take turns, so that one may wait for what another does. README.md tells the rules.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/exec/code.h"
#include "sim/exec/fault.h"
#include "sim/exec/launch.h"
#include "sim/exec/memory_op.h"
#include "sim/exec/tensor_memory/product.h"

namespace heddle::exec {

class Block;
class Races;
class SyncRules;
struct At;

class Warp {
 public:
  enum class Status : uint8_t {
    kRunning,
    kSpinning,  // it runs, but only loops that look for something
    kWaiting,   // for other warps
    kPaused,    // before what depends on time, which has been told to the observer: run() goes on with it
    kHeld,      // by the caller, who has asked for a part of its turn
    kDone,
  };

  // Warp `index` of the block; `lanes`: those that have a thread.
  Warp(Block& block, uint32_t index, uint32_t lanes);

  // In all lanes, if the code reads it.
  void set_special(Special which, uint64_t value);
  // Executes until it waits or ends, or about so many instructions. Throws Error, with the place, for what
  // the program may not do.
  // `hold`: it stops (kHeld) after about so many; further calls go on with the turn, of as many
  // `instructions`, in the same way as if it had not stopped.
  Status run(uint64_t instructions, uint64_t hold = UINT64_MAX);

  uint32_t lanes() const { return alive_; }
  uint64_t executed() const { return executed_; }
  uint64_t thread_executed() const { return thread_executed_; }
  // Grows with what others may wait for: stores, arrivals, waits that are over.
  uint64_t progress() const { return progress_; }
  // Grows with all that may change what others look at.
  uint64_t writes() const { return writes_; }
  // kPaused: at a clock.
  bool at_clock() const { return paused_ != nullptr && code_.insts[paused_->pc].kind == Kind::kClock; }
  // Where its groups are and what they wait for: "lanes 0x1 at FILE:12 (at barrier 0)"; for messages.
  std::string waits() const;

  // The barrier that it waits at is complete. `result`: of a reduction.
  void pass_barrier(uint32_t number, uint64_t result);
  void pass_cluster_barrier();

 private:
  enum class State : uint8_t { kRunnable, kAtSync, kAtBarrier, kAtMatrix, kAtCluster, kAtConverge };
  struct Group {
    uint32_t pc = 0;
    uint32_t base = 0;   // its frame, in registers_
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
  };
  // Lanes that parted meet at `pc` of their frame. Those that have come are in no group.
  struct Join {
    uint32_t pc = 0;
    uint32_t base = 0, local = 0;
    uint32_t expected = 0, arrived = 0;  // lanes; none expected: there is none
    int parent = -1;
  };
  // Why run_group ends.
  enum class Leave : uint8_t { kSwitch, kSlice, kYields, kSpins, kPause, kHold };

  // warp.cc
  Banks banks(const Group& g);
  Group* choose();
  Leave run_group(Group& g, bool goes_on);
  bool pauses(const Group& g, const Inst& in, uint32_t mask);
  bool control(Group& g, const Inst& in, uint32_t mask);  // false: the group does not go on
  void memory(Group& g, const Inst& in, uint32_t mask, bool told);
  void find(Group& g, const Inst& in, uint32_t mask);  // what a warp knows
  uint64_t clock(uint8_t form) const;
  [[noreturn]] void refuse(const Group& g, const Access& a, const Refused& r);
  [[noreturn]] void fail(uint32_t pc, uint32_t lane, const std::string& what,
                         FaultKind kind = FaultKind::kOther) const;

  // warp_matrix.cc
  bool matrix(Group& g, const Inst& in, uint32_t mask);
  bool gather_lanes(Group& g, uint32_t mask);
  bool leave_together(Group& g, uint32_t mask);  // true: g goes on at once

  // warp_tensor_memory.cc
  bool tensor_memory(Group& g, const Inst& in, uint32_t mask);
  bool allocate(Group& g, const TensorMemoryOp& op, uint32_t mask);
  void move_cells(const Group& g, const TensorMemoryOp& op);
  void start_tensor_work(const Group& g, const TensorMemoryOp& op, uint32_t lane);
  TensorGroup tensor_group(bool pair);

  // warp_flow.cc
  bool branch(Group& g, const Inst& in, uint32_t mask);
  bool branch_index(Group& g, const Inst& in, uint32_t mask);
  bool split(Group& g, uint32_t away, uint32_t pc, const Inst& in);  // false: none of g goes on now
  bool arrive(Group& g);
  Group& add_group(const Group& like, uint32_t mask, uint32_t pc);
  Group* left_before(const Group& like, uint32_t pc);
  int join_at(const Group& g, uint32_t pc);
  void finish_join(int join);
  bool release_joins();
  void exit_lanes(Group& g, uint32_t mask);
  void merge();
  void settle();  // barriers and synchronisations that wait for no lane any more

  // warp_stack.cc
  size_t newest() const;  // of groups_; their number: none has lanes
  Group* top_of_stack();
  std::string on_stack() const;  // for messages: who cannot go on

  // warp_converge.cc
  uint32_t participants(const Group& g);
  bool converge(Group& g, uint32_t mask);
  bool meet(uint32_t lanes);
  void leave_barrier(const Group& g, const Inst& in, uint32_t mask);
  bool release_barriers();

  // warp_call.cc
  bool call(Group& g, const Inst& in, uint32_t mask);
  bool enter(const Group& g, const CallOp& op, uint32_t function, uint32_t mask);
  bool leave(Group& g, const Inst& in, uint32_t mask);
  void builtin(const Group& g, const CallOp& op, const FunctionInfo& f, uint32_t mask);
  void take_stack(const Group& g, const Inst& in, uint32_t mask);
  void reserve_frame(const Group& g, const CallOp& op, const FunctionInfo& f);
  uint64_t value(const Group& g, const ValuePlace& place, uint32_t lane);
  void set_value(const Group& g, const ValuePlace& place, uint32_t lane, uint64_t value);
  void move_value(const ValuePlace& to, uint32_t to_base, uint32_t to_local, const ValuePlace& from,
                  uint32_t from_base, uint32_t from_local, uint32_t lane);
  std::string text_at(uint32_t lane, uint64_t address, uint32_t pc);

  // warp_runtime.cc
  uint64_t runtime(const Group& g, const CallOp& op, const FunctionInfo& f, uint32_t lane);
  void end_runtime();
  isa::Dim3 dimensions(const Group& g, const ValuePlace& place, uint32_t lane);
  void answer(const Group& g, uint32_t lane, uint64_t address, uint64_t value, uint32_t bytes);

  // warp_sync.cc
  bool sync(Group& g, const Inst& in, uint32_t mask);
  void perform_sync(const Inst& in, uint32_t wait_for);
  bool barrier(Group& g, const Inst& in, uint32_t mask);
  void count_barrier(uint32_t number);
  bool cluster_barrier(Group& g, const Inst& in, uint32_t mask);

  // warp_checks.cc
  void check_access(const Group& g, const Access& a) const;
  void check_races(Races& races, const Group& g, const Access& a) const;
  std::string misuse(const BarrierObjectOp& op, const At& at) const;
  void order_by_object(Races& races, const BarrierObjectOp& op, const At& at, uint64_t result) const;
  void check_barrier_operands(SyncRules& rules, const Group& g, const Inst& in, uint32_t mask);
  void check_barrier(SyncRules& rules, const Group& any, uint32_t number, uint32_t threads);
  void check_mask(const Group& g, const Register& masks) const;

  // by_lane.h
  template <class F>
  void by_lane(const Group& g, uint32_t mask, F f) const;  // turns a Fault into an Error with its place

  // warp_texture.cc
  void texture(const Group& g, const Inst& in, uint32_t mask);

  // warp_async.cc
  bool barrier_object(Group& g, const Inst& in, uint32_t mask, bool told);  // false: it is to be tried again
  void transfer(const Group& g, const Inst& in, uint32_t mask);
  void map_field(const Group& g, const Inst& in, uint32_t mask);

  Spaces spaces();

  Block& block_;
  const Code& code_;
  Observer* const observer_;
  const SimulatedTime* const time_;
  const uint32_t index_;
  const bool
      by_stack_;  // below 7.0: of the paths of lanes that parted, only the top one runs (warp_stack.cc)
  uint32_t alive_;
  uint32_t polls_ = 0;  // loads and atomics since the slice began that may look for something
  uint32_t strong_polls_ = 0;
  uint32_t backward_ = 0;  // backward branches since then
  bool yields_ = false;    // the group lets others go first now
  Group* paused_ = nullptr;
  bool held_ = false;      // in a turn
  bool in_group_ = false;  // and in a slice of paused_
  uint64_t until_ = 0;     // executed_ at the end of the turn
  uint64_t hold_at_ = 0;   // executed_ at which it is held
  uint32_t spun_ = 0;      // lanes that have looked in vain in this turn
  uint64_t progress_ = 0, writes_ = 0;
  uint64_t slept_ = 0;  // ns
  uint64_t executed_ = 0;
  uint64_t thread_executed_ = 0;
  uint64_t turns_ = 0;
  uint64_t groups_born_ = 0;
  uint32_t at_cluster_ = 0;      // lanes that have come to the cluster's barrier
  uint32_t passed_cluster_ = 0;  // lanes whose barrier is complete and that have not waited for it
  uint32_t counted_ = 0;         // barriers at which this warp has been counted and that it has not passed
  std::array<Group, kLanes> groups_;
  std::array<Join, kLanes> joins_;
  std::vector<Register> warp_registers_;
  std::vector<Register> registers_;             // frames, one behind the other
  std::vector<uint8_t> local_, stack_;          // stack_: of alloca
  uint32_t local_bytes_ = 0, stack_bytes_ = 0;  // of a lane
};

}  // namespace heddle::exec
