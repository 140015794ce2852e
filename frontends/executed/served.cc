#include "frontends/executed/served.h"

#include <bit>
#include <cstring>

namespace heddle::executed {

using exec::MemoryOp;
using exec::Space;

bool may_be_global(Space space) { return space == Space::kGlobal || space == Space::kGeneric; }

bool can_be_served(const MemoryOp& op) {
  if (op.kind == MemoryOp::Kind::kAtomic) {
    return op.elements == 1 && op.bytes <= sizeof(uint64_t);
  }
  return uint32_t{op.bytes} * op.elements <= isa::LaneRoom::kBytes;
}

bool all_global(const exec::Access& a) {
  if (a.op->space == Space::kGlobal) {
    return true;
  }
  for (uint32_t m = a.mask; m != 0; m &= m - 1) {
    if (exec::space_of(a.address[static_cast<uint32_t>(std::countr_zero(m))]) != Space::kGlobal) {
      return false;
    }
  }
  return true;
}

isa::AtomicOp pack(const exec::Access& a, isa::LaneRoom& room) {
  const MemoryOp& op = *a.op;
  uint32_t k = 0;
  for (uint32_t m = a.mask; m != 0; m &= m - 1, ++k) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    room.address[k] = a.address[lane];
    if (op.kind == MemoryOp::Kind::kAtomic) {
      std::memcpy(room.data[lane], &a.operand[0][lane], sizeof(uint64_t));
      std::memcpy(room.compare[lane], &a.compare[0][lane], sizeof(uint64_t));
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

void unpack(const isa::LaneValues& values, exec::Access& a) {
  const MemoryOp& op = *a.op;
  for (uint32_t m = a.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    const uint32_t words = op.bytes == 16 ? 2 : op.elements;
    const uint32_t bytes = op.bytes == 16 ? 8 : op.bytes;
    for (uint32_t e = 0; e < words; ++e) {
      uint64_t value = 0;
      std::memcpy(&value, values.data[lane] + e * bytes, bytes);
      a.data[e][lane] = value;
    }
  }
}

}  // namespace heddle::executed
