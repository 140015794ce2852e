#include "frontends/ptx/lower/share_slots.h"

#include <algorithm>

#include "frontends/ptx/module.h"
#include "sim/exec/slots.h"

namespace heddle::ptx::lower {
namespace {

struct Life {
  uint32_t block = kNone, first = 0, last = 0;  // records
  bool shared = true;
};

bool brings_later(const exec::Code& code, const exec::Inst& in) {
  if (in.kind != exec::Kind::kMemory) {
    return false;
  }
  const exec::MemoryOp& op = code.memory[in.target];
  return op.kind != exec::MemoryOp::Kind::kStore &&
         (op.space == exec::Space::kGlobal || op.space == exec::Space::kGeneric);
}

}  // namespace

void share_slots(exec::Code& code, exec::FunctionInfo& f, const std::vector<uint32_t>& starts,
                 std::vector<bool> fixed) {
  const uint32_t registers = f.registers;
  fixed.resize(registers);
  const auto each_place = [&](auto visit) {
    for (std::vector<exec::ValuePlace>* list : {&f.parameters, &f.returns}) {
      for (exec::ValuePlace& p : *list) {
        if (p.in_register && p.slot != exec::kNoSlot) {
          visit(p.slot);
        }
      }
    }
  };
  each_place([&](exec::Slot& s) { fixed[s & exec::kSlotIndex] = true; });
  std::vector<Life> lives(registers);
  for (uint32_t r = 0; r < registers; ++r) {
    lives[r].shared = r >= exec::kFirstSlot && !fixed[r];
  }
  std::vector<bool> late(registers);  // comes later, or may
  for (uint32_t b = 0; b + 1 < starts.size(); ++b) {
    for (uint32_t pc = starts[b]; pc < starts[b + 1]; ++pc) {
      const exec::Inst& in = code.insts[pc];
      const exec::Slots x = exec::slots_of(code, in);
      const bool later = brings_later(code, in) ||
                         (!in.counted && std::any_of(x.read.begin(), x.read.end(), [&](exec::Slot s) {
                           return late[s & exec::kSlotIndex];
                         }));
      for (const std::vector<exec::Slot>* list : {&x.read, &x.written}) {
        for (const exec::Slot s : *list) {
          Life& l = lives[s & exec::kSlotIndex];
          const bool written = list == &x.written;
          if (l.block == kNone) {
            l.block = b;
            l.first = pc;
            l.shared = l.shared && written && in.guard == exec::kNoSlot;
          }
          l.shared = l.shared && l.block == b;
          l.last = pc;
          if (written && later) {
            late[s & exec::kSlotIndex] = true;
          }
        }
      }
    }
  }
  std::vector<uint32_t> place(registers);
  uint32_t kept = 0;
  for (uint32_t r = 0; r < registers; ++r) {
    lives[r].shared = lives[r].shared && !late[r];
    if (!lives[r].shared) {
      place[r] = kept++;
    }
  }
  uint32_t most = kept;
  std::vector<std::vector<uint32_t>> begin(code.insts.size() + 1), end(code.insts.size() + 1);
  for (uint32_t r = 0; r < registers; ++r) {
    if (lives[r].shared && lives[r].block != kNone) {
      begin[lives[r].first].push_back(r);
      end[lives[r].last].push_back(r);
    }
  }
  for (uint32_t b = 0; b + 1 < starts.size(); ++b) {
    std::vector<uint32_t> free;
    uint32_t next = kept;
    for (uint32_t pc = starts[b]; pc < starts[b + 1]; ++pc) {
      for (const uint32_t r : begin[pc]) {
        if (free.empty()) {
          free.push_back(next++);
        }
        place[r] = free.back();
        free.pop_back();
      }
      for (const uint32_t r : end[pc]) {
        free.push_back(place[r]);
      }
    }
    most = std::max(most, next);
  }
  const auto now = [&](exec::Slot s) { return exec::slot(exec::Bank::kFrame, place[s & exec::kSlotIndex]); };
  for (uint32_t pc = starts.front(); pc < starts.back(); ++pc) {
    exec::change_slots(code, code.insts[pc], [&](exec::Slot s, bool) { return now(s); });
  }
  each_place([&](exec::Slot& s) { s = now(s); });
  f.registers = most;
}

}  // namespace heddle::ptx::lower
