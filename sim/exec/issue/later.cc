#include "sim/exec/issue/later.h"

#include <algorithm>

#include "sim/exec/issue/served.h"

namespace heddle::executed {

using exec::Slot;

namespace {

uint64_t bit_of(Slot s) { return uint64_t{1} << (s & 63); }

}  // namespace

RecordSlots slots_of_records(const exec::Code& code, const std::vector<uint32_t>& origins) {
  RecordSlots out(code.insts.size());
  for (uint32_t pc = 0; pc < out.size(); ++pc) {
    out[pc].slots = slots_of(code, code.insts[pc]);
    for (const std::vector<Slot>* list : {&out[pc].slots.read, &out[pc].slots.written}) {
      for (const Slot s : *list) {
        out[pc].bits |= bit_of(s);
      }
    }
  }
  for (uint32_t pc = 0; pc < out.size(); ++pc) {
    if (code.insts[pc].kind != exec::Kind::kMemory) {
      continue;
    }
    for (uint32_t k = pc; k < end_of_instruction(origins, pc); ++k) {
      out[pc].results.insert(out[pc].results.end(), out[k].slots.written.begin(), out[k].slots.written.end());
    }
  }
  return out;
}

void Later::sent(const RecordSlots& slots, const exec::Group& g, uint32_t pc, uint32_t mask,
                 uint32_t ticket) {
  loads_.push_back({ticket, g.base, mask, pc});
  recount(slots);
}

void Later::forget(uint32_t ticket) {
  std::erase_if(loads_, [&](const Load& l) { return l.ticket == ticket; });
}

void Later::recount(const RecordSlots& slots) {
  bits_ = 0;
  const auto count = [&](const std::vector<Slot>& list) {
    for (const Slot s : list) {
      bits_ |= bit_of(s);
    }
  };
  for (const Load& l : loads_) {
    count(slots[l.pc].results);
  }
  for (const Waiting& x : waiting_) {
    count(slots[x.pc].slots.written);
  }
}

bool Later::finds(const exec::Group& g, Slot s, const RecordSlots& slots, size_t before) const {
  const auto holds = [&](const std::vector<Slot>& list) {
    return std::find(list.begin(), list.end(), s) != list.end();
  };
  return std::any_of(loads_.begin(), loads_.end(),
                     [&](const Load& l) {
                       return l.base == g.base && (l.mask & g.mask) != 0 && holds(slots[l.pc].results);
                     }) ||
         std::any_of(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(before),
                     [&](const Waiting& x) {
                       return x.group.base == g.base && (x.group.mask & g.mask) != 0 &&
                              holds(slots[x.pc].slots.written);
                     });
}

bool Later::finds(const RecordSlots& slots, const exec::Group& g, uint32_t pc, size_t before) const {
  const auto any = [&](const std::vector<Slot>& list) {
    return std::any_of(list.begin(), list.end(), [&](Slot s) { return finds(g, s, slots, before); });
  };
  return any(slots[pc].slots.read) || any(slots[pc].slots.written);
}

void Later::put_off(const RecordSlots& slots, exec::WarpCore& w, const exec::Group& g, uint32_t pc) {
  Waiting x{pc, g, {}, {}};
  const exec::Banks b = w.banks(g);
  for (const Slot s : slots[pc].slots.read) {
    if (!finds(g, s, slots, waiting_.size())) {
      x.held.push_back(s);
      x.registers.push_back(*b.at(s));
    }
  }
  waiting_.push_back(std::move(x));
  recount(slots);
}

void Later::go_on(const RecordSlots& slots, exec::WarpCore& w) {
  for (size_t i = 0; i < waiting_.size();) {
    Waiting& x = waiting_[i];
    if (finds(slots, x.group, x.pc, i)) {
      ++i;
      continue;
    }
    // Its operands are put where it expects them, and what is there by now back again, unless it writes it.
    const exec::Banks b = w.banks(x.group);
    for (size_t k = 0; k < x.held.size(); ++k) {
      std::swap(*b.at(x.held[k]), x.registers[k]);
    }
    const exec::Inst& in = w.code.insts[x.pc];
    const uint32_t mask = w.lanes(x.group, in, b);
    std::vector<exec::Register> results;
    const std::vector<Slot>& written = slots[x.pc].slots.written;
    w.compute(in, mask, b);
    for (const Slot s : written) {
      results.push_back(*b.at(s));
    }
    for (size_t k = x.held.size(); k-- > 0;) {
      std::swap(*b.at(x.held[k]), x.registers[k]);
    }
    for (size_t k = 0; k < written.size(); ++k) {
      for (uint32_t lane = 0; lane < exec::kLanes; ++lane) {
        if ((mask >> lane & 1) != 0) {
          (*b.at(written[k]))[lane] = results[k][lane];
        }
      }
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  recount(slots);
}

}  // namespace heddle::executed
