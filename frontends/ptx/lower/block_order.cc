#include "frontends/ptx/lower/block_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "frontends/ptx/execute/moves.h"
#include "frontends/ptx/lower/flow.h"
#include "frontends/ptx/lower/joined.h"
#include "sim/base/error.h"
#include "sim/exec/slots.h"

namespace heddle::ptx::lower {
namespace {

using exec::Kind;

// What stands for all of a thread's local memory, and for a word of the frame.
constexpr exec::Slot kLocalMemory = exec::slot(exec::Bank::kWarp, exec::kSlotIndex);
constexpr uint32_t kWord = 4;
exec::Slot local_word(int64_t at) {
  return exec::slot(exec::Bank::kWarp, exec::kSlotIndex / 2 + static_cast<uint32_t>(at / kWord));
}

void nothing_fn(const exec::Arguments&, uint32_t) {}

bool is_local(const exec::Code& code, const exec::Inst& in) {
  return in.kind == Kind::kMemory && code.memory[in.target].space == exec::Space::kLocal;
}

bool in_parameters(const Op& op) {
  return op.space == Space::kParam || op.space == Space::kParamFunc || op.space == Space::kParamEntry;
}

bool is_constant(const exec::Code& code, const exec::Inst& in) {
  if (in.kind != Kind::kMemory) {
    return false;
  }
  const exec::MemoryOp& op = code.memory[in.target];
  return op.kind == exec::MemoryOp::Kind::kLoad &&
         (op.space == exec::Space::kConst || op.space == exec::Space::kParam);
}

bool leads_on(Kind k) {
  return k == Kind::kBranch || k == Kind::kBranchIndex || k == Kind::kReturn || k == Kind::kTrap ||
         k == Kind::kCall;
}

executed::TileLanes lanes_of(const Tiles& t) {
  executed::TileLanes out;
  for (uint32_t lane = 0; lane < out.row.size(); ++lane) {
    const bool rows = t.kind == Tiles::Kind::kRows;
    const size_t tile = rows ? lane / 8 : 0;
    uint32_t row = t.row[tile], col = t.col[tile];
    if (rows) {
      row += lane % 8;
    } else {
      const uint32_t eighth = lane / 4, pair = lane % 4 * t.per;
      row += t.kind == Tiles::Kind::kPairs ? eighth : pair;
      col += t.kind == Tiles::Kind::kPairs ? pair : eighth;
    }
    out.row[lane] = row;
    out.bytes[lane] = col * t.bytes;
  }
  return out;
}

bool meets(const std::vector<exec::Slot>& a, const std::vector<exec::Slot>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](exec::Slot s) { return std::find(b.begin(), b.end(), s) != b.end(); });
}

}  // namespace

OrderedPart::OrderedPart(const Module& module, const Part& part, const Asked& asked, const Translation& from,
                         Issued& to, uint32_t none)
    : module_(module),
      part_(part),
      code_(part.code),
      f_(part.source.function),
      from_(from),
      to_(to),
      none_(none),
      registers_(from.code.functions[part.function].registers) {
  const exec::FunctionInfo& info = from.code.functions[part.function];
  records_.resize(asked.origin.size() + 1);
  for (uint32_t pc = info.end; pc-- > info.first;) {
    records_[from.origins[pc]] = pc;
  }
  own_at_.resize(f_.instrs.size());
  for (uint32_t i = 0; i < asked.origin.size(); ++i) {
    if (asked.origin[i] != kNone) {
      own_at_[asked.origin[i]] = i;
    }
  }
  for (uint32_t i = 0; i < own_at_.size(); ++i) {
    asked_at_.push_back(i == 0 ? 0 : own_at_[i - 1] + 1);
  }
  own_at_.push_back(static_cast<uint32_t>(asked.origin.size()));
  asked_at_.push_back(own_at_.back());
}

uint32_t OrderedPart::record_of(uint32_t instr) const { return records_[asked_at_[instr]]; }

uint32_t OrderedPart::first_record(uint32_t block) const {
  return record_of(code_.blocks[block].stretches.front().first);
}

void OrderedPart::run() {
  for (uint32_t b = 0; b < code_.blocks.size(); ++b) {
    block(b);
  }
}

OrderedPart::Unit* OrderedPart::unit_of(uint32_t instr) {
  const auto found = unit_at_.find(instr);
  return found == unit_at_.end() ? nullptr : &units_[found->second];
}

