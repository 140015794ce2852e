// What lanes exchange, special registers.
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

// Between WARPSYNC.COLLECTIVE and ENDCOLLECTIVE the lanes of its mask exchange from wherever they have come;
// else those that are here.
void Translator::sync(SyncKind kind, Slot d0, Slot d1, std::initializer_list<Slot> s, Role role) {
  sync_of(kind, d0, d1, s, collective_ ? collective_lanes() : kNoSlot, role);
}

void Translator::sync_of(SyncKind kind, Slot d0, Slot d1, std::initializer_list<Slot> s, Slot mask,
                         Role role) {
  exec::Inst& in = emit(exec::Kind::kSync, role);
  in.sub = static_cast<uint8_t>(kind);
  in.d[0] = d0;
  in.d[1] = d1;
  std::copy(s.begin(), s.end(), in.s);
  in.s[4] = mask;
}

void Translator::shuffle() {
  const SyncKind kind = take(Mod::kUP)     ? SyncKind::kShflUp
                        : take(Mod::kDOWN) ? SyncKind::kShflDown
                        : take(Mod::kBFLY) ? SyncKind::kShflBfly
                                           : SyncKind::kShflIdx;
  const Slot a = source(op(2)), b = source(op(3)), c = source(op(4));
  sync(kind, destination(op(1)), predicate(op(0)), {a, b, c});
}

void Translator::vote() {
  // [ballot], any or all of, predicate
  const bool uniform = name_ == Mnemonic::kVOTEU;
  const Slot s = truth(op(count() - 1));
  const uint64_t how = take(Mod::kALL) ? 0 : take(Mod::kANY) ? 1 : 2;
  const bool ballot = op(0).is(Kind::kRegister) || op(0).is(Kind::kUniform);
  const Operand p = op(ballot ? 1 : 0);
  const Slot lanes = temporary(), vote = temporary();
  if (collective_ && !uniform) {
    const SyncKind kind = how == 0 ? SyncKind::kVoteAll : how == 1 ? SyncKind::kVoteAny : SyncKind::kVoteUni;
    sync(SyncKind::kVoteBallot, lanes, kNoSlot, {s}, Role::kBehind);
    sync(kind, vote, kNoSlot, {s});
    if (ballot) {
      compute(WordOp::kCopy, destination(op(0)), kNoSlot, {lanes}, 0, Role::kBehind);
    }
    compute(WordOp::kCopy, predicate(p), kNoSlot, {vote}, 0, Role::kBehind);
    return;
  }
  emit_guarded(WordOp::kBallot, uniform && ballot ? destination(op(0)) : lanes, s, 0);
  emit_guarded(WordOp::kVote, uniform ? predicate(p) : vote, s, how << words::kAmountAt);
  if (uniform) {
    out_.code.insts.back().counted = true;
    return;
  }
  if (ballot) {
    compute(WordOp::kCopy, destination(op(0)), kNoSlot, {lanes}, 0, Role::kBehind);
  }
  compute(WordOp::kCopy, predicate(p), kNoSlot, {vote});
}

void Translator::match() {
  const bool all = take(Mod::kALL);
  const Operand& value = op(count() - 1);
  const Slot s = take(Mod::kU64) ? joined(value) : source(value);
  sync(all ? SyncKind::kMatchAll : SyncKind::kMatchAny, destination(op(all ? 1 : 0)),
       all ? predicate(op(0)) : kNoSlot, {s});
}

void Translator::reduce() {
  const bool is_signed = take(Mod::kS32);
  const SyncKind kind = take(Mod::kSUM)   ? SyncKind::kAddU32
                        : take(Mod::kOR)  ? SyncKind::kOr
                        : take(Mod::kXOR) ? SyncKind::kXor
                        : take(Mod::kMIN) ? (is_signed ? SyncKind::kMinS32 : SyncKind::kMinU32)
                        : take(Mod::kMAX) || name_ == Mnemonic::kCREDUX
                            ? (is_signed ? SyncKind::kMaxS32 : SyncKind::kMaxU32)
                            : SyncKind::kAnd;
  const Slot t = temporary();
  const Slot s = source(op(1));
  sync(kind, t, kNoSlot, {s});
  emit_guarded(WordOp::kBroadcast, destination(op(0)), t, 0);
}

