#include "sim/exec/issue/references.h"

#include <array>
#include <bit>

#include "sim/exec/issue/recorded_registers.h"
#include "sim/isa/recorded_phases.h"

namespace heddle::executed {

isa::MemRef reference(isa::WarpTrace& t, uint32_t mask, const exec::Register& address) {
  isa::MemRef out;
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  out.kind = isa::MemRef::Kind::kStride;
  out.base = address[first];
  const uint32_t rest = mask & (mask - 1);
  if (rest == 0) {
    return out;
  }
  const uint64_t step = address[static_cast<uint32_t>(std::countr_zero(rest))] - out.base;
  const auto stride = static_cast<int64_t>(step);
  bool even = stride == static_cast<int32_t>(stride);
  uint64_t expected = out.base;
  for (uint32_t m = mask; m != 0 && even; m &= m - 1, expected += step) {
    even = address[static_cast<uint32_t>(std::countr_zero(m))] == expected;
  }
  if (even) {
    out.stride = static_cast<int32_t>(stride);
    return out;
  }
  out.kind = isa::MemRef::Kind::kFull;
  out.list = static_cast<uint32_t>(t.values.size());
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    t.values.push_back(address[static_cast<uint32_t>(std::countr_zero(m))]);
  }
  return out;
}

isa::MemRef reference(isa::WarpTrace& t, uint32_t mask, exec::BarrierObjectOp::Kind kind,
                      const exec::Register& object, const exec::Register& operand) {
  using Kind = exec::BarrierObjectOp::Kind;
  isa::MemRef r = reference(t, mask, object);
  if (r.kind == isa::MemRef::Kind::kStride) {
    r.list = static_cast<uint32_t>(t.values.size());
  }
  r.count = static_cast<uint8_t>(std::popcount(mask));
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const uint64_t value = operand[static_cast<uint32_t>(std::countr_zero(m))];
    t.values.push_back(kind == Kind::kInit ? isa::initial_word(static_cast<uint32_t>(value))
                       : kind == Kind::kWait
                           ? isa::wait_operand((value & 1) != 0, (value & exec::kInVain) != 0)
                           : value);
  }
  return r;
}

isa::MemRef reference(isa::WarpTrace& t, const exec::Transfer& transfer) {
  const std::array<uint64_t, isa::kRecordedRegisters> values = recorded_registers(transfer);
  isa::MemRef r;
  r.kind = isa::MemRef::Kind::kValues;
  r.count = isa::kRecordedRegisters;
  r.list = static_cast<uint32_t>(t.values.size());
  t.values.insert(t.values.end(), values.begin(), values.end());
  return r;
}

isa::MemRef reference(isa::WarpTrace& t, const exec::TensorMemoryOp& op, const exec::TensorUse& use) {
  isa::MemRef r;
  r.list = static_cast<uint32_t>(t.values.size());
  if (op.kind == exec::TensorMemoryOp::Kind::kCommit) {  // as an arrival, with the blocks for an operand
    r.kind = isa::MemRef::Kind::kStride;
    r.base = use.object;
    r.count = 1;
    t.values.push_back(use.blocks);
    return r;
  }
  r.kind = isa::MemRef::Kind::kValues;
  r.count = isa::kTensorValues;
  t.values.insert(t.values.end(), {use.columns, use.a_bytes, use.shared_bytes});
  return r;
}

}  // namespace heddle::executed