void OrderedPart::block(uint32_t b) {
  starts_.push_back(static_cast<uint32_t>(to_.code.insts.size()));
  b_ = &code_.blocks[b];
  const uint32_t first = b_->stretches.front().first;
  origin_ = none_;
  for (uint32_t pc = record_of(first); pc < records_[own_at_[first]]; ++pc) {
    exec::Inst in = from_.code.insts[pc];
    in.counted = false;
    add(in, from_.code.lines[pc]);
  }
  collect(b);
  find_places();
  find_order();
  for (uint32_t k = 0; k < b_->code.size(); ++k) {
    machine(k);
  }
  leave(b);
}

void OrderedPart::collect(uint32_t) {
  units_.clear();
  unit_at_.clear();
  words_.clear();
  parameters_.clear();
  for (const Stretch& s : b_->stretches) {
    const exec::Slot guard = s.guard == kNone ? exec::kNoSlot : condition(s);
    for (uint32_t i = s.first; i < s.end; ++i) {
      add_unit(s, i, &s == &b_->stretches.back() && i + 1 == s.end, guard);
    }
  }
}

exec::Slot OrderedPart::condition(const Stretch& s) {
  const exec::Slot guard = from_.registers[part_.function][s.guard];
  bool changes = false;
  for (uint32_t pc = records_[own_at_[s.first]]; pc < records_[own_at_[s.end - 1] + 1]; ++pc) {
    const exec::Slots x = exec::slots_of(from_.code, from_.code.insts[pc]);
    changes = changes || std::find(x.written.begin(), x.written.end(), guard) != x.written.end();
  }
  if (!changes) {
    return guard;
  }
  Unit copy;
  copy.instr = kNone;
  copy.copied = guard;
  copy.free = true;
  copy.first = copy.end = records_[own_at_[s.first]];
  copy.read = {guard};
  copy.written = {exec::slot(exec::Bank::kFrame, registers_++)};
  units_.push_back(copy);
  return copy.written[0];
}

void OrderedPart::add_unit(const Stretch& s, uint32_t instr, bool last, exec::Slot guard) {
  const Instr& in = f_.instrs[instr];
  const std::vector<exec::Slot>& slots = from_.registers[part_.function];
  Unit u;
  u.instr = instr;
  u.first = records_[own_at_[instr]];
  u.end = records_[own_at_[instr] + 1];
  if (in.guard != kNone) {
    u.guard = slots[in.guard];
    u.negated = in.guard_negated;
  }
  if (s.guard != kNone) {
    if (in.guard != kNone) {
      throw NotOrdered(fmt::format("{}: two conditions", from_.code.place(u.first)));
    }
    u.guard = guard;
    u.negated = s.guard_negated;
  }
  const Op& op = module_.ops[in.op];
  if (op.opcode == Opcode::kBra) {
    u.exits = ends_thread(module_, f_, static_cast<uint32_t>(f_.operands_of(in)[0].value));
    // Others are left out, or all go there when the block is done.
    u.done = !u.exits && (!last || s.guard != kNone || in.guard == kNone);
  }
  u.free = !u.done && !u.exits;
  for (uint32_t pc = u.first; pc < u.end && !u.done; ++pc) {
    exec::Inst record = from_.code.insts[pc];
    record.guard = u.guard;
    exec::Slots x = exec::slots_of(from_.code, record);
    u.read.insert(u.read.end(), x.read.begin(), x.read.end());
    u.written.insert(u.written.end(), x.written.begin(), x.written.end());
    const bool local = is_local(from_.code, record), constant = is_constant(from_.code, record);
    if (local || record.kind == Kind::kCall) {
      find_local(record, in_parameters(op), u);
    }
    u.free = u.free && (record.kind == Kind::kCompute || record.kind == Kind::kLocalAddress ||
                        record.kind == Kind::kAlloca || local || constant);
  }
  if (op.has(Flag::kCc) || op.opcode == Opcode::kAddc || op.opcode == Opcode::kSubc ||
      op.opcode == Opcode::kMadc) {
    u.read.push_back(exec::kCarrySlot);
    u.written.push_back(exec::kCarrySlot);
  }
  if (u.guard != exec::kNoSlot) {  // what it held may be left
    u.read.insert(u.read.end(), u.written.begin(), u.written.end());
  }
  unit_at_[instr] = static_cast<uint32_t>(units_.size());
  units_.push_back(std::move(u));
}

