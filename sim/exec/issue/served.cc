#include "sim/exec/issue/served.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "sim/exec/async/reach.h"

namespace heddle::executed {

using exec::MemoryOp;
using exec::Space;

namespace {

// Whether what follows of the access's instruction can be done when its values have come: with its guard,
// which may be another by then, and of nothing but these values. Temporaries are other instructions' by then.
bool can_follow(const exec::Inst& access, const MemoryOp& op, const exec::Inst& in) {
  const auto is_there = [&](exec::Slot s) {
    return s == exec::kNoSlot || s >> 30 == static_cast<uint32_t>(exec::Bank::kConstants) ||
           std::find(std::begin(op.values), std::end(op.values), s) != std::end(op.values);
  };
  return in.kind == exec::Kind::kCompute && in.guard == access.guard &&
         in.guard_negated == access.guard_negated && std::all_of(std::begin(in.s), std::end(in.s), is_there);
}

bool can_be_served(const exec::Code& code, const isa::KernelImage& image,
                   const std::vector<uint32_t>& origins, uint32_t pc) {
  const exec::Inst& in = code.insts[pc];
  const MemoryOp& op = code.memory[in.target];
  const bool atomic = op.kind == MemoryOp::Kind::kAtomic;
  if (atomic ? op.elements != 1 || op.bytes > sizeof(uint64_t) || op.bytes < sizeof(uint32_t)
             : uint32_t{op.bytes} * op.elements > isa::LaneRoom::kBytes) {
    return false;
  }
  if (!returns_values(op)) {
    return true;
  }
  if (atomic && image.code[origins[pc]].n_dst == 0) {
    return false;  // the machine would not bring what it wants
  }
  const auto first = code.insts.begin() + pc + 1, end = code.insts.begin() + end_of_instruction(origins, pc);
  return std::all_of(first, end, [&](const exec::Inst& next) { return can_follow(in, op, next); });
}

bool can_be_served(const exec::TransferOp& op) {
  using Kind = exec::TransferOp::Kind;
  return op.kind == Kind::kStore ? op.combine == nullptr : !op.reduces && op.combine == nullptr;
}

bool stores(const exec::Code& code, const exec::Inst& in) {
  return in.kind == exec::Kind::kMemory && code.memory[in.target].kind != MemoryOp::Kind::kLoad &&
         may_be_global(code.memory[in.target].space);
}

bool stores_in_bulk(const exec::Code& code, const exec::Inst& in) {
  using Kind = exec::TransferOp::Kind;
  if (in.kind != exec::Kind::kTransfer) {
    return false;
  }
  const exec::TransferOp& op = code.transfers[in.target];
  return op.kind == Kind::kTensorStore || (op.kind == Kind::kBulk && may_be_global(op.to.space));
}

template <class Word>
void unpack_words(const isa::LaneValues& values, uint32_t words, exec::Access& a) {
  for (uint32_t e = 0; e < words; ++e) {
    for (uint32_t m = a.mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      Word value;
      std::memcpy(&value, values.data[lane] + e * sizeof value, sizeof value);
      a.data[e][lane] = value;
    }
  }
}

}  // namespace

bool copies_arrive(const isa::KernelImage& image) {
  return std::any_of(image.code.begin(), image.code.end(), [](const isa::Instr& in) {
    return in.syncs.kind == isa::SyncsForm::Kind::kArriveCopies;
  });
}

bool counts_arrivals(const exec::Code& code, const isa::KernelImage& image) {
  return !copies_arrive(image) &&
         std::none_of(code.barrier_objects.begin(), code.barrier_objects.end(),
                      [](const exec::BarrierObjectOp& op) { return op.drops || op.no_complete; });
}

bool may_be_global(Space space) { return space == Space::kGlobal || space == Space::kGeneric; }

bool returns_values(const MemoryOp& op) {
  return op.kind != MemoryOp::Kind::kStore && op.values[0] != exec::kNoSlot;
}

uint32_t end_of_instruction(const std::vector<uint32_t>& origins, uint32_t pc) {
  uint32_t end = pc + 1;
  while (end < origins.size() && origins[end] == origins[pc]) {
    ++end;
  }
  return end;
}

uint32_t in_global(const exec::Access& a) {
  if (a.op->space == Space::kGlobal) {
    return a.mask;
  }
  uint32_t out = 0;
  for (uint32_t m = a.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    out |= uint32_t{exec::space_of(a.address[lane]) == Space::kGlobal} << lane;
  }
  return out;
}

isa::AtomicOp pack(const exec::Access& a, isa::LaneRoom& room) {
  const MemoryOp& op = *a.op;
  uint32_t k = 0;
  for (uint32_t m = a.mask; m != 0; m &= m - 1, ++k) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    room.address[k] = a.address[lane];
    if (op.kind == MemoryOp::Kind::kAtomic) {
      std::memcpy(room.data[lane], &a.operand[0][lane], sizeof(uint64_t));
      const uint64_t compare = op.compare[0] != exec::kNoSlot ? a.compare[0][lane] : 0;
      std::memcpy(room.compare[lane], &compare, sizeof compare);
    } else if (op.kind == MemoryOp::Kind::kStore && op.bytes == 16) {
      for (uint32_t w = 0; w < 2; ++w) {
        std::memcpy(room.data[lane] + w * sizeof(uint64_t), &a.data[w][lane], sizeof(uint64_t));
      }
    } else if (op.kind == MemoryOp::Kind::kStore) {
      for (uint32_t e = 0; e < op.elements; ++e) {
        std::memcpy(room.data[lane] + e * op.bytes, &a.data[e][lane], op.bytes);
      }
    }
  }
  return op.kind == MemoryOp::Kind::kAtomic ? isa::AtomicOp{.function = op.atomic, .width = op.bytes}
                                            : isa::AtomicOp{};
}