void Translator::elect() {
  const Slot t = temporary();
  sync(SyncKind::kElect, t, predicate(op(0)), {});
  if (!op(1).is_zero()) {
    emit_guarded(WordOp::kBroadcast, destination(op(1)), t, 0);
  }
}

void Translator::warp_sync() {
  collective_ = take(Mod::kCOLLECTIVE);
  const bool reg_mask = op(0).is(Kind::kRegister) && !take(Mod::kALL);
  const bool number = op(0).is(Kind::kNumber) && !take(Mod::kCOLLECTIVE);
  const Slot mask = reg_mask || number ? source(op(0)) : constant(0xffffffff);
  if (take(Mod::kEXCLUSIVE)) {
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
  sync_of(SyncKind::kWarpBarrier, kNoSlot, kNoSlot, {}, mask, Role::kMain);
}

void Translator::special_register() {
  using R = SpecialRegister;
  const auto name = static_cast<R>(op(1).index);
  constexpr std::pair<R, Special> kNames[] = {
      {R::kTidX, Special::kTidX},         {R::kTidY, Special::kTidY},
      {R::kTidZ, Special::kTidZ},         {R::kCtaidX, Special::kCtaidX},
      {R::kCtaidY, Special::kCtaidY},     {R::kCtaidZ, Special::kCtaidZ},
      {R::kVirtualsmid, Special::kSmid},  {R::kLaneid, Special::kLaneid},
      {R::kEqmask, Special::kLanemaskEq}, {R::kLtmask, Special::kLanemaskLt},
      {R::kLemask, Special::kLanemaskLe}, {R::kGtmask, Special::kLanemaskGt},
      {R::kGemask, Special::kLanemaskGe}, {R::kCgaCtaId, Special::kClusterCtarank}};
  const bool of_warp = name_ == Mnemonic::kS2UR || name_ == Mnemonic::kCS2UR,
             wide = (name_ == Mnemonic::kCS2R || name_ == Mnemonic::kCS2UR) && !take(Mod::k32);
  const bool high = name == R::kClockhi || name == R::kGlobaltimerhi;
  const bool nanoseconds = name == R::kGlobaltimerlo || name == R::kGlobaltimerhi;
  if (name == R::kClocklo || high || nanoseconds) {
    const Slot t = temporary();
    exec::Inst& in = emit(exec::Kind::kClock);
    in.d[0] = t;
    in.sub = high ? 32 : 0;
    in.sub |= nanoseconds ? exec::kOfNs : 0;
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
    return;
  }
  Slot s = kNoSlot;
  // Counters of performance count nothing here.
  constexpr uint32_t kFirstCounter = 100, kLastCounter = 115, kShared = 50;
  const uint32_t number = op(1).index;
  const bool counter = number >= kFirstCounter && number <= kLastCounter;
  const bool warps = name == R::kVirtid || name == R::kVirtcfg;
  if (name == R::kZero || name == R::kCgaSize || counter) {  // of the second: Translator::cluster_word()
    s = constant(0);
  } else if (warps) {  // what ptxas takes out of them is all that is known: %warpid, %nwarpid
    s = temporary();
    const Slot which = special(name == R::kVirtid ? Special::kWarpid : Special::kNwarpid);
    compute(WordOp::kShift, s, kNoSlot, {which, constant(8), constant(0)}, 0, Role::kBefore);
  } else if (number == kShared) {  // ptxas takes the reserve off it, from 8.0 on
    s = special(object_.capability >= 80 ? Special::kAggregateShared : Special::kTotalShared);
  } else if (name == R::kSwinhi) {
    s = constant(exec::kSharedWindow >> 32);
  } else if (name == R::kSwinlo) {
    s = constant(exec::kSharedWindow & 0xffffffff);
  }
  for (const auto& [read, what] : kNames) {
    s = name == read ? special(what) : s;
  }
  if (s == kNoSlot) {
    missing();
    return;
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
}

}  // namespace heddle::cubin