// Which words of local memory it reads or writes: those of the frame that it names, or any; of those in which
// calls pass values, which nobody else reaches, calls any.
void OrderedPart::find_local(const exec::Inst& record, bool parameter, Unit& u) {
  const exec::MemoryOp* const op = record.kind == Kind::kMemory ? &from_.code.memory[record.target] : nullptr;
  const bool writes = op == nullptr || op->kind != exec::MemoryOp::Kind::kLoad;
  if (op == nullptr || !op->in_frame || record.s[0] != exec::kNoSlot) {
    u.anywhere = true;
    u.any_parameter = op == nullptr || parameter;
    u.writes_anywhere = writes;
    return;
  }
  const int64_t end = record.offset + int64_t{op->bytes} * op->elements;
  for (int64_t at = record.offset / kWord * kWord; at < end; at += kWord) {
    (parameter ? parameters_ : words_).push_back(local_word(at));
    (writes ? u.written : u.read).push_back(local_word(at));
  }
}

// At which instruction of the machine each is done.
void OrderedPart::find_places() {
  std::vector<int> best(units_.size(), 0);
  const auto consider = [&](uint32_t instr, uint32_t k) {
    const auto found = unit_at_.find(instr);
    if (found == unit_at_.end() || units_[found->second].done) {
      return;
    }
    Unit& u = units_[found->second];
    const Machine& m = b_->code[k];
    const Kind kind = u.exits ? Kind::kExit : from_.code.insts[u.end - 1].kind;
    const bool fits = u.exits                 ? m.op == isa::OpClass::kExit
                      : kind == Kind::kBranch ? m.target != kNone
                      : kind == Kind::kCall   ? m.op == isa::OpClass::kCall || m.callee != kNone
                                              : m.loads || m.stores;
    // An access before what orders others before any; of the first two the first, else the last.
    const int worth = u.free && !is_local(from_.code, from_.code.insts[u.end - 1]) ? 1
                      : fits                                                       ? 3
                      : m.ordered                                                  ? 2
                                                                                   : 1;
    if (worth > best[found->second] || worth == 1) {
      best[found->second] = std::max(best[found->second], worth);
      if (worth == best[found->second]) {
        u.at = k;
      }
    }
  };
  for (uint32_t k = 0; k < b_->code.size(); ++k) {
    const Machine& m = b_->code[k];
    if (m.lanes == Machine::Lanes::kOrigin || m.lanes == Machine::Lanes::kFirst) {
      consider(m.origin, k);
    }
    for (const uint32_t i : m.also) {
      consider(i, k);
    }
  }
  for (Unit& u : units_) {
    if (u.copied != exec::kNoSlot) {
      continue;
    }
    // Of local memory that lies in registers: done where it is needed.
    u.free = u.free && (u.at == kNone || !is_local(from_.code, from_.code.insts[u.end - 1]) ||
                        !(b_->code[u.at].loads || b_->code[u.at].stores));
  }
}

