// Calls: frames of registers and of local memory, one behind the other. Lanes that are not in the same call
// may use the same place: a register has a word for each lane, and local memory is each lane's own.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/base/align.h"
#include "sim/exec/block.h"
#include "sim/exec/layout.h"
#include "sim/exec/printf.h"
#include "sim/exec/warp.h"

namespace heddle::exec {
namespace {

constexpr uint64_t kMostTextBytes = 4096;  // of a string of printf

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

}  // namespace

uint64_t Warp::value(const Group& g, const ValuePlace& place, uint32_t lane) {
  if (place.in_register) {
    return (*banks(g).at(place.slot))[lane];
  }
  uint64_t out = 0;
  std::memcpy(&out, local_.data() + size_t{lane} * local_bytes_ + g.local + place.offset,
              std::min<uint32_t>(place.bytes, sizeof out));
  return out;
}

void Warp::set_value(const Group& g, const ValuePlace& place, uint32_t lane, uint64_t value) {
  if (!place.in_register) {
    std::memcpy(local_.data() + size_t{lane} * local_bytes_ + g.local + place.offset, &value,
                std::min<uint32_t>(place.bytes, sizeof value));
  } else if (Register* r = banks(g).at(place.slot)) {
    (*r)[lane] = place.bytes >= 8 ? value : value & ((uint64_t{1} << 8 * place.bytes) - 1);
  }
}

// An argument or a result; what is larger than a register is in local memory on both sides.
void Warp::move_value(const ValuePlace& to, uint32_t to_base, uint32_t to_local, const ValuePlace& from,
                      uint32_t from_base, uint32_t from_local, uint32_t lane) {
  Group source, target;
  source.base = from_base;
  source.local = from_local;
  target.base = to_base;
  target.local = to_local;
  if (to.in_register || from.in_register) {
    set_value(target, to, lane, value(source, from, lane));
    return;
  }
  uint8_t* bytes = local_.data() + size_t{lane} * local_bytes_;
  std::memmove(bytes + to_local + to.offset, bytes + from_local + from.offset,
               std::min(to.bytes, from.bytes));
}

// Room for the frame behind that of g.
void Warp::reserve_frame(const Group& g, const CallOp& op, const FunctionInfo& f) {
  const size_t registers = size_t{g.base} + op.frame_registers + f.registers;
  const size_t bytes = size_t{g.local} + op.frame_bytes + f.local_bytes;
  const auto lane = static_cast<uint32_t>(std::countr_zero(g.mask));
  if (registers > kMostRegisters || bytes > kMostLocalBytes) {
    fail(g.pc, lane,
         fmt::format(
             "stack overflow in the call of {} ({} registers of the frames, legal: {}; {} bytes of local "
             "memory, legal: {})",
             f.name, registers, kMostRegisters, bytes, kMostLocalBytes));
  }
  if (registers > registers_.size()) {
    registers_.resize(std::min<size_t>(kMostRegisters, std::max(registers, 2 * registers_.size())));
  }
  widen(local_, local_bytes_, bytes);
}

// The stack of alloca only grows here; what a function returns or stackrestore gives back is used again.
void Warp::take_stack(const Group& g, const Inst& in, uint32_t mask) {
  const Banks b = banks(g);
  Register& end = warp_registers_[kStackSlot & kSlotIndex];
  const auto align = static_cast<uint64_t>(in.offset);
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    const uint64_t size = (*b.at(in.s[0]))[lane], at = round_up(end[lane], align);
    if (size > kMostLocalBytes || at + size > kStackBase + kMostLocalBytes) {
      fail(g.pc, lane,
           fmt::format("alloca of {} bytes, behind {} (legal: {} together)", size, at - kStackBase,
                       kMostLocalBytes));
    }
    (*b.at(in.d[0]))[lane] = at;
    end[lane] = at + size;
    widen(stack_, stack_bytes_, at + size - kStackBase);
  }
}

bool Warp::enter(const Group& g, const CallOp& op, uint32_t function, uint32_t mask) {
  const FunctionInfo& f = code_.functions[function];
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  if (f.builtin != Builtin::kNone) {
    builtin(g, op, f, mask);
    return false;
  }
  if (f.first == kNoPc) {
    fail(g.pc, first, "call of " + f.name + ", which has no body");
  }
  if (op.arguments.size() != f.parameters.size()) {
    fail(g.pc, first,
         fmt::format("call of {} with {} arguments (legal: {})", f.name, op.arguments.size(),
                     f.parameters.size()));
  }
  reserve_frame(g, op, f);
  const uint32_t base = g.base + op.frame_registers;
  const uint32_t local = g.local + op.frame_bytes;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    for (size_t i = 0; i < op.arguments.size(); ++i) {
      move_value(f.parameters[i], base, local, op.arguments[i], g.base, g.local, lane);
    }
    registers_[base + kReturnSlot][lane] = uint64_t{g.pc + 1} | uint64_t{g.base} << 32;
    registers_[base + kReturnLocalSlot][lane] = g.local;
    registers_[base + kReturnStackSlot][lane] = warp_registers_[kStackSlot & kSlotIndex][lane];
  }
  return true;
}

