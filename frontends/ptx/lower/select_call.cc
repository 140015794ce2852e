// Calls and what functions are given and give back (convention.h). Arguments and results are in registers
// that have their numbers already; what PTX has as .param variables of a call are these.
#include <algorithm>

#include "frontends/ptx/lower/call_graph.h"
#include "frontends/ptx/lower/select.h"
#include "sim/exec/issue/recorded_registers.h"

namespace heddle::ptx::lower {
namespace {

constexpr uint32_t kWordBits = 32, kWordBytes = 4;
constexpr size_t kResults = 0, kTarget = 1, kArguments = 2;  // operands of a call

Shape shape_of_register(Type t) {
  const uint64_t bytes = std::max(kWordBytes, bits(t) / 8);
  return {bytes, bytes};
}

uint32_t words_of(Type t) { return std::max(1U, bits(t) / kWordBits); }

// Of a function's own parameters or results: the registers; variables are none.
std::vector<Operand> as_registers(const std::vector<Parameter>& own) {
  std::vector<Operand> out;
  for (const Parameter& p : own) {
    Operand& o = out.emplace_back();
    o.kind = p.is_register ? OperandKind::kRegister : OperandKind::kNone;
    o.id = p.id;
  }
  return out;
}

sass::Suffix width_of(Type t) {
  return bits(t) == 64 ? ".64"_mod : bits(t) == 16 ? ".U16"_mod : bits(t) == 8 ? ".U8"_mod : ""_mod;
}

}  // namespace

Value Select::convention(uint32_t word, uint32_t count) {
  if (!convention_.there()) {
    convention_ = temporary(kConventionWords);
    out_.registers[convention_.reg].number = kFirstArgument;
    out_.registers[convention_.reg].fixed = true;
  }
  return part(convention_, word, static_cast<uint8_t>(count));
}

Value Select::stack_pointer() {
  if (!stack_pointer_.there()) {
    stack_pointer_ = temporary();
    out_.registers[stack_pointer_.reg].number = 1;
    out_.registers[stack_pointer_.reg].fixed = true;
  }
  return stack_pointer_;
}

// Of a list of a call: variables and registers; of numbers what the function says, if it is known.
Places Select::places_of(const Operand& list, const std::vector<Parameter>* formal, bool standard) {
  std::vector<Shape> shapes;
  const auto elements = list.kind == OperandKind::kVector ? f_.elements(list) : std::span<const Operand>();
  for (size_t k = 0; k < elements.size(); ++k) {
    const Operand& o = elements[k];
    if (o.kind == OperandKind::kVariable) {
      const Variable& v = module_.variables[o.id];
      shapes.push_back({v.size, v.align});
    } else if (o.kind == OperandKind::kRegister) {
      shapes.push_back(shape_of_register(f_.register_types[o.id]));
    } else if (formal != nullptr && k < formal->size()) {
      shapes.push_back(shape_of_register((*formal)[k].type));
    } else {
      shapes.emplace_back();
    }
  }
  Places out = lay_out(shapes, standard);
  for (size_t k = 0; k < elements.size(); ++k) {
    if (elements[k].kind == OperandKind::kVariable) {
      places_[elements[k].id] = {out.each[k], Machine::Stack::kOwn};
    }
  }
  return out;
}

Places Select::places_of(const std::vector<Parameter>& own) {
  std::vector<Shape> shapes;
  shapes.reserve(own.size());
  for (const Parameter& p : own) {
    shapes.push_back(p.is_register ? shape_of_register(p.type) : Shape{p.size, p.align});
  }
  Places out = lay_out(shapes, out_.standard);
  for (size_t k = 0; k < own.size(); ++k) {
    if (!own[k].is_register) {
      places_[own[k].id] = {out.each[k], Machine::Stack::kCaller};
    }
  }
  return out;
}

void Select::find_calls() {
  if (!f_.entry) {
    parameters_of_ = places_of(f_.signature.parameters);
    returns_of_ = places_of(f_.signature.returns);
  }
  for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
    if (uses_.op(i).opcode != Opcode::kCall) {
      continue;
    }
    out_.calls = true;
    const auto x = uses_.operands(i);
    const Signature* s = x[kTarget].kind == OperandKind::kFunction
                             ? &module_.functions[resolved(module_, x[kTarget].id)].signature
                             : nullptr;
    Call& c = calls_[i];
    const auto known = callees_.find(s == nullptr ? kNone : resolved(module_, x[kTarget].id));
    c.standard = known == callees_.end() || known->second.standard;
    c.results = places_of(x[kResults], s == nullptr ? nullptr : &s->returns, c.standard);
    c.arguments = places_of(x[kArguments], s == nullptr ? nullptr : &s->parameters, c.standard);
    out_.outgoing_bytes = std::max({out_.outgoing_bytes, c.results.bytes, c.arguments.bytes});
  }
  if (!out_.calls && f_.entry) {
    return;
  }
  for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
    bind(i);
  }
}

