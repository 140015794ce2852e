// Control flow, barriers, what lanes of a warp do together.
#include <algorithm>
#include <optional>

#include "frontends/ptx/execute/moves.h"
#include "frontends/ptx/execute/translator.h"

namespace heddle::ptx {
namespace {

using exec::SyncKind;

std::optional<SyncKind> redux_kind(const Op& op) {
  const bool sign = op.type() == Type::kS32;
  if (bits(op.type()) != 32 || op.type() == Type::kF32) {
    return std::nullopt;
  }
  switch (op.combine) {
    case Combine::kAdd:
      return SyncKind::kAddU32;
    case Combine::kMin:
      return sign ? SyncKind::kMinS32 : SyncKind::kMinU32;
    case Combine::kMax:
      return sign ? SyncKind::kMaxS32 : SyncKind::kMaxU32;
    case Combine::kAnd:
      return SyncKind::kAnd;
    case Combine::kOr:
      return SyncKind::kOr;
    case Combine::kXor:
      return SyncKind::kXor;
    default:
      return std::nullopt;
  }
}

std::optional<SyncKind> sync_kind(const Op& op) {
  switch (op.opcode) {
    case Opcode::kShfl:
      return op.mode == Mode::kUp     ? SyncKind::kShflUp
             : op.mode == Mode::kDown ? SyncKind::kShflDown
             : op.mode == Mode::kBfly ? SyncKind::kShflBfly
                                      : SyncKind::kShflIdx;
    case Opcode::kVote:
      return op.mode == Mode::kAll   ? SyncKind::kVoteAll
             : op.mode == Mode::kAny ? SyncKind::kVoteAny
             : op.mode == Mode::kUni ? SyncKind::kVoteUni
                                     : SyncKind::kVoteBallot;
    case Opcode::kMatch:
      return op.mode == Mode::kAny ? SyncKind::kMatchAny : SyncKind::kMatchAll;
    case Opcode::kRedux:
      return redux_kind(op);
    case Opcode::kElect:
      return SyncKind::kElect;
    default:
      return SyncKind::kWarpBarrier;
  }
}

}  // namespace

bool Translator::control(const Instr& instr, const Op& op) {
  using exec::Kind;
  switch (op.opcode) {
    case Opcode::kBra:
      emit(Kind::kBranch).target = static_cast<uint32_t>(operand(instr, 0).value);
      return true;
    case Opcode::kBrxIdx: {
      const exec::Slot index = source(instr, 0);
      exec::Inst& in = emit(Kind::kBranchIndex);
      in.s[0] = index;
      in.target = static_cast<uint32_t>(out_.code.targets.size());
      out_.code.targets.push_back(f_->branch_targets[operand(instr, 1).id]);
      return true;
    }
    case Opcode::kCall:
      call(instr);
      return true;
    case Opcode::kRet:
      emit(Kind::kReturn).target = id_;
      return true;
    case Opcode::kExit:
      emit(Kind::kExit);
      return true;
    case Opcode::kTrap:
      emit(Kind::kTrap);
      return true;
    case Opcode::kNanosleep: {
      const exec::Slot time = source(instr, 0);
      emit(Kind::kSleep).s[0] = time;
      return true;
    }
    case Opcode::kBarrierClusterArrive:
    case Opcode::kBarrierClusterWait:
      emit(Kind::kClusterBarrier).sub =
          static_cast<uint8_t>(op.opcode == Opcode::kBarrierClusterArrive ? exec::ClusterBarrierKind::kArrive
                                                                          : exec::ClusterBarrierKind::kWait);
      return true;
    case Opcode::kActivemask: {
      const exec::Slot d = destination(operand(instr, 0));
      emit(Kind::kActivemask).d[0] = d;
      return true;
    }
    case Opcode::kBarSync:
    case Opcode::kBarArrive:
    case Opcode::kBarRed:
    case Opcode::kBarrierSync:
    case Opcode::kBarrierArrive:
    case Opcode::kBarrierRed:
      barrier(instr, op);
      return true;
    case Opcode::kShfl:
    case Opcode::kVote:
    case Opcode::kMatch:
    case Opcode::kRedux:
    case Opcode::kElect:
    case Opcode::kBarWarpSync:
      sync(instr, op);
      return true;
    // Order is kept anyway; hints change no value; a grid has nobody to wait for.
    case Opcode::kMembar:
    case Opcode::kMembarProxy:
    case Opcode::kFence:
    case Opcode::kFenceProxy:
    case Opcode::kFenceMbarrierInit:
    case Opcode::kGriddepcontrol:
    case Opcode::kPrefetch:
    case Opcode::kPrefetchu:
    case Opcode::kPmevent:
    case Opcode::kBrkpt:
    case Opcode::kSetmaxnreg:
      emit(Kind::kFence);
      return true;
    case Opcode::kCreatepolicyFractional:
    case Opcode::kCreatepolicyRange:
    case Opcode::kCreatepolicyCvt:
      compute(copy_fn, destination(operand(instr, 0)), constant(0));
      return true;
    default:
      return false;
  }
}

// number, threads, predicate; reductions have their result first.
void Translator::barrier(const Instr& instr, const Op& op) {
  using exec::BarrierKind;
  const bool reduces = op.opcode == Opcode::kBarRed || op.opcode == Opcode::kBarrierRed;
  const bool arrives = op.opcode == Opcode::kBarArrive || op.opcode == Opcode::kBarrierArrive;
  const size_t first = reduces ? 1 : 0;
  const exec::Slot number = source(instr, first);
  const bool counts = instr.operand_count > first + (reduces ? 2U : 1U) &&
                      operand(instr, first + 1).kind != OperandKind::kNone;
  const exec::Slot threads = counts ? source(instr, first + 1) : exec::kNoSlot;
  const exec::Slot predicate = reduces ? source(instr, first + (counts ? 2U : 1U)) : exec::kNoSlot;
  const exec::Slot d = reduces ? destination(operand(instr, 0)) : exec::kNoSlot;
  exec::Inst& in = emit(exec::Kind::kBarrier);
  in.sub = static_cast<uint8_t>(arrives                        ? BarrierKind::kArrive
                                : !reduces                     ? BarrierKind::kSync
                                : op.combine == Combine::kPopc ? BarrierKind::kPopc
                                : op.combine == Combine::kAnd  ? BarrierKind::kAnd
                                                               : BarrierKind::kOr);
  const bool unaligned = op.opcode == Opcode::kBarrierSync || op.opcode == Opcode::kBarrierArrive ||
                         op.opcode == Opcode::kBarrierRed;
  in.offset = unaligned && !op.has(Flag::kAligned) ? 0 : 1;
  in.d[0] = d;
  in.s[0] = number;
  in.s[1] = threads;
  in.s[2] = predicate;
}

// Results, operands, and the mask, which forms without .sync have not.
void Translator::sync(const Instr& instr, const Op& op) {
  const auto kind = sync_kind(op);
  if (!kind) {
    missing();
    return;
  }
  exec::Slot d[2] = {exec::kNoSlot, exec::kNoSlot};
  exec::Slot s[4] = {exec::kNoSlot, exec::kNoSlot, exec::kNoSlot, exec::kNoSlot};
  size_t operands = 0;
  for (size_t i = 0; i < instr.operand_count; ++i) {
    const OperandSpec& spec = op.form->operands[i];
    if (spec.role == OperandRole::kDestination || spec.role == OperandRole::kDestinationOrSink) {
      d[spec.second ? 1 : 0] = destination(operand(instr, i));
    } else {
      s[operands++] = source(instr, i);
    }
  }
  exec::Inst& in = emit(exec::Kind::kSync);
  in.sub = static_cast<uint8_t>(*kind);
  if (operands > 0 && (op.has(Flag::kSync) || op.opcode == Opcode::kBarWarpSync)) {
    in.s[4] = s[--operands];
  }
  std::copy_n(d, 2, in.d);
  std::copy_n(s, operands, in.s);
}

// An argument, or what takes a result. `parameter`: what the function says it is, if that is known.
exec::ValuePlace Translator::value_place(const Operand& o, const Parameter* parameter) {
  if (o.kind == OperandKind::kVariable && in_frame(module_.variables[o.id])) {
    return {false, exec::kNoSlot, static_cast<uint32_t>(local_[o.id]),
            static_cast<uint32_t>(module_.variables[o.id].size)};
  }
  const uint32_t wide = o.kind == OperandKind::kRegister ? bits(f_->register_types[o.id])
                        : parameter != nullptr           ? bits(parameter->type)
                                                         : 64;
  return {true, source(o, wide), 0, (wide + 7) / 8};
}

void Translator::call(const Instr& instr) {
  const Operand& target = operand(instr, 1);
  exec::CallOp c;
  const Signature* signature = nullptr;
  if (target.kind == OperandKind::kFunction) {
    c.function = target.id;
    const Function& f = module_.functions[target.id];
    signature = &f.signature;
    if (!f.defined && f.alias_of == kNone && out_.code.functions[target.id].builtin == exec::Builtin::kNone) {
      missing("function '" + std::string(f.name) + "' is of another module");
    }
  } else {
    c.pointer = source(target, 64);
  }
  const auto places = [&](const Operand& list, const std::vector<Parameter>* formals) {
    std::vector<exec::ValuePlace> out;
    for (const Operand& o : elements(list)) {
      if (o.kind != OperandKind::kNone) {
        out.push_back(value_place(
            o, formals != nullptr && out.size() < formals->size() ? &(*formals)[out.size()] : nullptr));
      }
    }
    return out;
  };
  c.returns = places(operand(instr, 0), signature != nullptr ? &signature->returns : nullptr);
  c.arguments = places(operand(instr, 2), signature != nullptr ? &signature->parameters : nullptr);
  emit(exec::Kind::kCall).target = static_cast<uint32_t>(out_.code.calls.size());
  out_.code.calls.push_back(std::move(c));
}

}  // namespace heddle::ptx
