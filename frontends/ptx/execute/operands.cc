// Operands: registers, constants, special registers, addresses.
#include "frontends/ptx/execute/moves.h"
#include "frontends/ptx/execute/translator.h"
#include "sim/exec/layout.h"

namespace heddle::ptx {
namespace {

uint64_t mask_of(uint32_t bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

exec::Special by_element(exec::Special x, uint32_t element) {
  return element > 2 ? exec::Special::kZero
                     : static_cast<exec::Special>(static_cast<uint32_t>(x) + element);  // x, y, z in a row
}

// Of those that a warp knows when it starts: all but clocks.
exec::Special warp_special(Special s) {
  using exec::Special;
  switch (s.kind) {
    case SpecialKind::kTid:
      return by_element(Special::kTidX, s.element);
    case SpecialKind::kNtid:
      return by_element(Special::kNtidX, s.element);
    case SpecialKind::kCtaid:
      return by_element(Special::kCtaidX, s.element);
    case SpecialKind::kNctaid:
      return by_element(Special::kNctaidX, s.element);
    case SpecialKind::kClusterid:
      return by_element(Special::kClusteridX, s.element);
    case SpecialKind::kNclusterid:
      return by_element(Special::kNclusteridX, s.element);
    case SpecialKind::kClusterCtaid:
      return by_element(Special::kClusterCtaidX, s.element);
    case SpecialKind::kClusterNctaid:
      return by_element(Special::kClusterNctaidX, s.element);
    case SpecialKind::kClusterCtarank:
      return Special::kClusterCtarank;
    case SpecialKind::kClusterNctarank:
      return Special::kClusterNctarank;
    case SpecialKind::kIsExplicitCluster:
      return Special::kIsExplicitCluster;
    case SpecialKind::kLaneid:
      return Special::kLaneid;
    case SpecialKind::kWarpid:
      return Special::kWarpid;
    case SpecialKind::kNwarpid:
      return Special::kNwarpid;
    case SpecialKind::kSmid:
      return Special::kSmid;
    case SpecialKind::kNsmid:
      return Special::kNsmid;
    case SpecialKind::kGridid:
      return Special::kGridid;
    case SpecialKind::kLanemaskEq:
      return Special::kLanemaskEq;
    case SpecialKind::kLanemaskLe:
      return Special::kLanemaskLe;
    case SpecialKind::kLanemaskLt:
      return Special::kLanemaskLt;
    case SpecialKind::kLanemaskGe:
      return Special::kLanemaskGe;
    case SpecialKind::kLanemaskGt:
      return Special::kLanemaskGt;
    case SpecialKind::kTotalSmemSize:
      return Special::kTotalShared;
    case SpecialKind::kAggrSmemSize:
      return Special::kAggregateShared;
    case SpecialKind::kDynamicSmemSize:
      return Special::kDynamicShared;
    case SpecialKind::kReservedSmemOffsetEnd:
    case SpecialKind::kReservedSmemOffsetCap:
      return Special::kReserve;
    case SpecialKind::kEnvreg:
      return exec::environment(s.number);
    default:  // the driver's values
      return Special::kZero;
  }
}

}  // namespace

exec::Slot Translator::constant(uint64_t value) {
  const auto [it, fresh] = constants_.try_emplace(value, exec::kNoSlot);
  if (fresh) {
    it->second = exec::slot(exec::Bank::kConstants, static_cast<uint32_t>(out_.code.constants.size()));
    out_.code.constants.emplace_back().fill(value);
  }
  return it->second;
}

exec::Slot Translator::temporary() {
  return exec::slot(exec::Bank::kFrame, layouts_[id_].next + temporaries_++);
}

exec::Slot Translator::special_slot(exec::Special s) {
  std::vector<exec::Special>& all = out_.code.specials;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] == s) {
      return exec::slot(exec::Bank::kWarp, static_cast<uint32_t>(i) + exec::kFirstSpecial);
    }
  }
  all.push_back(s);
  return exec::slot(exec::Bank::kWarp, static_cast<uint32_t>(all.size() - 1) + exec::kFirstSpecial);
}