// A value that is made for an argument or a result, or is one, has the register from the beginning.
void Select::bind(uint32_t i) {
  const Op& o = uses_.op(i);
  const bool store = o.opcode == Opcode::kSt;
  if ((o.opcode != Opcode::kLd && !store) || o.type_count == 0) {
    return;
  }
  const auto x = uses_.operands(i);
  const Operand& at = x[store ? 0 : 1];
  const Operand& data = x[store ? 1 : 0];
  const auto p =
      at.base == Base::kVariable && at.kind == OperandKind::kAddress ? places_.find(at.id) : places_.end();
  if (p == places_.end() || p->second.place.in_memory || at.value % kWordBytes != 0 ||
      data.kind != OperandKind::kRegister || bits(o.type()) < kWordBits) {
    return;
  }
  const uint32_t r = store ? uses_.origin_register(data) : data.id;
  if (r == kNone || values_[r].there() || uses_.uniform_register(r) || uses_.writer(r) == kNone ||
      words_of(f_.register_types[r]) != words_of(o.type()) || bits(f_.register_types[r]) < kWordBits) {
    return;
  }
  const auto same_block = [&](uint32_t k) { return out_.block_of[k] == out_.block_of[i]; };
  const bool own = p->second.stack == Machine::Stack::kCaller;
  bool fits = false;
  if (store) {
    fits = uses_.reads(r) == 1 && same_block(uses_.writer(r)) &&
           uses_.op(uses_.writer(r)).space != Space::kParam;
  } else if (own) {
    fits = !out_.calls;
  } else {
    fits = uses_.all_readers(r, same_block);
  }
  if (fits) {
    values_[r] =
        convention(p->second.place.word + static_cast<uint32_t>(at.value) / kWordBytes, words_of(o.type()));
  }
}

// Loads and stores of .param variables.
void Select::parameter() {
  const Op& o = op();
  const bool store = o.opcode == Opcode::kSt;
  const Operand& at_ = at(store ? 0 : 1);
  const Operand& data = at(store ? 1 : 0);
  if (at_.base == Base::kVariable && f_.entry && module_.variables[at_.id].parameter != kNone) {
    load_parameter();
    return;
  }
  if (at_.base != Base::kVariable) {
    through_address();
    return;
  }
  const auto p = places_.find(at_.id);
  if (p == places_.end()) {
    return;  // of a call that is not there
  }
  const auto elements = listed(data);
  const uint32_t bytes = bits(o.type()) / 8;
  int64_t byte = at_.value;
  for (const Operand& e : elements) {
    if (p->second.place.in_memory) {
      parameter_in_memory(p->second, e, byte);
    } else if (store) {
      give(p->second.place, e, byte, bytes);
    } else {
      take(p->second.place, e, byte, bytes);
    }
    byte += bytes;
  }
}

