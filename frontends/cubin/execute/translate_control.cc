// Branches, barriers, what lanes exchange, special registers.
#include "frontends/cubin/execute/calls.h"
#include "frontends/cubin/execute/translator.h"
#include "sim/exec/special.h"

namespace heddle::cubin {
namespace {

using exec::kNoSlot;
using exec::Special;
using exec::SyncKind;
using exec::arith::WordOp;
namespace words = exec::arith;

}  // namespace

bool Translator::control() {
  const std::string& n = line_.name;
  if (n == "BRA" || n == "BRX" || n == "BRXU" || n == "CALL" || n == "RET") {
    branch();
  } else if (n == "EXIT" || n == "KILL" || n == "BPT") {
    const bool second = count() > 0 && op(0).is(Kind::kPredicate);
    const Slot guard = second ? guard_and(op(0)) : kNoSlot;
    exec::Inst& in = emit(n == "BPT" ? exec::Kind::kTrap : exec::Kind::kExit);
    if (second) {
      in.guard = guard;
      in.guard_negated = false;
    }
  } else if (n == "BSSY" || n == "BSYNC" || n == "BREAK") {
    size_t i = 0;
    Slot guard = kNoSlot;
    if (op(0).is(Kind::kPredicate)) {
      if (n != "BREAK") {
        missing("a second predicate");
      }
      guard = guard_and(op(0));
      ++i;
    }
    exec::Inst& in = emit(n == "BSSY"    ? exec::Kind::kBarrierSet
                          : n == "BSYNC" ? exec::Kind::kConverge
                                         : exec::Kind::kBreak);
    (n == "BSSY" ? in.d[0] : in.s[0]) = barrier(op(i).index);
    if (guard != kNoSlot) {
      in.guard = guard;
      in.guard_negated = false;
    }
  } else if (n == "BMOV") {
    const bool to = op(0).is(Kind::kBarrier);
    if (!to && !op(1).is(Kind::kBarrier)) {
      missing();
      return true;
    }
    const Slot d = to ? barrier(op(0).index) : destination(op(0));
    const Slot s = to ? source(op(1)) : barrier(op(1).index);
    compute(WordOp::kCopy, d, line_.has("CLEAR") ? s : kNoSlot, {s});
  } else if (n == "ENDCOLLECTIVE") {
    collective_ = false;
    nothing();
  } else if (n == "NOP" || n == "YIELD" || n == "DEPBAR" || n == "LDGDEPBAR" || n == "WARPGROUP" ||
             n == "FENCE" || n == "PREEXIT" || n == "ACQBULK" || n == "USETMAXREG" || n == "UTMACMDFLUSH" ||
             n == "UTMACCTL" || n == "USETSHMSZ") {
    nothing();
  } else if (n == "BAR" || n == "B2R") {
    block_barrier();
  } else if (n == "NANOSLEEP") {
    const Slot s = source(op(count() - 1));
    emit(exec::Kind::kSleep).s[0] = s;
  } else if (n == "LEPC") {
    const uint64_t address = placement_.code_at[f_number_] + op(1).bits;
    compute(WordOp::kFill, destination(op(0)), kNoSlot, {}, address & 0xffffffff, Role::kMain);
    compute(WordOp::kFill, destination(op(0), 1), kNoSlot, {}, address >> 32, Role::kBehind);
  } else if (n == "UCGABAR_ARV" || n == "UCGABAR_WAIT") {
    emit(exec::Kind::kClusterBarrier).sub = static_cast<uint8_t>(
        n == "UCGABAR_ARV" ? exec::ClusterBarrierKind::kArrive : exec::ClusterBarrierKind::kWait);
  } else {
    return warp_wide() || special_registers();
  }
  return true;
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
  const std::string& n = line_.name;
  const int64_t next = static_cast<int64_t>((at_ + 1) * kInstructionBytes);
  const bool by_register = n == "RET" || n == "BRX" || n == "BRXU" || (n == "CALL" && word_.form() == 1);
  if (by_register) {
    Operand r;
    r.kind = n == "BRXU" ? Kind::kUniform : Kind::kRegister;
    r.index = static_cast<uint32_t>(word_.bits(24, 8));
    if (count() > 0 && op(0).is(Kind::kPredicate)) {
      missing("a second predicate");
    }
    const bool absolute = line_.has("ABS");
    jump(joined(r), absolute, absolute ? 0 : next + branch_distance(word_, object_.capability));
    return;
  }
  int64_t to = next + branch_distance(word_, object_.capability);
  if (n == "CALL" && line_.has("ABS")) {
    const uint64_t to_address = word_.bits(32, 32) | word_.bits(64, 17) << 32;
    jump(constant(0), true, static_cast<int64_t>(to_address));
    return;
  }
  Slot condition = kNoSlot;
  const bool any = line_.has("U") && line_.has("ANY");
  if (line_.has("DIV")) {
    // Whether other lanes than those of the register are here; with a guard, whether it holds in others. All
    // lanes go there then: ptxas has a guard where lanes may name different masks, and the code without a
    // branch is for lanes that name the same.
    const Slot here = temporary(), differ = temporary();
    if (line_.guarded) {
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
  } else if (line_.has("CONV") || (line_.has("U") && line_.has("ALL"))) {
    missing();
  } else if (op(0).is(Kind::kPredicate) || op(0).is(Kind::kUniformPredicate)) {
    condition = truth(op(0));
  }
  if (any && condition != kNoSlot) {
    missing("a second predicate");
  }
  exec::Inst& in = emit(exec::Kind::kBranch);
  if (line_.has("DIV")) {
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
  if (line_.name == "B2R") {
    if (!line_.has("RESULT")) {
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
  if (line_.has("ARV")) {
    kind = exec::BarrierKind::kArrive;
  } else if (line_.has("RED")) {
    kind = line_.has("POPC")  ? exec::BarrierKind::kPopc
           : line_.has("AND") ? exec::BarrierKind::kAnd
                              : exec::BarrierKind::kOr;
  } else if (!line_.has("SYNC")) {
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
  if (line_.has("RED")) {
    in.d[0] = result;
  }
}

bool Translator::warp_wide() {
  const std::string& n = line_.name;
  // Between WARPSYNC.COLLECTIVE and ENDCOLLECTIVE the lanes of its mask exchange from wherever they have
  // come; else those that are here.
  const Slot lanes_of_it = collective_ ? collective_lanes() : kNoSlot;
  const auto sync = [&](SyncKind kind, Slot d0, Slot d1, std::initializer_list<Slot> s, Slot mask,
                        Role role = Role::kMain) {
    exec::Inst& in = emit(exec::Kind::kSync, role);
    in.sub = static_cast<uint8_t>(kind);
    in.d[0] = d0;
    in.d[1] = d1;
    std::copy(s.begin(), s.end(), in.s);
    in.s[4] = mask;
  };
  if (n == "SHFL") {
    const SyncKind kind = line_.has("UP")     ? SyncKind::kShflUp
                          : line_.has("DOWN") ? SyncKind::kShflDown
                          : line_.has("BFLY") ? SyncKind::kShflBfly
                                              : SyncKind::kShflIdx;
    const Slot a = source(op(2)), b = source(op(3)), c = source(op(4));
    sync(kind, destination(op(1)), predicate(op(0)), {a, b, c}, lanes_of_it);
  } else if (n == "VOTE" || n == "VOTEU") {
    // [ballot], any or all of, predicate
    const bool uniform = n == "VOTEU";
    const Slot s = truth(op(count() - 1));
    const uint64_t how = line_.has("ALL") ? 0 : line_.has("ANY") ? 1 : 2;
    const bool ballot = op(0).is(Kind::kRegister) || op(0).is(Kind::kUniform);
    const Operand p = op(ballot ? 1 : 0);
    const Slot lanes = temporary(), vote = temporary();
    if (collective_ && !uniform) {
      const SyncKind kind = how == 0   ? SyncKind::kVoteAll
                            : how == 1 ? SyncKind::kVoteAny
                                       : SyncKind::kVoteUni;
      sync(SyncKind::kVoteBallot, lanes, kNoSlot, {s}, lanes_of_it, Role::kBehind);
      sync(kind, vote, kNoSlot, {s}, lanes_of_it);
      if (ballot) {
        compute(WordOp::kCopy, destination(op(0)), kNoSlot, {lanes}, 0, Role::kBehind);
      }
      compute(WordOp::kCopy, predicate(p), kNoSlot, {vote}, 0, Role::kBehind);
      return true;
    }
    emit_guarded(WordOp::kBallot, uniform && ballot ? destination(op(0)) : lanes, s, 0);
    emit_guarded(WordOp::kVote, uniform ? predicate(p) : vote, s, how << words::kAmountAt);
    if (uniform) {
      out_.code.insts.back().counted = true;
      return true;
    }
    if (ballot) {
      compute(WordOp::kCopy, destination(op(0)), kNoSlot, {lanes}, 0, Role::kBehind);
    }
    compute(WordOp::kCopy, predicate(p), kNoSlot, {vote});
  } else if (n == "MATCH") {
    const bool all = line_.has("ALL");
    const Operand& value = op(count() - 1);
    const Slot s = line_.has("U64") ? joined(value) : source(value);
    sync(all ? SyncKind::kMatchAll : SyncKind::kMatchAny, destination(op(all ? 1 : 0)),
         all ? predicate(op(0)) : kNoSlot, {s}, lanes_of_it);
  } else if (n == "REDUX" || n == "CREDUX") {
    const bool is_signed = line_.has("S32");
    const SyncKind kind = line_.has("SUM")   ? SyncKind::kAddU32
                          : line_.has("OR")  ? SyncKind::kOr
                          : line_.has("XOR") ? SyncKind::kXor
                          : line_.has("MIN") ? (is_signed ? SyncKind::kMinS32 : SyncKind::kMinU32)
                          : line_.has("MAX") || n == "CREDUX"
                              ? (is_signed ? SyncKind::kMaxS32 : SyncKind::kMaxU32)
                              : SyncKind::kAnd;
    const Slot t = temporary();
    const Slot s = source(op(1));
    sync(kind, t, kNoSlot, {s}, lanes_of_it);
    emit_guarded(WordOp::kBroadcast, destination(op(0)), t, 0);
  } else if (n == "ELECT") {
    const Slot t = temporary();
    sync(SyncKind::kElect, t, predicate(op(0)), {}, lanes_of_it);
    if (!op(1).is_zero()) {
      emit_guarded(WordOp::kBroadcast, destination(op(1)), t, 0);
    }
  } else if (n == "WARPSYNC") {
    collective_ = line_.has("COLLECTIVE");
    const bool reg_mask = op(0).is(Kind::kRegister) && !line_.has("ALL");
    const bool number = op(0).is(Kind::kNumber) && !line_.has("COLLECTIVE");
    const Slot mask = reg_mask || number ? source(op(0)) : constant(0xffffffff);
    if (line_.has("EXCLUSIVE")) {
      // The lanes of one mask go on by themselves; those of others come here again.
      const Slot first = temporary(), other = temporary();
      emit_guarded(WordOp::kBroadcast, first, mask, 0);
      compute(words::logic_fn(0x3c), other, kNoSlot, {mask, first, constant(0)}, 0, Role::kBefore);
      compute(WordOp::kNotEqual, other, kNoSlot, {other}, 0, Role::kBefore);
      exec::Inst& in = emit(exec::Kind::kBranch, Role::kBefore);
      in.s[0] = other;
      in.target = to_flat(static_cast<int64_t>(at_ * kInstructionBytes));
    }
    if (collective_) {
      compute(WordOp::kCopy, collective_lanes(), kNoSlot, {mask}, 0, Role::kBefore);
    }
    sync(SyncKind::kWarpBarrier, kNoSlot, kNoSlot, {}, mask);
  } else {
    return false;
  }
  return true;
}

// All lanes of the destination are written from those that are here: a register of the warp.
void Translator::emit_guarded(WordOp what, Slot d, Slot s, uint64_t control) {
  const bool uniform = uniform_;
  uniform_ = false;
  compute(what, d, kNoSlot, {s}, control, Role::kBehind);
  uniform_ = uniform;
}

bool Translator::special_registers() {
  const std::string& n = line_.name;
  if (n != "S2R" && n != "S2UR" && n != "CS2R" && n != "CS2UR") {
    return false;
  }
  const std::string& name = op(1).suffix;
  constexpr std::pair<std::string_view, Special> kNames[] = {
      {"SR_TID.X", Special::kTidX},        {"SR_TID.Y", Special::kTidY},
      {"SR_TID.Z", Special::kTidZ},        {"SR_CTAID.X", Special::kCtaidX},
      {"SR_CTAID.Y", Special::kCtaidY},    {"SR_CTAID.Z", Special::kCtaidZ},
      {"SR_VIRTUALSMID", Special::kSmid},  {"SR_LANEID", Special::kLaneid},
      {"SR_EQMASK", Special::kLanemaskEq}, {"SR_LTMASK", Special::kLanemaskLt},
      {"SR_LEMASK", Special::kLanemaskLe}, {"SR_GTMASK", Special::kLanemaskGt},
      {"SR_GEMASK", Special::kLanemaskGe}, {"SR_CgaCtaId", Special::kClusterCtarank}};
  const bool of_warp = n == "S2UR" || n == "CS2UR", wide = (n == "CS2R" || n == "CS2UR") && !line_.has("32");
  if (name == "SR_CLOCKLO" || name == "SR_GLOBALTIMERLO" || name == "SR_CLOCKHI" ||
      name == "SR_GLOBALTIMERHI") {
    const Slot t = temporary();
    exec::Inst& in = emit(exec::Kind::kClock);
    in.d[0] = t;
    in.sub = name.back() == 'I' ? 32 : 0;
    in.sub |= name.starts_with("SR_GLOBALTIMER") ? exec::kOfNs : 0;
    in.offset = wide ? -1 : 0xffffffff;
    if (wide && of_warp) {
      const Slot low = temporary(), high = temporary();
      compute(WordOp::kSplit, low, high, {t}, 0, Role::kBehind);
      emit_guarded(WordOp::kBroadcast, destination(op(0)), low, 0);
      emit_guarded(WordOp::kBroadcast, destination(op(0), 1), high, 0);
    } else if (wide) {
      compute(WordOp::kSplit, destination(op(0)), destination(op(0), 1), {t}, 0, Role::kBehind);
    } else if (of_warp) {
      emit_guarded(WordOp::kBroadcast, destination(op(0)), t, 0);
    } else {
      compute(WordOp::kCopy, destination(op(0)), kNoSlot, {t}, 0, Role::kBehind);
    }
    return true;
  }
  Slot s = kNoSlot;
  // Counters of performance count nothing here.
  const bool counter = name.size() == 5 && name >= "SR100" && name <= "SR115";
  const bool warps = name == "SR_VIRTID" || name == "SR_VIRTCFG";
  if (name == "SRZ" || name == "SR_CgaSize" || counter) {  // of the second: Translator::cluster_word()
    s = constant(0);
  } else if (warps) {  // what ptxas takes out of them is all that is known: %warpid, %nwarpid
    s = temporary();
    const Slot number = special(name == "SR_VIRTID" ? Special::kWarpid : Special::kNwarpid);
    compute(WordOp::kShift, s, kNoSlot, {number, constant(8), constant(0)}, 0, Role::kBefore);
  } else if (name == "SR50") {  // ptxas takes the reserve off it, from 8.0 on
    s = special(object_.capability >= 80 ? Special::kAggregateShared : Special::kTotalShared);
  } else if (name == "SR_SWINHI") {
    s = constant(exec::kSharedWindow >> 32);
  } else if (name == "SR_SWINLO") {
    s = constant(exec::kSharedWindow & 0xffffffff);
  }
  for (const auto& [text, special_register] : kNames) {
    s = name == text ? special(special_register) : s;
  }
  if (s == kNoSlot) {
    missing();
    return true;
  }
  if (of_warp) {
    emit_guarded(WordOp::kBroadcast, destination(op(0)), s, 0);
    out_.code.insts.back().counted = true;
    if (wide) {
      emit_guarded(WordOp::kBroadcast, destination(op(0), 1), constant(0), 0);
    }
  } else {
    compute(WordOp::kCopy, destination(op(0)), wide ? destination(op(0), 1) : kNoSlot, {s});
  }
  return true;
}

}  // namespace heddle::cubin
