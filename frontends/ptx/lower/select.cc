#include "frontends/ptx/lower/select.h"

#include <fmt/format.h>

#include "frontends/ptx/lower/flow.h"

namespace heddle::ptx::lower {

void Select::run() {
  values_.resize(f_.register_types.size());
  find_calls();
  find_groups();
  for (uint32_t b = 0; b < out_.blocks.size(); ++b) {
    block(b);
  }
  merge_all_loads();
}

void Select::block(uint32_t b) {
  number_ = b;
  block_ = &out_.blocks[b];
  specials_.clear();
  tile_places_.clear();
  tile_sums_.clear();
  descriptors_.clear();
  tensor_operands_.clear();
  if (b == 0) {
    prologue();
  }
  if (const auto c = call_before_.find(b); c != call_before_.end()) {
    stretch_ = &block_->stretches.front();
    now_ = stretch_->first;
    results(c->second);
  }
  const std::vector<Stretch>& stretches = block_->stretches;
  if (meetings_.meets[b]) {
    stretch_ = nullptr;
    now_ = stretches.front().first;
    wall("BSYNC", {}, {kB0}).lanes = Machine::Lanes::kAll;
  }
  for (size_t k = 0; k < stretches.size(); ++k) {
    stretch_ = &stretches[k];
    last_stretch_ = k + 1 == stretches.size();
    for (uint32_t i = stretch_->first; i < stretch_->end; ++i) {
      now_ = i;
      instruction(i);
    }
  }
  // What follows elsewhere is jumped to.
  const uint32_t last = stretches.back().end - 1;
  const bool jumps = uses_.op(last).opcode == Opcode::kBra || uses_.op(last).opcode == Opcode::kBrxIdx ||
                     is_exit(module_, f_, last);
  if ((!jumps || stretches.back().guard != kNone) && !block_->next.empty() && block_->next[0] != b + 1) {
    now_ = last;
    Machine& m = emit("BRA", {}, {});
    m.guard = {};
    m.target = block_->next[0];
    m.ordered = true;
    m.lanes = Machine::Lanes::kAll;
  }
  if (!f_.entry && !jumps && block_->next.empty()) {  // a body may end without ret
    const size_t first = block_->code.size();
    now_ = last;
    leave();
    for (size_t k = first; k < block_->code.size(); ++k) {
      block_->code[k].lanes = Machine::Lanes::kAll;
      block_->code[k].guard = {};
    }
  }
}

// The stack pointer; the descriptor of global memory.
void Select::prologue() {
  now_ = 0;
  if (!f_.entry) {
    enter();
    return;
  }
  emit("LDC", {kR1}, {constant(0, 0x28)}).ordered = true;
  for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
    const Op& o = uses_.op(i);
    if ((o.opcode == Opcode::kLd || o.opcode == Opcode::kSt || o.opcode == Opcode::kAtom ||
         o.opcode == Opcode::kRed) &&
        (o.space == Space::kGlobal || o.space == Space::kNone)) {
      emit("ULDC.64", {temporary(2, File::kUniform)}, {constant(0, 0x208)}).ordered = true;
      return;
    }
  }
}

void Select::instruction(uint32_t i) {
  if (uses_.absorbed(i) || uses_.is_copy(i)) {
    return;
  }
  const Op& o = uses_.op(i);
  const bool access = o.opcode == Opcode::kLd || o.opcode == Opcode::kSt || o.opcode == Opcode::kAtom ||
                      o.opcode == Opcode::kRed;
  const bool both = o.semantics == Semantics::kAcqRel;
  const bool global = o.space == Space::kGlobal || o.space == Space::kNone;
  if (access && global && (both || o.semantics == Semantics::kRelease)) {
    release(o.scope);
  }
  if (!control(i) && !memory() && !moves() && !floating() && !integer() && !video() && !other()) {
    refuse(i, "not lowered yet");
  }
  if (access && global && (both || o.semantics == Semantics::kAcquire) && o.scope != Scope::kCta) {
    emit("CCTL.IVALL", {}, {}).ordered = true;
  }
}

// What comes before is there for whoever sees what follows (as ptxas 13.0 writes it).
void Select::release(Scope scope) {
  emit(scope == Scope::kCta   ? "MEMBAR.ALL.CTA"_op
       : scope == Scope::kSys ? "MEMBAR.ALL.SYS"_op
                              : "MEMBAR.ALL.GPU"_op,
       {}, {})
      .ordered = true;
  if (scope != Scope::kCta) {
    emit("ERRBAR", {}, {}).ordered = true;
    emit("CGAERRBAR", {}, {}).ordered = true;
  }
}

void Select::refuse(uint32_t i, std::string_view why) {
  out_.missing.push_back(
      module_.source.message(f_.instrs[i].at, fmt::format("'{}': {}", uses_.op(i).text, why)));
}