// The current load or store, of local memory.
Machine& Select::local_access(const Operand& e, Address where) {
  const bool store = op().opcode == Opcode::kSt;
  const sass::Suffix width = width_of(op().type());
  Machine& m = store ? emit("STL"_op + width, {}, {vector(e)}) : emit("LDL"_op + width, {value(e.id)}, {});
  m.address = where;
  m.loads = !store;
  m.stores = store;
  return m;
}

void Select::parameter_in_memory(const Known& p, const Operand& e, int64_t byte) {
  const Address where{stack_pointer(), static_cast<int64_t>(p.place.byte) + byte, false, kWordBytes};
  local_access(e, where).stack = p.stack;
}

void Select::give(const Place& p, const Operand& e, int64_t byte, uint32_t bytes) {
  const uint32_t word = p.word + static_cast<uint32_t>(byte) / kWordBytes;
  const Value from = e.kind == OperandKind::kRegister && uses_.origin_register(e) != kNone
                         ? value(uses_.origin_register(e))
                         : Value{};
  if (byte % kWordBytes != 0) {
    const Value to = convention(word, 1);
    emit("PRMT", {to}, {to, bytes == 2 ? 0x5410 : 0x7604, from.there() ? Field(low(from)) : field(e)});
    return;
  }
  for (uint32_t k = 0; k < std::max(1U, bytes / kWordBytes); ++k) {
    const Value to = convention(word + k, 1);
    if (from.there() && k < from.count && part(from, k) == to) {
      continue;  // it is there already
    }
    emit("IMAD.MOV.U32", {to}, {Field(), Field(), field(e, k == 1)});
    if (from.there()) {
      block_->code.back().s[2] = k < from.count ? Field(part(from, k)) : Field();
    }
  }
}

void Select::take(const Place& p, const Operand& e, int64_t byte, uint32_t bytes) {
  if (e.kind != OperandKind::kRegister) {
    return;
  }
  const uint32_t word = p.word + static_cast<uint32_t>(byte) / kWordBytes;
  const Value to = value(e.id);
  if (out_.registers[to.reg].fixed) {
    return;
  }
  if (bytes < kWordBytes) {
    const auto first = static_cast<uint32_t>(byte) % kWordBytes;
    emit("PRMT", {low(to)}, {convention(word, 1), immediate(0x7770 + first), Field()});
    return;
  }
  for (uint32_t k = 0; k < to.count && k < bytes / kWordBytes; ++k) {
    emit("IMAD.MOV.U32", {part(to, k)}, {Field(), Field(), convention(word + k, 1)});
  }
}

// A parameter whose address was taken: of a kernel in the constant bank, else in local memory.
void Select::through_address() {
  const bool store = op().opcode == Opcode::kSt;
  const Operand& data = at(store ? 1 : 0);
  const Address where = address(at(store ? 0 : 1));
  const auto elements = listed(data);
  for (size_t k = 0; k < elements.size(); ++k) {
    const auto byte = static_cast<int64_t>(k * (bits(op().type()) / 8));
    if (f_.entry) {
      Machine& m = emit("LDC"_op + width_of(op().type()), {value(elements[k].id)},
                        {constant(0, executed::kParameterBase + where.offset + byte)});
      if (where.base.there()) {
        m.s.emplace_back(low(where.base));
      }
      continue;
    }
    Address here = where;
    here.offset += byte;
    local_access(elements[k], here);
  }
}

std::vector<Value> Select::registers_of(const Places& p) {
  std::vector<Value> out;
  for (const Place& x : p.each) {
    if (!x.in_memory) {
      out.push_back(convention(x.word, x.words));
    }
  }
  return out;
}