exec::Slot Translator::special(const Operand& o) {
  const Special s = Special::unpack(o.id);
  out_.code.system_shared |=
      s.kind == SpecialKind::kReservedSmemOffset0 || s.kind == SpecialKind::kReservedSmemOffset1;
  if (!is_clock(s.kind)) {
    return special_slot(warp_special(s));
  }
  const exec::Slot d = temporary();
  exec::Inst& in = emit(exec::Kind::kClock);
  in.d[0] = d;
  in.offset = bits(info(s.kind).type) == 32 ? 0xffffffff : -1;
  in.sub = s.kind == SpecialKind::kClockHi || s.kind == SpecialKind::kGlobaltimerHi ? 32 : 0;
  in.sub |= counts_cycles(s.kind) ? 0 : exec::kOfNs;
  return d;
}

bool Translator::in_frame(const Variable& v) const {
  const bool of_kernel = v.parameter != kNone && v.function != kNone && module_.functions[v.function].entry;
  return v.space == Space::kLocal || (v.space == Space::kParam && !of_kernel);
}

// Of a variable that is not in a frame.
uint64_t Translator::address_of(uint32_t variable, bool generic) {
  const Variable& v = module_.variables[variable];
  uint64_t at = v.space == Space::kShared  ? shared_[variable]
                : v.space == Space::kParam ? v.offset
                                           : placement_.address[variable];
  if (at == kNowhere) {
    missing("variable '" + std::string(v.name) + "' is of another module");
    return 0;
  }
  return generic || v.space == Space::kParam ? generic_address(v, at) : at;
}

// A variable's address in its space; of a kernel's parameter its generic one.
exec::Slot Translator::variable_address(const Operand& o) {
  const Variable& v = module_.variables[o.id];
  if (v.space == Space::kShared) {
    const exec::Slot d = temporary();
    compute(add_fn, d, special_slot(exec::Special::kSharedBase),
            constant(address_of(o.id, false) + static_cast<uint64_t>(o.value)));
    return d;
  }
  if (!in_frame(v)) {
    return constant(address_of(o.id, false) + static_cast<uint64_t>(o.value));
  }
  const exec::Slot d = temporary();
  exec::Inst& in = emit(exec::Kind::kLocalAddress);
  in.d[0] = d;
  in.offset = static_cast<int64_t>(local_[o.id]) + o.value;
  return d;
}

exec::Slot Translator::source(const Operand& o, uint32_t bits) {
  exec::Slot out = exec::kNoSlot;
  switch (o.kind) {
    case OperandKind::kRegister:
      out = layouts_[id_].registers[o.id];
      if (o.selected) {
        missing("bytes of a register");
      }
      break;
    case OperandKind::kImmediate:
      out = constant(static_cast<uint64_t>(o.value) & mask_of(bits));
      break;
    case OperandKind::kSpecial:
      out = special(o);
      break;
    case OperandKind::kVariable:
      out = variable_address(o);
      break;
    case OperandKind::kFunction:
      out = constant(function_address(o.id));
      break;
    case OperandKind::kNone:
    case OperandKind::kSink:
      return out;
    default:
      missing("an operand of this kind");
      return constant(0);
  }
  if (o.negated) {
    const exec::Slot d = temporary();
    compute(not_fn, d, out);
    out = d;
  }
  return out;
}

uint32_t Translator::bits_of(const Instr& instr, size_t place) const {
  const Op& op = module_.ops[instr.op];
  const Type type = type_of(op.form->operands[place], op);
  return type == Type::kNone ? 64 : bits(type);
}

exec::Slot Translator::source(const Instr& instr, size_t place) {
  return source(operand(instr, place), bits_of(instr, place));
}

exec::Slot Translator::destination(const Operand& o) {
  if (o.kind == OperandKind::kRegister) {
    if (o.selected) {
      missing("bytes of a register");
    }
    return layouts_[id_].registers[o.id];
  }
  if (o.kind != OperandKind::kNone && o.kind != OperandKind::kSink) {
    missing("an operand of this kind");
  }
  return exec::kNoSlot;
}

std::vector<Operand> Translator::elements(const Operand& o) const {
  if (o.kind != OperandKind::kVector) {
    return {o};
  }
  const auto all = f_->elements(o);
  return {all.begin(), all.end()};
}

}  // namespace heddle::ptx