Machine& Select::emit(const sass::Opcode& opcode, Fields d, Fields s) {
  return emit(opcode, std::vector<Field>(d), std::vector<Field>(s));
}

Machine& Select::emit(const sass::Opcode& opcode, std::vector<Field> d, std::vector<Field> s) {
  Machine m = machine(opcode, now_, out_.opcodes);
  m.d = std::move(d);
  m.s = std::move(s);
  if (stretch_ != nullptr) {
    const Instr& in = f_.instrs[now_];
    const bool own = in.guard != kNone && uses_.op(now_).opcode != Opcode::kBra;
    const uint32_t guard = own ? in.guard : stretch_->guard;
    if (guard != kNone) {
      Operand o;
      o.kind = OperandKind::kRegister;
      o.id = guard;
      o.negated = own ? in.guard_negated : stretch_->guard_negated;
      const Field g = field(o);
      m.guard = g.value;
      m.guard_negated = g.negated;
    }
  }
  block_->code.push_back(std::move(m));
  return block_->code.back();
}

Value Select::value(uint32_t reg) {
  Value& v = values_[reg];
  if (!v.there()) {
    const Type t = f_.register_types[reg];
    const auto count = static_cast<uint8_t>(std::max(1U, bits(t) / 32));
    v = out_.make(t == Type::kPred              ? File::kPredicate
                  : uses_.uniform_register(reg) ? File::kUniform
                                                : File::kVector,
                  count);
  }
  return v;
}

Value Select::result(size_t place) {
  const Operand& o = at(place);
  return o.kind == OperandKind::kRegister ? value(o.id) : Value{};
}

// `high`: the upper word of 64 bits.
Field Select::field(const Operand& written, bool high) {  // NOLINT(misc-no-recursion): as deep as neg of abs
  const Operand o = uses_.origin(written);
  Field out;
  switch (o.kind) {
    case OperandKind::kRegister: {
      // not, neg and abs are part of whoever reads them.
      const uint32_t m = uses_.writer(o.id);
      if (m != kNone && uses_.absorbed(m)) {
        const Opcode c = uses_.op(m).opcode;
        if (c == Opcode::kLd) {
          const Address a = address(uses_.operands(m)[1]);
          return constant(3, a.offset);
        }
        if (c == Opcode::kNot || c == Opcode::kNeg || c == Opcode::kAbs) {
          out = field(uses_.operands(m)[1], high);
          out.negated = out.negated != (c != Opcode::kAbs);
          return out;
        }
      }
      Value v = value(o.id);
      if (high) {
        v = v.count == 1 ? Value{} : Value{v.reg, static_cast<uint8_t>(v.part + 1), 1};
      }
      out = v;
      out.negated = o.negated;
      return out;
    }
    case OperandKind::kImmediate:
      return high ? o.value >> 32 : o.value;
    case OperandKind::kVariable:
      return Field(int64_t{0x400});
    default:
      return {};
  }
}

Value Select::vector(const Operand& o) {
  const Field f = field(o);
  if (f.kind == Field::Kind::kValue && out_.registers[f.value.reg].file == File::kVector) {
    return f.value;
  }
  if (f.kind == Field::Kind::kZero) {
    return {};
  }
  const Value v = temporary(f.kind == Field::Kind::kValue ? f.value.count : 1);
  emit("MOV", {Value{v.reg, 0, 1}},
       {f.kind == Field::Kind::kValue ? Field(Value{f.value.reg, f.value.part, 1}) : f});
  if (v.count == 2) {
    emit("MOV", {Value{v.reg, 1, 1}}, {Value{f.value.reg, static_cast<uint8_t>(f.value.part + 1), 1}});
  }
  return v;
}

Value Select::own(const Operand& o) {
  const Operand from = uses_.origin(o);
  const Value v = vector(o);
  if (v.there() && from.kind == OperandKind::kRegister && uses_.reads(from.id) == 1 &&
      uses_.writer(from.id) != kNone) {
    return v;
  }
  const Value copy = temporary();
  emit("MOV", {copy}, {v});
  return copy;
}

Value Select::made(const sass::Opcode& opcode, std::vector<Field> s, uint8_t count) {
  const Value v = temporary(count);
  emit(opcode, {v}, std::move(s));
  return v;
}

Value Select::chain(const sass::Opcode& opcode, uint32_t n, Value from) {
  for (uint32_t k = 0; k < n; ++k) {
    const Value to = temporary();
    emit(opcode, {to}, {from, from, Field()});
    from = to;
  }
  return from;
}

bool Select::uniform_result() const {
  const Operand& o = at(0);
  return o.kind == OperandKind::kRegister && uses_.uniform_register(o.id);
}

