// Calls: frames of registers and of local memory, one behind the other. Lanes that are not in the same call
// may use the same place: a register has a word for each lane, and local memory is each lane's own.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/base/align.h"
#include "sim/exec/handlers/builtin.h"
#include "sim/exec/handlers/handlers.h"
#include "sim/exec/layout.h"

namespace heddle::exec {
namespace {

// So many bytes of each lane, one lane behind the other.
void widen(std::vector<uint8_t>& memory, uint32_t& of_lane, size_t bytes) {
  if (bytes <= of_lane) {
    return;
  }
  const auto wider =
      static_cast<uint32_t>(std::min<size_t>(kMostLocalBytes, std::max(bytes, size_t{2} * of_lane)));
  std::vector<uint8_t> out(size_t{kLanes} * wider);
  for (size_t l = 0; l < kLanes; ++l) {
    std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(l * of_lane), of_lane,
                out.begin() + static_cast<std::ptrdiff_t>(l * wider));
  }
  memory = std::move(out);
  of_lane = wider;
}

// An argument or a result; what is larger than a register is in local memory on both sides.
void move_value(WarpCore& w, const ValuePlace& to, uint32_t to_base, uint32_t to_local,
                const ValuePlace& from, uint32_t from_base, uint32_t from_local, uint32_t lane) {
  Group source, target;
  source.base = from_base;
  source.local = from_local;
  target.base = to_base;
  target.local = to_local;
  if (to.in_register || from.in_register) {
    set_value(w, target, to, lane, value(w, source, from, lane));
    return;
  }
  uint8_t* bytes = w.local.data() + size_t{lane} * w.local_bytes;
  std::memmove(bytes + to_local + to.offset, bytes + from_local + from.offset,
               std::min(to.bytes, from.bytes));
}

// Room for the frame behind that of g.
void reserve_frame(WarpCore& w, const Group& g, const CallOp& op, const FunctionInfo& f) {
  const size_t registers = size_t{g.base} + op.frame_registers + f.registers;
  const size_t bytes = size_t{g.local} + op.frame_bytes + f.local_bytes;
  const auto lane = static_cast<uint32_t>(std::countr_zero(g.mask));
  if (registers > kMostRegisters || bytes > kMostLocalBytes) {
    w.fail(g.pc, lane,
           fmt::format(
               "stack overflow in the call of {} ({} registers of the frames, legal: {}; {} bytes of local "
               "memory, legal: {})",
               f.name, registers, kMostRegisters, bytes, kMostLocalBytes));
  }
  if (registers > w.registers.size()) {
    w.registers.resize(std::min<size_t>(kMostRegisters, std::max(registers, 2 * w.registers.size())));
  }
  widen(w.local, w.local_bytes, bytes);
}

bool enter(WarpCore& w, const Group& g, const CallOp& op, uint32_t function, uint32_t mask) {
  const FunctionInfo& f = w.code.functions[function];
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  if (f.builtin != Builtin::kNone) {
    builtin(w, g, op, f, mask);
    return false;
  }
  if (f.first == kNoPc) {
    w.fail(g.pc, first, "call of " + f.name + ", which has no body");
  }
  if (op.arguments.size() != f.parameters.size()) {
    w.fail(g.pc, first,
           fmt::format("call of {} with {} arguments (legal: {})", f.name, op.arguments.size(),
                       f.parameters.size()));
  }
  reserve_frame(w, g, op, f);
  const uint32_t base = g.base + op.frame_registers;
  const uint32_t local = g.local + op.frame_bytes;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    for (size_t i = 0; i < op.arguments.size(); ++i) {
      move_value(w, f.parameters[i], base, local, op.arguments[i], g.base, g.local, lane);
    }
    w.registers[base + kReturnSlot][lane] = uint64_t{g.pc + 1} | uint64_t{g.base} << 32;
    w.registers[base + kReturnLocalSlot][lane] = g.local;
    w.registers[base + kReturnStackSlot][lane] = w.warp_registers[kStackSlot & kSlotIndex][lane];
  }
  return true;
}

}  // namespace