void OrderedPart::find_order() {
  std::map<exec::Slot, uint32_t> writer;
  std::map<exec::Slot, std::vector<uint32_t>> readers;
  words_.push_back(kLocalMemory);
  for (std::vector<exec::Slot>* list : {&words_, &parameters_}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  for (Unit& u : units_) {
    for (const std::vector<exec::Slot>* list : {&words_, &parameters_}) {
      const bool reaches = list == &words_ ? u.anywhere : u.any_parameter;
      if (reaches) {
        u.read.insert(u.read.end(), list->begin(), list->end());
      }
      if (reaches && u.writes_anywhere) {
        u.written.insert(u.written.end(), list->begin(), list->end());
      }
    }
  }
  for (uint32_t i = 0; i < units_.size(); ++i) {
    Unit& u = units_[i];
    const auto behind = [&](uint32_t other) {
      if (other != i) {
        u.before.push_back(other);
      }
    };
    for (const exec::Slot s : u.read) {
      if (const auto w = writer.find(s); w != writer.end()) {
        behind(w->second);
      }
    }
    for (const exec::Slot s : u.written) {
      if (const auto w = writer.find(s); w != writer.end()) {
        behind(w->second);
      }
      for (const uint32_t r : readers[s]) {
        behind(r);
      }
    }
    for (const exec::Slot s : u.read) {
      readers[s].push_back(i);
    }
    for (const exec::Slot s : u.written) {
      writer[s] = i;
      readers[s].clear();
    }
    std::sort(u.before.begin(), u.before.end());
    u.before.erase(std::unique(u.before.begin(), u.before.end()), u.before.end());
  }
}

// What its condition needs.
void OrderedPart::before_head(const Unit& u) {
  for (const uint32_t y : u.before) {
    const Unit& other = units_[y];
    if (!other.done && other.free &&
        std::find(other.written.begin(), other.written.end(), u.guard) != other.written.end()) {
      visit(y);
    }
  }
}

// False: what it needs has not issued, so it is done later.
bool OrderedPart::visit(uint32_t unit) {
  for (const uint32_t y : units_[unit].before) {
    Unit& other = units_[y];
    if (other.done || (other.free && visit(y))) {
      continue;
    }
    if (other.free || meets(other.written, units_[unit].read) || meets(other.written, units_[unit].written)) {
      units_[unit].at = kNone;
      return false;
    }
  }
  keep_for_readers(unit);
  put(unit, false);
  return true;
}

// All that has no instruction of its own and that it needs. False: some of that has not issued.
bool OrderedPart::visit_needed(uint32_t unit) {
  bool all = true;
  for (const uint32_t y : units_[unit].before) {
    const Unit& other = units_[y];
    if (!other.done) {
      all = (other.free ? visit(y) : !meets(other.written, units_[unit].read)) && all;
    }
  }
  return all;
}

// Those that issue later and are to read what the registers hold now.
void OrderedPart::keep_for_readers(uint32_t unit) {
  for (const uint32_t y : units_[unit].before) {
    Unit& other = units_[y];
    if (other.done) {
      continue;
    }
    for (const exec::Slot s : units_[unit].written) {
      if (std::find(other.read.begin(), other.read.end(), s) == other.read.end() ||
          other.instead.contains(s)) {
        continue;
      }
      if (s >> 30 != static_cast<uint32_t>(exec::Bank::kFrame)) {
        throw NotOrdered(fmt::format("{} is to be done before {} issues",
                                     from_.code.place(units_[unit].first), from_.code.place(other.first)));
      }
      other.instead[s] = exec::slot(exec::Bank::kFrame, registers_++);
      add_copy(other.instead[s], s, from_.code.lines[other.first]);
    }
  }
}

// Of an atomic that brings nothing back.
bool OrderedPart::nobody_reads(const Unit& u) const {
  const Opcode o = module_.ops[f_.instrs[u.instr].op].opcode;
  if (o != Opcode::kAtom || u.at == kNone) {
    return false;
  }
  const std::vector<Field>& d = b_->code[u.at].d;
  return std::none_of(d.begin(), d.end(), [](const Field& f) { return f.kind == Field::Kind::kValue; });
}

// An addition to one word that one lane asks for, and, where it is wanted, what each lane has of the answer.
void OrderedPart::put_joined(Unit& u) {
  const auto another = [&] { return exec::slot(exec::Bank::kFrame, registers_++); };
  const uint32_t line = from_.code.lines[u.first];
  exec::Inst in;
  in.counted = false;
  if (u.joined.members != exec::kNoSlot) {  // it has come
    in.fn = from_first_lane_fn;
    in.guard = u.joined.members;
    in.d[0] = u.joined.result;
    in.s[0] = u.joined.base;
    in.s[1] = u.joined.before;
    add(in, line);
    u.done = true;
    return;
  }
  const exec::Slot sum = another(), first = another();
  u.joined = {another(), another(), exec::kNoSlot, exec::kNoSlot};
  for (uint32_t pc = u.first; pc + 1 < u.end; ++pc) {
    exec::Inst part = from_.code.insts[pc];
    part.counted = false;
    add(part, line);
  }
  exec::Inst access = from_.code.insts[u.end - 1];
  exec::change_slots(to_.code, access, [&](exec::Slot s, bool) {
    const auto found = u.instead.find(s);
    return found == u.instead.end() ? s : found->second;
  });
  exec::MemoryOp& op = to_.code.memory[access.target];
  in.fn = sum_of_lanes_fn;
  in.guard = u.guard;
  in.guard_negated = u.negated;
  in.d[0] = sum;
  in.d[1] = u.joined.before;
  in.s[0] = op.operands[0];
  add(in, line);
  exec::Inst who;
  who.counted = false;
  who.fn = first_of_lanes_fn;
  who.offset = u.negated ? 1 : 0;
  who.d[0] = u.joined.members;
  who.d[1] = first;
  who.s[0] = u.guard;
  add(who, line);
  op.operands[0] = sum;
  access.guard = first;
  access.guard_negated = false;
  access.counted = false;
  const std::vector<Field>& d = b_->code[u.at].d;
  const bool wanted =
      std::any_of(d.begin(), d.end(), [](const Field& f) { return f.kind == Field::Kind::kValue; });
  if (wanted) {
    u.joined.result = op.values[0];
    op.values[0] = u.joined.base = another();
    for (uint32_t k = u.at + 1; k < b_->code.size(); ++k) {
      u.at = b_->code[k].origin == u.instr ? k : u.at;
    }
  } else {
    op.values[0] = exec::kNoSlot;
    u.done = true;
  }
  add(access, line);
}

void OrderedPart::put(uint32_t unit, bool counts) {
  Unit& u = units_[unit];
  if (u.copied != exec::kNoSlot) {
    add_copy(u.written[0], u.copied, from_.code.lines[u.first]);
    u.done = true;
    return;
  }
  if (u.joined.members != exec::kNoSlot ||
      (u.at != kNone && b_->code[u.at].lanes == Machine::Lanes::kFirst)) {
    put_joined(u);
    return;
  }
  u.done = true;
  for (uint32_t pc = u.first; pc < u.end; ++pc) {
    exec::Inst in = from_.code.insts[pc];
    in.guard = u.guard;
    in.guard_negated = u.negated;
    in.counted = counts && in.counted;
    if (u.exits) {
      in.kind = Kind::kExit;
    }
    if (in.kind == Kind::kMemory && nobody_reads(u)) {
      exec::MemoryOp& op = to_.code.memory[in.target];
      std::fill(std::begin(op.values), std::end(op.values), exec::kNoSlot);
    }
    const bool tells = in.counted;
    if (!u.instead.empty()) {
      exec::change_slots(to_.code, in, [&](exec::Slot s, bool written) {
        const auto found = written ? u.instead.end() : u.instead.find(s);
        return found == u.instead.end() ? s : found->second;
      });
    }
    add(in, from_.code.lines[pc]);
    if (tells) {
      tell(u.at, &u);
    }
  }
}

void OrderedPart::add(const exec::Inst& in, uint32_t line) {
  to_.code.insts.push_back(in);
  to_.code.lines.push_back(line);
  to_.origins.push_back(origin_);
}

void OrderedPart::add_copy(exec::Slot to, exec::Slot from, uint32_t line) {
  exec::Inst copy;
  copy.fn = copy_fn;
  copy.d[0] = to;
  copy.s[0] = from;
  copy.counted = false;
  add(copy, line);
}

void OrderedPart::add_head(uint32_t k, const Unit* of) {
  const Machine& m = b_->code[k];
  exec::Inst head;
  head.fn = nothing_fn;
  if (of != nullptr && m.lanes != Machine::Lanes::kAll && of->guard != exec::kNoSlot) {
    const auto kept = of->instead.find(of->guard);
    head.guard = kept == of->instead.end() ? of->guard : kept->second;
    head.guard_negated = of->negated != (m.lanes == Machine::Lanes::kOthers);
  }
  add(head, of == nullptr ? 0 : from_.code.lines[of->first]);
  tell(k, of);
}

// Of the record that was put last.
void OrderedPart::tell(uint32_t k, const Unit* of) {
  using Places = executed::Telling::Places;
  const Machine& m = b_->code[k];
  executed::Telling t;
  t.first_lane = m.lanes == Machine::Lanes::kFirst;
  t.stack_step = m.stack_step;
  const bool refers = m.loads || m.stores || m.address || m.tiles;
  if (m.stack != Machine::Stack::kNone && m.address) {
    t.places = Places::kStack;
    t.stack_offset = m.address->offset;
  } else if (of != nullptr && refers && (of->at != k || m.tiles)) {
    t.places = m.tiles ? Places::kMatrix : Places::kKept;
    t.kept = of->kept;
    if (m.tiles) {
      t.tile = static_cast<uint32_t>(to_.tellings.tiles.size());
      to_.tellings.tiles.push_back(lanes_of(*m.tiles));
    }
  } else if (of != nullptr) {
    t.kept = of->kept;
  }
  to_.tellings.of.resize(to_.code.insts.size());
  to_.tellings.of.back() = t;
}

void OrderedPart::machine(uint32_t k) {
  const Machine& m = b_->code[k];
  if (m.lanes == Machine::Lanes::kNone) {
    return;
  }
  Unit* const of = unit_of(m.origin);
  std::vector<uint32_t> here;
  for (uint32_t i = 0; i < units_.size(); ++i) {
    if (units_[i].at == k && !units_[i].done) {
      here.push_back(i);
    }
  }
  const bool ends = std::any_of(here.begin(), here.end(), [&](uint32_t i) {
    return units_[i].exits ? units_[i].guard == exec::kNoSlot
                           : leads_on(from_.code.insts[units_[i].end - 1].kind);
  });
  if (ends) {
    origin_ = none_;
    for (uint32_t i = 0; i < units_.size(); ++i) {
      if (!units_[i].done && units_[i].free) {
        visit(i);
      }
    }
  }
  origin_ = b_->first + k;
  if (of != nullptr && of->guard != exec::kNoSlot && m.lanes != Machine::Lanes::kAll) {
    before_head(*of);
  }
  for (const uint32_t i : here) {
    if (units_[i].done) {
      continue;
    }
    if (visit_needed(i)) {
      keep_for_readers(i);
    } else if (units_[i].free) {
      units_[i].at = kNone;
    } else {
      throw NotOrdered(fmt::format("{} issues before what it needs", from_.code.place(units_[i].first)));
    }
  }
  std::erase_if(here, [&](uint32_t i) { return units_[i].done || units_[i].at != k; });
  if (of != nullptr && of->kept == executed::kNothing && of->at == k) {
    const auto others = std::count_if(b_->code.begin(), b_->code.end(), [&](const Machine& x) {
      return x.origin == m.origin && (x.loads || x.stores || x.tiles);
    });
    of->kept = others > 1 || m.tiles ? to_.tellings.kept++ : executed::kNothing;
  }
  const bool alone = here.size() == 1 && of == &units_[here[0]] && m.lanes == Machine::Lanes::kOrigin &&
                     of->joined.members == exec::kNoSlot;
  if (!alone) {
    add_head(k, of);
  }
  for (const uint32_t i : here) {
    put(i, alone);
  }
}

void OrderedPart::jump(uint32_t to) {
  exec::Inst in;
  in.kind = Kind::kBranch;
  in.target = to;
  in.counted = false;
  add(in, 0);
}

void OrderedPart::leave(uint32_t b) {
  origin_ = none_;
  for (uint32_t i = 0; i < units_.size(); ++i) {
    const Unit& u = units_[i];
    if (!u.done && (u.free || u.written.empty())) {  // else nobody wants what it would load
      visit(i);
    }
  }
  const uint32_t last = b_->stretches.back().end - 1;
  const Instr& in = f_.instrs[last];
  const Opcode o = module_.ops[in.op].opcode;
  const bool plain = b_->stretches.back().guard == kNone && in.guard == kNone;
  if (plain && (o == Opcode::kBrxIdx || is_exit(module_, f_, last) || o == Opcode::kTrap)) {
    return;
  }
  const auto n = static_cast<uint32_t>(f_.instrs.size());
  const uint32_t end = from_.code.functions[part_.function].end - 1;
  uint32_t to = b_->next.empty() ? end : first_record(b_->next[0]);
  for (const Unrolled::Loop& l : part_.source.loops) {
    if (l.several == b_->stretches.front().first) {
      to = l.end == n ? end : record_of(l.end);
    }
  }
  if (plain && o == Opcode::kBra) {
    const auto target = static_cast<uint32_t>(f_.operands_of(in)[0].value);
    if (ends_thread(module_, f_, target)) {
      return;
    }
    to = target >= n ? end : record_of(target);
  }
  const uint32_t behind = b + 1 < code_.blocks.size() ? first_record(b + 1) : end;
  if (to != behind) {
    jump(to);
  }
}

}  // namespace heddle::ptx::lower
