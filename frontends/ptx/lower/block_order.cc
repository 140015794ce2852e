#include "frontends/ptx/lower/block_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/ptx/execute/moves.h"
#include "frontends/ptx/lower/flow.h"
#include "frontends/ptx/lower/joined.h"
#include "sim/base/error.h"
#include "sim/exec/slots.h"

namespace heddle::ptx::lower {
namespace {

using exec::Kind;

void nothing_fn(const exec::Arguments&, uint32_t) {}

bool leads_on(Kind k) {
  return k == Kind::kBranch || k == Kind::kBranchIndex || k == Kind::kReturn || k == Kind::kTrap ||
         k == Kind::kCall;
}

bool meets(const std::vector<exec::Slot>& a, const std::vector<exec::Slot>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](exec::Slot s) { return std::find(b.begin(), b.end(), s) != b.end(); });
}

}  // namespace

OrderedPart::OrderedPart(const Module& module, const Part& part, const Asked& asked, const Translation& from,
                         Issued& to, const isa::KernelImage& image)
    : module_(module),
      part_(part),
      code_(part.code),
      f_(part.source.function),
      from_(from),
      to_(to),
      image_(image),
      none_(static_cast<uint32_t>(image.code.size())),
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
  collect();
  find_places();
  find_order();
  for (uint32_t k = 0; k < b_->code.size(); ++k) {
    machine(k);
  }
  leave(b);
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

// Whether its instruction brings a value back.
bool OrderedPart::brings_back(const Unit& u) const {
  const std::vector<Field>& d = b_->code[u.at].d;
  return std::any_of(d.begin(), d.end(), [](const Field& f) { return f.kind == Field::Kind::kValue; });
}

// With its condition, and reading where what it reads lies by now. It does not count.
exec::Inst OrderedPart::record(const Unit& u, uint32_t pc) {
  exec::Inst in = from_.code.insts[pc];
  in.guard = u.guard;
  in.guard_negated = u.negated;
  in.counted = false;
  if (!u.instead.empty()) {
    exec::change_slots(to_.code, in, [&](exec::Slot s, bool written) {
      const auto found = written ? u.instead.end() : u.instead.find(s);
      return found == u.instead.end() ? s : found->second;
    });
  }
  return in;
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
    add(record(u, pc), line);
  }
  exec::Inst access = record(u, u.end - 1);
  exec::MemoryOp& op = to_.code.memory[access.target];
  in.fn = sum_of_lanes_fn;
  in.guard = access.guard;
  in.guard_negated = access.guard_negated;
  in.d[0] = sum;
  in.d[1] = u.joined.before;
  in.s[0] = op.operands[0];
  add(in, line);
  exec::Inst who;
  who.counted = false;
  who.fn = first_of_lanes_fn;
  who.offset = access.guard_negated ? 1 : 0;
  who.d[0] = u.joined.members;
  who.d[1] = first;
  who.s[0] = access.guard;
  add(who, line);
  op.operands[0] = sum;
  access.guard = first;
  access.guard_negated = false;
  if (brings_back(u)) {
    u.joined.result = op.values[0];
    op.values[0] = u.joined.base = another();
    for (uint32_t k = u.at + 1; k < b_->code.size(); ++k) {
      u.at = b_->code[k].origin == u.instr ? k : u.at;
    }
    here_[u.at].push_back(static_cast<uint32_t>(&u - units_.data()));
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
  const bool atom = module_.ops[f_.instrs[u.instr].op].opcode == Opcode::kAtom;
  for (uint32_t pc = u.first; pc < u.end; ++pc) {
    exec::Inst in = record(u, pc);
    in.counted = counts && from_.code.insts[pc].counted;
    if (u.exits) {
      in.kind = Kind::kExit;
    }
    if (atom && in.kind == Kind::kMemory && u.at != kNone && !brings_back(u)) {
      exec::MemoryOp& op = to_.code.memory[in.target];
      std::fill(std::begin(op.values), std::end(op.values), exec::kNoSlot);
    }
    add(in, from_.code.lines[pc]);
    if (in.counted) {
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
      to_.tellings.tiles.push_back(tile_lanes(*m.tiles));
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
  std::vector<uint32_t> here = here_[k];
  std::erase_if(here, [&](uint32_t i) { return units_[i].done || units_[i].at != k; });
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
    of->kept = of->accesses > 1 || m.tiles ? to_.tellings.kept++ : executed::kNothing;
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
