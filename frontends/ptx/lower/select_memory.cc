// Loads, stores, atomics, copies that a lane starts.
#include <algorithm>

#include "frontends/ptx/form.h"
#include "frontends/ptx/lower/select.h"
#include "sim/exec/issue/recorded_registers.h"

namespace heddle::ptx::lower {
namespace {

// .64, .U16, ...: of all elements together.
sass::Suffix width(Type t, uint32_t elements) {
  const uint32_t all = bits(t) * elements;
  if (all >= 64) {
    return all == 64 ? ".64"_mod : ".128"_mod;
  }
  const bool sign = info(t).kind == TypeKind::kSigned;
  return all == 8 ? (sign ? ".S8"_mod : ".U8"_mod) : all == 16 ? (sign ? ".S16"_mod : ".U16"_mod) : ""_mod;
}

}  // namespace

sass::Mod reduction_name(const Op& o) {
  return o.combine == Combine::kAdd    ? Mod::kADD
         : o.combine == Combine::kMin  ? Mod::kMIN
         : o.combine == Combine::kMax  ? Mod::kMAX
         : o.combine == Combine::kAnd  ? Mod::kAND
         : o.combine == Combine::kOr   ? Mod::kOR
         : o.combine == Combine::kXor  ? Mod::kXOR
         : o.combine == Combine::kInc  ? Mod::kINC
         : o.combine == Combine::kDec  ? Mod::kDEC
         : o.combine == Combine::kExch ? Mod::kEXCH
                                       : Mod::kCAS;
}

bool Select::memory() {
  const Op& o = op();
  switch (o.opcode) {
    case Opcode::kLd:
    case Opcode::kLdu:
    case Opcode::kSt:
      if (o.space == Space::kParam || o.space == Space::kParamEntry || o.space == Space::kParamFunc) {
        parameter();
      } else {
        load_store();
      }
      return true;
    case Opcode::kAtom:
    case Opcode::kRed:
      atomic();
      return true;
    case Opcode::kPrefetch:
    case Opcode::kPrefetchu:
    case Opcode::kApplypriority:
    case Opcode::kDiscard:
    case Opcode::kGriddepcontrol:
      emit("NOP", {}, {});
      return true;
    default:
      return copies() || matrices() || tensor_memory() || asynchronous() || clusters() || textures();
  }
}

// The registers of a list, one behind the other.
Value Select::group(const Operand& o, bool writes) {
  if (o.kind != OperandKind::kVector) {
    return writes ? value(o.id) : vector(o);
  }
  return group(f_.elements(o), writes);
}

Value Select::group(std::span<const Operand> list, bool writes) {
  const uint32_t first = uses_.origin_register(list[0]);
  uint32_t words = 0;
  bool in_row = first != kNone;
  std::vector<Value> values;
  for (const Operand& e : list) {
    const uint32_t r = uses_.origin_register(e);
    const Value v = r == kNone ? Value{} : value(r);
    values.push_back(v);
    in_row = in_row && v.there() && v.reg == values[0].reg && v.part == values[0].part + words;
    words += v.there() ? v.count : 1;
  }
  if (in_row) {
    return part(values[0], 0, static_cast<uint8_t>(words));
  }
  const uint32_t room = words > 2 ? 4 : words;
  const Value all = temporary(static_cast<uint8_t>(std::max(room, words)));
  if (!writes) {
    uint32_t at = 0;
    for (size_t k = 0; k < list.size(); ++k) {
      const uint8_t n = values[k].there() ? values[k].count : 1;
      for (uint32_t w = 0; w < n; ++w) {
        emit("IMAD.MOV.U32", {part(all, at++)},
             {Field(), Field(), values[k].there() ? Field(part(values[k], w)) : field(list[k])});
      }
    }
  }
  return part(all, 0, static_cast<uint8_t>(words));
}

Address Select::address(const Operand& o) {
  Address a;
  a.offset = o.value;
  if (o.base == Base::kVariable) {
    const Variable& v = module_.variables[o.id];
    a.wide = v.space == Space::kGlobal;
    a.multiple = 16;
    a.offset += 0x400;
    return a;
  }
  if (o.base != Base::kRegister) {
    return a;
  }
  Operand base;
  base.kind = OperandKind::kRegister;
  base.id = o.id;
  for (uint32_t m = uses_.maker(base); uses_.is_offset(m) && uses_.absorbed(m); m = uses_.maker(base)) {
    a.offset += uses_.step(m);
    base = uses_.operands(m)[1];
  }
  a.wide = bits(f_.register_types[o.id]) == 64;
  a.multiple = multiple_of(base, 8);
  base = uses_.origin(base);
  if (base.kind == OperandKind::kVariable) {
    a.offset += 0x400;
  } else {
    a.base = field(base).value;
  }
  return a;
}

void Select::load_parameter() {
  const Operand& from = at(1);
  int64_t place =
      executed::kParameterBase + static_cast<int64_t>(module_.variables[from.id].offset) + from.value;
  for (const Operand& e : listed(at(0))) {
    if (e.kind == OperandKind::kRegister) {
      const Value to = value(e.id);
      const bool uniform = out_.registers[to.reg].file == File::kUniform;
      emit((uniform ? "ULDC"_op : "LDC"_op) + width(op().type(), 1), {to}, {constant(0, place)});
    }
    place += bits(op().type()) / 8;
  }
}

void Select::load_store() {
  const Op& o = op();
  const bool store = o.opcode == Opcode::kSt;
  const Operand& data = at(store ? 1 : 0);
  const uint32_t elements = data.kind == OperandKind::kVector ? static_cast<uint32_t>(data.value) : 1;
  const sass::Suffix size = width(o.type(), elements);
  const Address where = address(at(store ? 0 : 1));
  sass::Opcode opcode = store ? "ST.E"_op : "LD.E"_op;
  switch (o.space) {
    case Space::kGlobal:
      opcode = store ? "STG.E"_op : "LDG.E"_op;
      break;
    case Space::kShared:
    case Space::kSharedCluster:
      opcode = store ? "STS"_op : "LDS"_op;
      break;
    case Space::kLocal:
      opcode = store ? "STL"_op : "LDL"_op;
      break;
    case Space::kConst: {
      const bool uniform = !where.base.there() || out_.registers[where.base.reg].file == File::kUniform;
      const Value to = group(data, true);
      const bool into_uniform = out_.registers[to.reg].file == File::kUniform;
      Machine& m =
          emit((uniform && into_uniform ? "ULDC"_op : "LDC"_op) + size, {to}, {constant(3, where.offset)});
      if (where.base.there()) {
        m.s.emplace_back(where.base);
      }
      return;
    }
    default:
      break;
  }
  opcode.add(size);
  const bool strong = o.semantics == Semantics::kRelaxed || o.semantics == Semantics::kAcquire ||
                      o.semantics == Semantics::kRelease || o.semantics == Semantics::kVolatile;
  const bool global = o.space == Space::kGlobal || o.space == Space::kNone;
  if (o.has(Flag::kNc)) {
    opcode.add(".CONSTANT");
  } else if (global && !store && (o.cache == CacheOp::kCg || o.cache == CacheOp::kCv)) {
    opcode.add(o.cache == CacheOp::kCg ? ".STRONG.GPU"_mod : ".STRONG.SYS"_mod);  // past the L1
  } else if (strong && global) {
    opcode.add(o.scope == Scope::kCta                                          ? ".STRONG.SM"_mod
               : o.scope == Scope::kSys || o.semantics == Semantics::kVolatile ? ".STRONG.SYS"_mod
                                                                               : ".STRONG.GPU"_mod);
  }
  const Value v = group(data, !store);
  Machine& m = store ? emit(opcode, {}, {v}) : emit(opcode, {v}, {});
  m.address = where;
  m.loads = !store;
  m.stores = store;
  m.ordered = strong;
  // A cache policy that the kernel makes itself stands in the descriptor.
  const uint32_t policy = uses_.maker(at(2));
  const auto makes_policy = [](Opcode c) {
    return c == Opcode::kCreatepolicyFractional || c == Opcode::kCreatepolicyRange ||
           c == Opcode::kCreatepolicyCvt;
  };
  if (policy != kNone && makes_policy(uses_.op(policy).opcode)) {
    m.takes.push_back(value(uses_.origin_register(at(2))));
  }
  if (!store && data.kind == OperandKind::kVector) {
    spread(f_.elements(data), v);
  }
}

void Select::spread(std::span<const Operand> list, Value row) {
  uint32_t at = 0;
  for (const Operand& e : list) {
    const Value to = e.kind == OperandKind::kRegister ? value(e.id) : Value{};
    if (to.there() && to.reg != row.reg) {
      emit("MOV", {to}, {part(row, at)});
    }
    at += to.there() ? to.count : 1;
  }
}

void Select::atomic() {
  const Op& o = op();
  const bool reduction = o.opcode == Opcode::kRed;
  const bool shared = o.space == Space::kShared || o.space == Space::kSharedCluster;
  const bool wanted = !reduction && at(0).kind == OperandKind::kRegister && uses_.reads(at(0).id) != 0;
  const size_t first = reduction ? 0 : 1;
  const bool floating = info(o.type()).kind == TypeKind::kFloat || info(o.type()).kind == TypeKind::kPacked;
  const bool exchange = o.combine == Combine::kCas || o.combine == Combine::kExch;
  Mod what = reduction_name(o);
  sass::Suffix end = bits(o.type()) == 64 ? (floating ? ".F64.RN"_mod : ".64"_mod)
                     : floating           ? (o.type() == Type::kF32 ? ".F32.FTZ.RN"_mod : ".F16x2.RN"_mod)
                     : info(o.type()).kind == TypeKind::kSigned ? ".S32"_mod
                                                                : ""_mod;
  if (exchange || o.combine == Combine::kAdd) {
    end = floating && !exchange ? end : bits(o.type()) == 64 ? ".64"_mod : ""_mod;
  }
  const Address where = address(at(first));
  std::vector<Field> s{vector(at(first + 1))};
  if (o.combine == Combine::kCas) {
    s.emplace_back(vector(at(first + 2)));
  }
  const Field d = wanted ? Field(value(at(0).id)) : Field();
  if (shared) {
    if (floating) {  // by compare-and-swap
      const Value old = temporary(bits(o.type()) == 64 ? 2 : 1), sum = temporary(old.count);
      Machine& l = emit(old.count == 2 ? "LDS.64"_op : "LDS"_op, {old}, {});
      l.address = where;
      l.loads = l.ordered = true;
      emit(old.count == 2 ? "DADD"_op : "FADD"_op, {sum}, {old, s[0]});
      s = {Field(old), Field(sum)};
      what = Mod::kCAS;
      end = old.count == 2 ? ".64"_mod : ""_mod;
    }
    Machine& m = emit("ATOMS"_op + what + end, std::vector<Field>{d}, s);
    m.address = where;
    m.ordered = m.stores = true;
    return;
  }
  const sass::Suffix scope = o.scope == Scope::kSys ? ".STRONG.SYS"_mod : ".STRONG.GPU"_mod;
  const bool generic = o.space == Space::kNone;  // there is no RED of that
  const bool add_only = !wanted && !exchange && !generic;
  // One lane does it for all when they mean the same word.
  Value chosen;
  if (o.combine == Combine::kAdd && !floating && bits(o.type()) == 32 && uses_.same_for_lanes(at(first))) {
    const Value voted = temporary(1, File::kUniform), leader = temporary(1, File::kUniform),
                sum = temporary(1, File::kUniform);
    const Value lane = temporary(), all = temporary();
    chosen = predicate();
    emit("VOTEU.ANY", {voted}, {kUPT, kPT});
    emit("S2R", {lane}, {special_register(SpecialRegister::kLaneid)});
    emit("UFLO.U32", {leader}, {voted});
    emit("REDUX.SUM", {sum}, {s[0].value.there() ? s[0] : Field(lane)});
    emit("ISETP.EQ.U32.AND", {chosen, kPT}, {lane, leader, kPT});
    emit("MOV", {all}, {sum});
    s[0] = all;
  }
  Machine& m = add_only ? emit("REDG.E"_op + what + end + scope, std::vector<Field>{}, s)
                        : emit((generic ? "ATOM.E"_op : "ATOMG.E"_op) + what + end + scope,
                               std::vector<Field>{kPT, d}, s);
  m.address = where;
  m.ordered = m.stores = true;
  if (chosen.there()) {
    m.guard = chosen;
    m.guard_negated = false;
    m.lanes = Machine::Lanes::kFirst;
    if (wanted) {  // each lane has its own sum of those before it
      const Value lanes = temporary(), before = temporary(), base = temporary();
      emit("S2R", {lanes}, {special_register(SpecialRegister::kLtmask)});
      emit("POPC", {before}, {lanes});
      emit("SHFL.IDX", {kPT, base}, {d, immediate(0), 0x1f}).ordered = true;
      emit("IADD3", {d}, {base, before, Field()});
    }
  }
}

bool Select::copies() {
  const Op& o = op();
  switch (o.opcode) {
    case Opcode::kCpAsync: {
      const Operand size = uses_.origin(at(2));
      const sass::Suffix end = size.value == 16 ? ".128"_mod : size.value == 8 ? ".64"_mod : ""_mod;
      const Address to = address(at(0)), from = address(at(1));
      Machine& m = emit((o.cache == CacheOp::kCg ? "LDGSTS.E.BYPASS"_op : "LDGSTS.E"_op) + end, {}, {});
      m.copied_to = to;
      m.address = from;
      m.loads = m.stores = true;
      return true;
    }
    case Opcode::kCpAsyncCommitGroup:
      emit("LDGDEPBAR", {}, {}).ordered = true;
      return true;
    case Opcode::kCpAsyncWaitAll:
      emit("LDGDEPBAR", {}, {}).ordered = true;
      emit("DEPBAR.LE", {}, {kSB0, immediate(0)}).ordered = true;
      return true;
    case Opcode::kCpAsyncWaitGroup:
      emit("DEPBAR.LE", {}, {kSB0, immediate(at(0).value)}).ordered = true;
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::ptx::lower