bool Warp::call(Group& g, const Inst& in, uint32_t mask) {
  const CallOp& op = code_.calls[in.target];
  const Group from = g;
  g.mask &= ~mask;  // they pass by
  ++g.pc;
  while (mask != 0) {
    uint32_t function = op.function;
    uint32_t same = mask;
    if (op.pointer != kNoSlot) {
      const Register& pointer = *banks(from).at(op.pointer);
      const auto first = static_cast<uint32_t>(std::countr_zero(mask));
      const uint64_t number = (pointer[first] - kFunctionBase) / 16;
      if (pointer[first] % 16 != 0 || number >= code_.functions.size()) {
        fail(from.pc, first, fmt::format("call of 0x{:x}, which is no function", pointer[first]));
      }
      function = static_cast<uint32_t>(number);
      for (uint32_t m = mask; m != 0; m &= m - 1) {
        const auto lane = static_cast<uint32_t>(std::countr_zero(m));
        same &= pointer[lane] == pointer[first] ? ~0U : ~(1U << lane);
      }
    }
    mask &= ~same;
    if (!enter(from, op, function, same)) {
      g.mask |= same;  // done already
      continue;
    }
    Group inside = from;
    inside.base = from.base + op.frame_registers;
    inside.local = from.local + op.frame_bytes;
    if (same == from.mask) {
      inside.pc = code_.functions[function].first;
      g = inside;
      return true;
    }
    add_group(inside, same, code_.functions[function].first);
  }
  return g.mask == alive_;
}

bool Warp::leave(Group& g, const Inst& in, uint32_t mask) {
  const FunctionInfo& f = code_.functions[in.target];
  const Group from = g;
  g.mask &= ~mask;
  ++g.pc;
  while (mask != 0) {
    const auto first = static_cast<uint32_t>(std::countr_zero(mask));
    const uint64_t to = registers_[from.base + kReturnSlot][first];
    const uint64_t local = registers_[from.base + kReturnLocalSlot][first];
    const auto pc = static_cast<uint32_t>(to);
    Group caller = from;
    caller.base = static_cast<uint32_t>(to >> 32);
    caller.local = static_cast<uint32_t>(local);
    const CallOp& op = code_.calls[code_.insts[pc - 1].target];
    uint32_t same = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      if (registers_[from.base + kReturnSlot][lane] != to ||
          registers_[from.base + kReturnLocalSlot][lane] != local) {
        continue;
      }
      same |= 1U << lane;
      warp_registers_[kStackSlot & kSlotIndex][lane] = registers_[from.base + kReturnStackSlot][lane];
      for (size_t i = 0; i < std::min(op.returns.size(), f.returns.size()); ++i) {
        move_value(op.returns[i], caller.base, caller.local, f.returns[i], from.base, from.local, lane);
      }
    }
    mask &= ~same;
    // Lanes that parted in the function have its joins still, if they did not meet: they never will there.
    while (caller.join >= 0 && joins_[static_cast<size_t>(caller.join)].base == from.base) {
      Join& j = joins_[static_cast<size_t>(caller.join)];
      j.expected &= ~same;
      const int parent = j.parent;
      if (j.arrived != 0 && j.arrived == j.expected) {
        finish_join(caller.join);
      }
      caller.join = parent;
    }
    if (same == from.mask) {
      caller.pc = pc;
      g = caller;
      // Others may be in the function still: let them come.
      return g.mask == alive_;
    }
    add_group(caller, same, pc);
  }
  return false;
}

// What stands at a generic address, to the zero.
std::string Warp::text_at(uint32_t lane, uint64_t address, uint32_t pc) {
  const Spaces all = spaces();
  std::string out;
  for (; out.size() < kMostTextBytes; ++address) {
    Space space = Space::kGeneric;
    uint64_t at = address;
    const uint8_t* c = locate(all, lane, space, at, 1);
    if (c == nullptr) {
      fail(pc, lane, fmt::format("text at 0x{:x} is out of bounds", address));
    }
    if (*c == 0) {
      break;
    }
    out += static_cast<char>(*c);
  }
  return out;
}

void Warp::builtin(const Group& g, const CallOp& op, const FunctionInfo& f, uint32_t mask) {
  const auto argument = [&](size_t i, uint32_t lane) {
    return i < op.arguments.size() ? value(g, op.arguments[i], lane) : 0;
  };
  Memory& heap = *block_.launch().memory;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    uint64_t result = 0;
    switch (f.builtin) {
      case Builtin::kNone:
        break;
      case Builtin::kMalloc:
        result = heap.heap_allocate(argument(0, lane));
        break;
      case Builtin::kFree:
        heap.heap_release(argument(0, lane));
        break;
      case Builtin::kAssertFail:
        fail(g.pc, lane,
             fmt::format("assertion failed: {} ({}:{})", text_at(lane, argument(0, lane), g.pc),
                         text_at(lane, argument(1, lane), g.pc), argument(2, lane) & 0xffffffff),
             FaultKind::kAssert);
      case Builtin::kPrintf: {
        const Spaces all = spaces();
        uint64_t next = argument(1, lane);
        uint32_t given = 0;
        const auto take = [&](uint32_t bytes) {
          next = round_up(next, uint64_t{bytes});
          Space space = Space::kGeneric;
          uint64_t at = next;
          const uint8_t* from = locate(all, lane, space, at, bytes);
          if (from == nullptr) {
            fail(g.pc, lane, fmt::format("argument of printf at 0x{:x} is out of bounds", next));
          }
          uint64_t out = 0;
          std::memcpy(&out, from, bytes);
          next += bytes;
          ++given;
          return out;
        };
        block_.print(formatted(text_at(lane, argument(0, lane), g.pc), take,
                               [&](uint64_t address) { return text_at(lane, address, g.pc); }));
        result = given;
        break;
      }
      case Builtin::kRuntime:
        result = runtime(g, op, f, lane);
    }
    if (!op.returns.empty()) {
      set_value(g, op.returns[0], lane, result);
    }
  }
}

}  // namespace heddle::exec