std::vector<isa::AtomicOp::Function> atomics_of(const exec::Code& code) {
  std::vector<isa::AtomicOp::Function> out;
  for (const MemoryOp& op : code.memory) {
    if (op.atomic != nullptr && std::ranges::find(out, op.atomic) == out.end()) {
      out.push_back(op.atomic);
    }
  }
  return out;
}

void unpack(const isa::LaneValues& values, exec::Access& a) {
  switch (a.op->bytes) {
    case 1:
      return unpack_words<uint8_t>(values, a.op->elements, a);
    case 2:
      return unpack_words<uint16_t>(values, a.op->elements, a);
    case 4:
      return unpack_words<uint32_t>(values, a.op->elements, a);
    case 8:
      return unpack_words<uint64_t>(values, a.op->elements, a);
    default:
      return unpack_words<uint64_t>(values, 2, a);
  }
}

isa::LaneAddresses lanes_of(const exec::Register& from, uint32_t mask,
                            uint64_t (&into)[isa::LaneRoom::kLanes]) {
  uint32_t k = 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    into[k++] = from[static_cast<uint32_t>(std::countr_zero(m))];
  }
  return isa::LaneAddresses::full(into);
}

bool all_served(const exec::Code& code, const isa::KernelImage& image, const std::vector<uint32_t>& origins) {
  using Kind = exec::Kind;
  const auto any = [&](auto holds) {
    return std::any_of(code.insts.begin(), code.insts.end(),
                       [&](const exec::Inst& in) { return holds(code, in); });
  };
  if (any(stores_in_bulk) && any(stores)) {
    return false;
  }
  for (uint32_t pc = 0; pc < code.insts.size(); ++pc) {
    const exec::Inst& in = code.insts[pc];
    if (in.kind == Kind::kMapField ||
        (in.kind == Kind::kTransfer && !can_be_served(code.transfers[in.target])) ||
        (in.kind == Kind::kMemory && may_be_global(code.memory[in.target].space) &&
         !can_be_served(code, image, origins, pc))) {
      return false;
    }
  }
  return true;
}

}  // namespace heddle::executed
