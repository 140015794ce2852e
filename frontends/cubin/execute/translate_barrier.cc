// Barrier objects: SYNCS, ARRIVES (tools/tracer/OPERANDS.md). How ptxas makes PTX's mbarrier of them:
// tests/cubin/async_forms.py.
#include "frontends/cubin/execute/translator.h"
#include "sim/exec/special.h"

namespace heddle::cubin {
namespace {

using exec::BarrierObjectOp;
using exec::kNoSlot;
using exec::Space;
using exec::arith::WordOp;
namespace words = exec::arith;

constexpr uint32_t kFieldBits = 20;  // of the counts in a barrier object

BarrierObjectOp operation(BarrierObjectOp::Kind kind) {
  BarrierObjectOp o;
  o.kind = kind;
  o.space = Space::kSharedCluster;
  return o;
}

}  // namespace

// When the thread's copies have come. TRANSCNT takes back what ARRIVE.A0T1 before it expects.
void Translator::arrive_copies() {
  using Kind = BarrierObjectOp::Kind;
  BarrierObjectOp o = operation(take(Mod::kARVCNT) ? Kind::kArriveCopies : Kind::kComplete);
  o.no_increment = o.kind == Kind::kArriveCopies;
  o.after_copies = true;
  if (!o.no_increment && !take(Mod::kTRANSCNT)) {
    missing("objects of before 9.0");
  }
  emit_object(o, op(0), constant(1), kNoSlot, false);
}

void Translator::barrier_object() {
  using Kind = BarrierObjectOp::Kind;
  if (take(Mod::kEXCH)) {
    initialise_object();
  } else if (take(Mod::kCCTL)) {
    emit_object(operation(Kind::kInvalidate), op(0), kNoSlot, kNoSlot, false);
  } else if (take(Mod::kPHASECHK)) {
    BarrierObjectOp o = operation(Kind::kWait);
    o.parity = true;
    o.suspends = take(Mod::kTRYWAIT);
    const Slot parity = temporary();
    compute(WordOp::kShift, parity, kNoSlot, {source(op(2)), constant(31), constant(0)}, words::kRight,
            Role::kBefore);
    emit_object(o, op(1), parity, predicate(op(0)), false);
  } else {
    arrive();
  }
}

// mbarrier.init: what is written is 2^20 less the count, from bit 1 on and from bit 43 on.
void Translator::initialise_object() {
  if (!op(0).is_zero()) {
    missing("the object before");
  }
  const Slot shifted = temporary(), rest = temporary(), count = temporary();
  compute(WordOp::kShift, shifted, kNoSlot, {source(op(2)), constant(1), constant(0)}, words::kRight,
          Role::kBefore);
  compute(words::logic_fn(0xc0), rest, kNoSlot, {shifted, constant((1U << kFieldBits) - 1), constant(0)}, 0,
          Role::kBefore);
  compute(WordOp::kAdd3, count, kNoSlot, {constant(1U << kFieldBits), rest}, words::kNegate1, Role::kBefore);
  emit_object(operation(BarrierObjectOp::Kind::kInit), op(1), count, kNoSlot, true);
}

// ARRIVE: state, [object], register.
void Translator::arrive() {
  using Kind = BarrierObjectOp::Kind;
  const bool one_byte = take(Mod::kA0T1), expects = take(Mod::kA0TR), completes = take(Mod::kA0TX);
  BarrierObjectOp o = operation(one_byte || expects ? Kind::kExpect
                                : completes         ? Kind::kComplete
                                                    : Kind::kArrive);
  o.drops = take(Mod::kOPTOUT);
  Slot operand = source(op(2));
  if (one_byte) {
    operand = constant(1);
  } else if (take(Mod::kA1T0)) {
    operand = kNoSlot;
  } else if (o.kind == Kind::kArrive) {
    o.expects = !take(Mod::kART0);  // one arrival, the register is bytes
  }
  // TMASK: arrivals that do not end the phase. All lanes get the state before the instruction there, and as
  // its lower word the lanes that execute it, from which ptxas' code finds what each one's own would be.
  // Here lanes arrive one after the other and get their own: the lower word names no other.
  const bool others = take(Mod::kTMASK);
  o.no_complete = others;
  const bool state = op(0).is(Operand::Kind::kRegister) && op(0).index != kZeroRegister;
  const Slot result = state ? temporary() : kNoSlot;
  emit_object(o, op(1), operand, result, false);
  if (state) {
    compute(WordOp::kSplit, destination(op(0)), destination(op(0), 1), {result}, 0, Role::kBehind);
    if (others) {
      compute(WordOp::kCopy, destination(op(0)), kNoSlot, {special(exec::Special::kLanemaskEq)}, 0,
              Role::kBehind);
    }
  }
}

void Translator::emit_object(const BarrierObjectOp& o, const Operand& at, Slot operand, Slot result,
                             bool once) {
  const exec::Place object = place(at, o.space);
  exec::Inst& in = emit(exec::Kind::kBarrierObject);
  in.s[0] = object.base;
  in.offset = object.offset;
  in.s[1] = operand;
  in.d[0] = result;
  in.sub = once ? 1 : 0;
  in.target = static_cast<uint32_t>(out_.code.barrier_objects.size());
  out_.code.barrier_objects.push_back(o);
}

}  // namespace heddle::cubin
