// Branches and barriers.
#include "frontends/cubin/execute/calls.h"
#include "frontends/cubin/execute/translator.h"

namespace heddle::cubin {
namespace {

using exec::kNoSlot;
using exec::arith::WordOp;
namespace words = exec::arith;

}  // namespace

// EXIT, KILL, BPT
void Translator::leave() {
  const bool second = op(0).is(Kind::kPredicate);
  const Slot guard = second ? guard_and(op(0)) : kNoSlot;
  exec::Inst& in = emit(name_ == Mnemonic::kBPT ? exec::Kind::kTrap : exec::Kind::kExit);
  if (second) {
    in.guard = guard;
    in.guard_negated = false;
  }
}

// BSSY, BSYNC, BREAK
void Translator::converge() {
  const bool sets = name_ == Mnemonic::kBSSY, breaks = name_ == Mnemonic::kBREAK;
  size_t i = 0;
  Slot guard = kNoSlot;
  if (op(0).is(Kind::kPredicate)) {
    if (!breaks) {
      missing("a second predicate");
    }
    guard = guard_and(op(0));
    ++i;
  }
  exec::Inst& in = emit(sets ? exec::Kind::kBarrierSet : breaks ? exec::Kind::kBreak : exec::Kind::kConverge);
  (sets ? in.d[0] : in.s[0]) = barrier(op(i).index);
  if (guard != kNoSlot) {
    in.guard = guard;
    in.guard_negated = false;
  }
}

void Translator::move_barrier() {
  const bool to = op(0).is(Kind::kBarrier);
  if (!to && !op(1).is(Kind::kBarrier)) {
    missing();
    return;
  }
  const Slot d = to ? barrier(op(0).index) : destination(op(0));
  const Slot s = to ? source(op(1)) : barrier(op(1).index);
  compute(WordOp::kCopy, d, take(Mod::kCLEAR) ? s : kNoSlot, {s});
}

void Translator::end_collective() {
  collective_ = false;
  nothing();
}

void Translator::sleep() {
  const Slot s = source(op(count() - 1));
  emit(exec::Kind::kSleep).s[0] = s;
}

void Translator::code_address() {
  const uint64_t address = placement_.code_at[f_number_] + op(1).bits;
  compute(WordOp::kFill, destination(op(0)), kNoSlot, {}, address & 0xffffffff, Role::kMain);
  compute(WordOp::kFill, destination(op(0), 1), kNoSlot, {}, address >> 32, Role::kBehind);
}

void Translator::cluster_barrier() {
  emit(exec::Kind::kClusterBarrier).sub = static_cast<uint8_t>(
      name_ == Mnemonic::kUCGABAR_ARV ? exec::ClusterBarrierKind::kArrive : exec::ClusterBarrierKind::kWait);
}

// To the instruction at the address in `index` plus `offset`, bytes.
void Translator::jump(Slot index, bool absolute, int64_t offset) {
  const uint64_t base = absolute ? 0 : placement_.code_at[f_number_];
  const Slot at = temporary();
  compute(WordOp::kAddressIndex, at, kNoSlot, {index}, base + static_cast<uint64_t>(offset) - kSystemCode,
          Role::kBefore);
  exec::Inst& in = emit(exec::Kind::kBranchIndex);
  in.s[0] = at;
  in.target = 0;
}

void Translator::branch() {
  const int64_t next = static_cast<int64_t>((at_ + 1) * kInstructionBytes);
  const bool by_register = name_ == Mnemonic::kRET || name_ == Mnemonic::kBRX || name_ == Mnemonic::kBRXU ||
                           (name_ == Mnemonic::kCALL && word_.form() == 1);
  if (by_register) {
    Operand r;
    r.kind = name_ == Mnemonic::kBRXU ? Kind::kUniform : Kind::kRegister;
    r.index = static_cast<uint32_t>(word_.bits(24, 8));
    if (count() > 0 && op(0).is(Kind::kPredicate)) {
      missing("a second predicate");
    }
    const bool absolute = take(Mod::kABS);
    jump(joined(r), absolute, absolute ? 0 : next + branch_distance(word_, object_.capability));
    return;
  }
  int64_t to = next + branch_distance(word_, object_.capability);
  if (name_ == Mnemonic::kCALL && take(Mod::kABS)) {
    const uint64_t to_address = word_.bits(32, 32) | word_.bits(64, 17) << 32;
    jump(constant(0), true, static_cast<int64_t>(to_address));
    return;
  }
  Slot condition = kNoSlot;
  const bool any = take(Mod::kU) && take(Mod::kANY);
  if (take(Mod::kDIV)) {
    // Whether other lanes than those of the register are here; with a guard, whether it holds in others. All
    // lanes go there then: ptxas has a guard where lanes may name different masks, and the code without a
    // branch is for lanes that name the same.
    const Slot here = temporary(), differ = temporary();
    if (d_.guarded) {
      compute(WordOp::kBallot, here, kNoSlot, {guarded_by(constant(1))}, 0, Role::kBefore);
    } else {
      emit(exec::Kind::kActivemask, Role::kBefore).d[0] = here;
    }
    compute(words::logic_fn(0x3c), differ, kNoSlot,
            {here, ureg(static_cast<uint32_t>(word_.bits(24, object_.capability >= kBlackwell ? 8 : 6))),
             constant(0)},
            0, Role::kBefore);
    condition = temporary();
    compute(WordOp::kNotEqual, condition, kNoSlot, {differ}, 0, Role::kBefore);
  } else if (take(Mod::kCONV) || (take(Mod::kU) && take(Mod::kALL))) {
    missing();
  } else if (op(0).is_predicate()) {
    condition = truth(op(0));
  }
  if (any && condition != kNoSlot) {
    missing("a second predicate");
  }
  exec::Inst& in = emit(exec::Kind::kBranch);
  if (take(Mod::kDIV)) {
    in.guard = kNoSlot;
    in.guard_negated = false;
  }
  in.s[0] = condition;
  in.sub = any ? 1 : 0;
  in.target = to_flat(to);
}

// Until all code is there a branch has the number of the instruction that it goes to.
uint32_t Translator::to_flat(int64_t at) {
  const auto end = static_cast<int64_t>(f_->code.size() * kInstructionBytes);
  if (at < 0 || at >= end || at % static_cast<int64_t>(kInstructionBytes) != 0) {
    missing("a target that is not in the function");
    return flat_;
  }
  return flat_ - at_ + static_cast<uint32_t>(at / static_cast<int64_t>(kInstructionBytes));
}

// BAR.SYNC number, [threads]; BAR.RED.POPC number, predicate. In a register: number in bits 0 to 3, threads
// from bit 16 on.
void Translator::block_barrier() {
  const Slot result = barrier_result();
  if (name_ == Mnemonic::kB2R) {
    if (!take(Mod::kRESULT)) {
      missing();
      return;
    }
    compute(WordOp::kCopy, destination(op(0)), kNoSlot, {result}, 0, Role::kMain);
    if (count() > 1) {
      compute(WordOp::kNotEqual, predicate(op(1)), kNoSlot, {result}, 0, Role::kBehind);
    }
    return;
  }
  exec::BarrierKind kind = exec::BarrierKind::kSync;
  if (take(Mod::kARV)) {
    kind = exec::BarrierKind::kArrive;
  } else if (take(Mod::kRED)) {
    kind = take(Mod::kPOPC)  ? exec::BarrierKind::kPopc
           : take(Mod::kAND) ? exec::BarrierKind::kAnd
                             : exec::BarrierKind::kOr;
  } else if (!take(Mod::kSYNC)) {
    missing();
    return;
  }
  Slot number = constant(0), threads = kNoSlot, with = kNoSlot;
  if (op(0).is(Kind::kRegister)) {
    number = temporary();
    compute(words::logic_fn(0xc0), number, kNoSlot, {source(op(0)), constant(15), constant(0)}, 0,
            Role::kBefore);
  } else {
    number = constant(op(0).bits);
  }
  for (size_t i = 1; i < count(); ++i) {
    if (op(i).is(Kind::kPredicate)) {
      with = truth(op(i));
    } else if (op(i).is(Kind::kNumber)) {
      threads = constant(op(i).bits);
    } else if (op(i).is(Kind::kRegister)) {
      const Slot shifted = temporary();
      compute(WordOp::kShift, shifted, kNoSlot, {source(op(i)), constant(16), constant(0)}, words::kRight,
              Role::kBefore);
      threads = temporary();
      compute(words::logic_fn(0xc0), threads, kNoSlot, {shifted, constant(0xfff), constant(0)}, 0,
              Role::kBefore);
    }
  }
  exec::Inst& in = emit(exec::Kind::kBarrier);
  in.sub = static_cast<uint8_t>(kind);
  in.s[0] = number;
  in.s[1] = threads;
  in.s[2] = with;
  in.offset = collective_ ? 0 : 1;
  if (take(Mod::kRED)) {
    in.d[0] = result;
  }
}

// All lanes of the destination are written from those that are here: a register of the warp.
void Translator::emit_guarded(WordOp what, Slot d, Slot s, uint64_t control) {
  const bool uniform = uniform_;
  uniform_ = false;
  compute(what, d, kNoSlot, {s}, control, Role::kBehind);
  uniform_ = uniform;
}

}  // namespace heddle::cubin