// What is in registers in PTX already.
void Select::move_registers(const Places& p, std::span<const Operand> list, bool give_them) {
  for (size_t k = 0; k < list.size() && k < p.each.size(); ++k) {
    if (list[k].kind == OperandKind::kVariable || p.each[k].in_memory || list[k].kind == OperandKind::kNone ||
        list[k].kind == OperandKind::kSink) {
      continue;
    }
    if (give_them) {
      give(p.each[k], list[k], 0, p.each[k].words * kWordBytes);
    } else {
      take(p.each[k], list[k], 0, p.each[k].words * kWordBytes);
    }
  }
}

void Select::call(uint32_t i) {
  const Call& c = calls_.at(i);
  const Operand target = at(kTarget);
  const auto list = [&](size_t k) {
    return at(k).kind == OperandKind::kVector ? f_.elements(at(k)) : std::span<const Operand>();
  };
  move_registers(c.arguments, list(kArguments), true);
  const uint32_t id = target.kind == OperandKind::kFunction ? resolved(module_, target.id) : kNone;
  const auto known = callees_.find(id);
  const bool direct = id != kNone && module_.functions[id].defined;
  const Field back = Field::code(block_->next.empty() ? kNone : block_->next[0]);
  const Value address =
      c.standard ? convention(kAbiReturn, 2) : convention(return_word(c.arguments, c.results), 1);
  Field where;
  sass::Opcode opcode = "CALL.REL.NOINC";
  if (direct || id == kNone) {
    if (id == kNone) {  // a pointer is an index; where the function is, is in a bank of its own
      const Value pointer = vector(target), function = temporary(2);
      emit("LDC.64", {function}, {constant(2, 0x0), low(pointer)});
      where = function;
    }
    emit("MOV", {low(address)}, {back});
    if (c.standard) {
      emit("IMAD.MOV.U32", {high(address)}, {Field(), Field(), Field()});
    }
  } else {  // of the driver
    const Value at_ = temporary(), function = temporary(2);
    emit("MOV", {at_}, {0x8});
    emit("LDC.64", {function}, {constant(4, 0x0), at_});
    emit("LEPC", {address}, {back});
    where = function;
    opcode = "CALL.ABS.NOINC";
  }
  std::vector<Field> s;
  if (where.reads()) {
    s = {where};
    if (id == kNone) {
      s.emplace_back(immediate(0));
    }
  }
  Machine& m = emit(opcode, {}, s);
  m.callee = direct ? id : kNone;
  m.ordered = true;
  m.takes = registers_of(c.arguments);
  m.takes.push_back(address);
  m.gives = registers_of(c.results);
  m.clobbers = static_cast<uint32_t>(out_.clobbered.size());
  out_.clobbered.push_back(c.standard ? clobbered_by_abi() : known->second.clobbers);
  if (c.standard) {
    out_.calls_by_abi = true;
  }
  if (!block_->next.empty()) {
    call_before_[block_->next[0]] = i;
  }
}

// Behind a call, at the beginning of the next block: what is in registers in PTX.
void Select::results(uint32_t call) {
  const Operand& list = uses_.operands(call)[kResults];
  if (list.kind == OperandKind::kVector) {
    move_registers(calls_.at(call).results, f_.elements(list), false);
  }
}

void Select::enter() {
  if (!out_.standard && out_.calls) {
    return_ = temporary();
    emit("MOV", {return_}, {convention(return_word(parameters_of_, returns_of_), 1)});
  }
  move_registers(parameters_of_, as_registers(f_.signature.parameters), false);
}

void Select::leave() {
  move_registers(returns_of_, as_registers(f_.signature.returns), true);
  Value address = convention(kAbiReturn, 2);
  if (!out_.standard) {
    address = temporary(2);
    emit("MOV", {low(address)},
         {return_.there() ? return_ : convention(return_word(parameters_of_, returns_of_), 1)});
    emit("IMAD.MOV.U32", {high(address)}, {Field(), Field(), Field()});
  }
  Machine& m = emit("RET.REL.NODEC", {}, {address, immediate(0)});
  m.ordered = true;
  m.takes = registers_of(returns_of_);
}

}  // namespace heddle::ptx::lower
