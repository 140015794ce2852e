// Instructions of the executor for one of the machine's.
#include <algorithm>

#include "frontends/cubin/execute/translator.h"

namespace heddle::cubin {

Operand Translator::guard() const {
  Operand p;
  p.kind = d_.guard_uniform ? Kind::kUniformPredicate : Kind::kPredicate;
  p.index = d_.guard;
  return p;
}

exec::Inst& Translator::emit(exec::Kind kind, Role role) {
  exec::Inst in;
  in.kind = kind;
  in.counted = role == Role::kMain;
  if (role != Role::kBefore && d_.guarded) {
    in.guard = d_.guard == kTruePredicate ? constant(1) : predicate(guard());
    in.guard_negated = d_.guard_negated;
  }
  out_.code.insts.push_back(in);
  out_.code.lines.push_back(at_ * static_cast<uint32_t>(kInstructionBytes));
  out_.origins.push_back(flat_);
  return out_.code.insts.back();
}

void Translator::compute(exec::WarpFn fn, Slot d0, Slot d1, std::initializer_list<Slot> sources,
                         uint64_t control, Role role) {
  if (fn == nullptr) {
    missing();
    return;
  }
  exec::Inst& in = emit(exec::Kind::kCompute, role);
  in.fn = fn;
  in.d[0] = d0;
  in.d[1] = d1;
  std::copy(sources.begin(), sources.end(), in.s);
  in.offset = static_cast<int64_t>(control);
  in.sub = uniform_ ? 1 : 0;
}

void Translator::compute(const exec::arith::Fn& fn, Slot d0, std::initializer_list<Slot> sources, Role role) {
  if (fn.fn == nullptr) {
    missing();
    return;
  }
  const Slot control = fn.controlled ? constant(fn.control) : exec::kNoSlot;
  compute(fn.fn, d0, exec::kNoSlot, sources, 0, role);
  if (fn.controlled) {
    out_.code.insts.back().s[exec::arith::kControlPlace] = control;
  }
}

// Of instructions that are several: none of them may change the guard before the last one has looked at it.
void Translator::guard_kept(std::initializer_list<Slot> written) {
  for (const Slot s : written) {
    if (d_.guarded && s == predicate(guard())) {
      missing("its own guard as a result");
    }
  }
}

// Whether the guard and another predicate hold: the guard of what comes next.
Slot Translator::guard_and(const Operand& also) { return guarded_by(truth(also)); }

Slot Translator::guarded_by(Slot s) {
  if (!d_.guarded) {
    return s;
  }
  Operand p = guard();
  p.negate = d_.guard_negated;
  const Slot held = truth(p), both = temporary();
  constexpr uint64_t kFirstAndSecond = 0xc0;  // of three inputs
  compute(WordOp::kPredicates, both, temporary(), {held, s, constant(0)}, kFirstAndSecond << 16,
          Role::kBefore);
  return both;
}

// It counts and does nothing that is calculated here.
void Translator::nothing() { emit(exec::Kind::kFence); }

}  // namespace heddle::cubin