sass::Opcode Select::name(sass::Opcode opcode) const {
  using enum sass::Mnemonic;
  if (!uniform_result()) {
    return opcode;
  }
  if (opcode.name == kIMAD && opcode.mods.contains(Mod::kSHL)) {
    return "USHF.L.U32";
  }
  opcode.name = opcode.name == kIADD3  ? kUIADD3
                : opcode.name == kIMAD ? kUIMAD
                : opcode.name == kLEA  ? kULEA
                : opcode.name == kLOP3 ? kULOP3
                                       : kUSHF;
  return opcode;
}

bool Select::control(uint32_t i) {
  const Op& o = op();
  switch (o.opcode) {
    case Opcode::kBra:
      branch(i);
      return true;
    case Opcode::kRet:
      if (!f_.entry) {
        leave();
        return true;
      }
      [[fallthrough]];
    case Opcode::kExit:
      emit("EXIT", {}, {}).ordered = true;
      return true;
    case Opcode::kCall:
      call(i);
      return true;
    case Opcode::kTrap:
    case Opcode::kBrkpt:
      emit("BPT.TRAP", {}, {0x1}).ordered = true;
      return true;
    case Opcode::kBarSync:
    case Opcode::kBarrierSync: {
      const Field n = in(0);
      Machine& m =
          at(1).kind == OperandKind::kNone
              ? emit("BAR.SYNC.DEFER_BLOCKING", {}, {n.kind == Field::Kind::kZero ? Field(immediate(0)) : n})
              : emit("BAR.SYNC.DEFER_BLOCKING", {},
                     {n.kind == Field::Kind::kZero ? Field(immediate(0)) : n, in(1)});
      m.ordered = true;
      return true;
    }
    case Opcode::kBarArrive:
    case Opcode::kBarrierArrive:
      emit("BAR.ARV", {}, {in(0).kind == Field::Kind::kZero ? Field(immediate(0)) : in(0), in(1)}).ordered =
          true;
      return true;
    case Opcode::kBarWarpSync:
      emit("WARPSYNC.ALL", {}, {}).ordered = true;
      return true;
    case Opcode::kMembar:
    case Opcode::kFence: {
      if (o.semantics == Semantics::kAcqRel) {
        release(o.scope);
        if (o.scope != Scope::kCta) {
          emit("CCTL.IVALL", {}, {}).ordered = true;
        }
        return true;
      }
      const sass::Opcode scope = o.scope == Scope::kCta   ? "MEMBAR.ALL.CTA"_op
                                 : o.scope == Scope::kSys ? "MEMBAR.SC.SYS"_op
                                                          : "MEMBAR.SC.GPU"_op;
      emit(scope, {}, {}).ordered = true;
      if (o.scope != Scope::kCta) {
        emit("ERRBAR", {}, {}).ordered = true;
        emit("CCTL.IVALL", {}, {}).ordered = true;
      }
      return true;
    }
    case Opcode::kNanosleep:
      emit("NANOSLEEP", {}, {in(0)}).ordered = true;
      return true;
    default:
      return false;
  }
}

void Select::branch(uint32_t i) {
  const Instr& instr = f_.instrs[i];
  const auto target = static_cast<uint32_t>(at(0).value);
  Field guard;
  if (instr.guard != kNone) {
    Operand o;
    o.kind = OperandKind::kRegister;
    o.id = instr.guard;
    o.negated = instr.guard_negated;
    guard = field(o);
  }
  const bool exits = ends_thread(module_, f_, target);
  if (!last_stretch_ || i + 1 != stretch_->end) {
    if (instr.guard == kNone || !exits) {
      return;  // what it leaves out has become conditional
    }
  } else if (instr.guard == kNone && !exits && out_.block_of[target] == number_ + 1) {
    return;
  }
  if (!exits && last_stretch_ && i + 1 == stretch_->end && meetings_.parts[number_]) {
    Machine& part = emit("BSSY", {}, {kB0, Field::code(block_->next.back())});
    part.guard = {};
    part.ordered = true;
    part.lanes = Machine::Lanes::kAll;
  }
  Machine& m = emit(exits ? "EXIT"_op : "BRA"_op, {}, {});
  m.guard = guard.value;
  m.guard_negated = guard.negated;
  m.ordered = true;
  if (!exits) {
    m.target = out_.block_of[target];
  }
  // A conditional branch whose other way does not lie behind it.
  if (instr.guard != kNone && last_stretch_ && block_->next.size() == 2 && block_->next[0] != number_ + 1) {
    Machine& other = emit("BRA", {}, {});
    other.guard = {};
    other.ordered = true;
    other.target = block_->next[0];
    other.lanes = Machine::Lanes::kOthers;
  }
}

}  // namespace heddle::ptx::lower