// The stack of alloca only grows here; what a function returns or stackrestore gives back is used again.
bool take_stack(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const Banks b = w.banks(g);
  Register& end = w.warp_registers[kStackSlot & kSlotIndex];
  const auto align = static_cast<uint64_t>(in.offset);
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    const uint64_t size = (*b.at(in.s[0]))[lane], at = round_up(end[lane], align);
    if (size > kMostLocalBytes || at + size > kStackBase + kMostLocalBytes) {
      w.fail(g.pc, lane,
             fmt::format("alloca of {} bytes, behind {} (legal: {} together)", size, at - kStackBase,
                         kMostLocalBytes));
    }
    (*b.at(in.d[0]))[lane] = at;
    end[lane] = at + size;
    widen(w.stack, w.stack_bytes, at + size - kStackBase);
  }
  ++g.pc;
  return true;
}

bool call(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const CallOp& op = w.code.calls[in.target];
  const Group from = g;
  g.mask &= ~mask;  // they pass by
  ++g.pc;
  while (mask != 0) {
    uint32_t function = op.function;
    uint32_t same = mask;
    if (op.pointer != kNoSlot) {
      const Register& pointer = *w.banks(from).at(op.pointer);
      const auto first = static_cast<uint32_t>(std::countr_zero(mask));
      const uint64_t number = (pointer[first] - kFunctionBase) / 16;
      if (pointer[first] % 16 != 0 || number >= w.code.functions.size()) {
        w.fail(from.pc, first, fmt::format("call of 0x{:x}, which is no function", pointer[first]));
      }
      function = static_cast<uint32_t>(number);
      for (uint32_t m = mask; m != 0; m &= m - 1) {
        const auto lane = static_cast<uint32_t>(std::countr_zero(m));
        same &= pointer[lane] == pointer[first] ? ~0U : ~(1U << lane);
      }
    }
    mask &= ~same;
    if (!enter(w, from, op, function, same)) {
      g.mask |= same;  // done already
      continue;
    }
    Group inside = from;
    inside.base = from.base + op.frame_registers;
    inside.local = from.local + op.frame_bytes;
    if (same == from.mask) {
      inside.pc = w.code.functions[function].first;
      g = inside;
      return true;
    }
    w.flow.add(w, inside, same, w.code.functions[function].first);
  }
  return g.mask == w.alive;
}

bool return_to_caller(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const FunctionInfo& f = w.code.functions[in.target];
  const Group from = g;
  g.mask &= ~mask;
  ++g.pc;
  while (mask != 0) {
    const auto first = static_cast<uint32_t>(std::countr_zero(mask));
    const uint64_t to = w.registers[from.base + kReturnSlot][first];
    const uint64_t local = w.registers[from.base + kReturnLocalSlot][first];
    const auto pc = static_cast<uint32_t>(to);
    Group caller = from;
    caller.base = static_cast<uint32_t>(to >> 32);
    caller.local = static_cast<uint32_t>(local);
    const CallOp& op = w.code.calls[w.code.insts[pc - 1].target];
    uint32_t same = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      if (w.registers[from.base + kReturnSlot][lane] != to ||
          w.registers[from.base + kReturnLocalSlot][lane] != local) {
        continue;
      }
      same |= 1U << lane;
      w.warp_registers[kStackSlot & kSlotIndex][lane] = w.registers[from.base + kReturnStackSlot][lane];
      for (size_t i = 0; i < std::min(op.returns.size(), f.returns.size()); ++i) {
        move_value(w, op.returns[i], caller.base, caller.local, f.returns[i], from.base, from.local, lane);
      }
    }
    mask &= ~same;
    // Lanes that parted in the function have its joins still, if they did not meet: they never will there.
    while (caller.join >= 0 && w.joins[static_cast<size_t>(caller.join)].base == from.base) {
      Join& j = w.joins[static_cast<size_t>(caller.join)];
      j.expected &= ~same;
      const int parent = j.parent;
      if (j.arrived != 0 && j.arrived == j.expected) {
        finish_join(w, caller.join);
      }
      caller.join = parent;
    }
    if (same == from.mask) {
      caller.pc = pc;
      g = caller;
      // Others may be in the function still: let them come.
      return g.mask == w.alive;
    }
    w.flow.add(w, caller, same, pc);
  }
  return false;
}

}  // namespace heddle::exec
