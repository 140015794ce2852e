// What is in a block: its PTX instructions, where each is done, and which are to be before which.
#include <fmt/format.h>

#include <algorithm>

#include "frontends/ptx/lower/block_order.h"
#include "frontends/ptx/lower/flow.h"
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

}  // namespace

void OrderedPart::collect() {
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
    const bool calls = kind == Kind::kCall || kind == Kind::kReturn;  // the stack's accesses are beside it
    const bool fits = u.exits                 ? m.op == isa::OpClass::kExit
                      : kind == Kind::kBranch ? m.target != kNone
                      : calls                 ? m.op == isa::OpClass::kCall || m.callee != kNone
                                              : m.loads || m.stores;
    // What has operands in memory, then another access, then what orders others: the first of them. Else the
    // last one.
    const bool registers = u.free && !is_local(from_.code, from_.code.insts[u.end - 1]);
    const bool refers = image_.code[b_->first + k].mem_refs > 0 && !u.exits && !calls;
    const int worth = registers ? 1 : refers ? 4 : fits ? 3 : m.ordered ? 2 : 1;
    if (int& b = best[found->second]; worth > b || (worth == 1 && b == 1)) {
      b = worth;
      u.at = k;
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
    if (Unit* const u = unit_of(m.origin); u != nullptr && (m.loads || m.stores || m.tiles)) {
      ++u->accesses;
    }
  }
  here_.assign(b_->code.size(), {});
  for (uint32_t i = 0; i < units_.size(); ++i) {
    Unit& u = units_[i];
    if (u.at != kNone) {
      here_[u.at].push_back(i);
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

}  // namespace heddle::ptx::lower
