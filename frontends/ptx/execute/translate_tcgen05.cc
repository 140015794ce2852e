// Tensor memory: tcgen05 (PTX ISA 9.0, 9.7.16).
#include "frontends/ptx/execute/spaces.h"
#include "frontends/ptx/execute/translator.h"

namespace heddle::ptx {
namespace {

using exec::TensorMemoryOp;

exec::CellShape cell_shape(Cells c) {
  switch (c) {
    case Cells::k16x64b:
      return exec::CellShape::k16x64b;
    case Cells::k16x128b:
      return exec::CellShape::k16x128b;
    case Cells::k16x256b:
      return exec::CellShape::k16x256b;
    case Cells::k16x32bx2:
      return exec::CellShape::k16x32bx2;
    default:
      return exec::CellShape::k32x32b;
  }
}

exec::CopyShape copy_shape(const Op& op) {
  switch (op.cells) {
    case Cells::k4x256b:
      return exec::CopyShape::k4x256b;
    case Cells::k128x128b:
      return exec::CopyShape::k128x128b;
    case Cells::k64x128b:
      return op.quarters == Quarters::k0213 ? exec::CopyShape::k64x128b0213 : exec::CopyShape::k64x128b0123;
    case Cells::k32x128b:
      return exec::CopyShape::k32x128b;
    default:
      return exec::CopyShape::k128x256b;
  }
}

exec::ProductKind product_kind(TensorKind p) {
  switch (p) {
    case TensorKind::kTf32:
      return exec::ProductKind::kTf32;
    case TensorKind::kI8:
      return exec::ProductKind::kI8;
    case TensorKind::kF8f6f4:
      return exec::ProductKind::kF8f6f4;
    case TensorKind::kMxf8f6f4:
      return exec::ProductKind::kMxf8f6f4;
    default:
      return exec::ProductKind::kF16;
  }
}

}  // namespace

bool Translator::tcgen05(const Instr& instr, const Op& op) {
  TensorMemoryOp t;
  t.pair = op.group == 2;
  switch (op.opcode) {
    // What is asynchronous is done when it issues.
    case Opcode::kTcgen05WaitLd:
    case Opcode::kTcgen05WaitSt:
    case Opcode::kTcgen05FenceAfter:
    case Opcode::kTcgen05FenceBefore:
      emit(exec::Kind::kFence);
      return true;
    case Opcode::kTcgen05Alloc:
      t.kind = TensorMemoryOp::Kind::kAllocate;
      t.place = place(operand(instr, 0), exec_space(op.space));
      t.columns = source(instr, 1);
      break;
    case Opcode::kTcgen05Dealloc:
      t.kind = TensorMemoryOp::Kind::kFree;
      t.address = source(instr, 0);
      t.columns = source(instr, 1);
      break;
    case Opcode::kTcgen05RelinquishAllocPermit:
      t.kind = TensorMemoryOp::Kind::kRelinquish;
      break;
    case Opcode::kTcgen05Ld:
    case Opcode::kTcgen05St:
      move_cells(instr, op, t);
      break;
    case Opcode::kTcgen05Cp:
      t.kind = TensorMemoryOp::Kind::kCopy;
      t.copy = copy_shape(op);
      tensor_address(instr, 0, t.address, t.offset);
      t.a = source(instr, 1);
      break;
    case Opcode::kTcgen05Commit:
      t.kind = TensorMemoryOp::Kind::kCommit;
      t.place = place(operand(instr, 0), exec_space(op.space));
      t.blocks = op.has(Flag::kMulticast) ? source(instr, 1) : exec::kNoSlot;
      break;
    case Opcode::kTcgen05Mma:
    case Opcode::kTcgen05MmaWs:
      tensor_product(instr, op, t);
      break;
    case Opcode::kTcgen05MmaSp:
    case Opcode::kTcgen05MmaWsSp:
    case Opcode::kTcgen05Shift:
      missing();
      return true;
    default:
      return false;
  }
  emit(exec::Kind::kTensorMemory).target = static_cast<uint32_t>(out_.code.tensor_memory.size());
  out_.code.tensor_memory.push_back(std::move(t));
  return true;
}

// [taddr]
void Translator::tensor_address(const Instr& instr, size_t at, exec::Slot& base, int64_t& offset) {
  const exec::Place p = place(operand(instr, at), exec::Space::kShared);
  base = p.base;
  offset = p.offset;
}

void Translator::move_cells(const Instr& instr, const Op& op, TensorMemoryOp& t) {
  const bool stores = op.opcode == Opcode::kTcgen05St;
  const bool split = op.cells == Cells::k16x32bx2;
  t.kind = stores ? TensorMemoryOp::Kind::kStore : TensorMemoryOp::Kind::kLoad;
  t.shape = cell_shape(op.cells);
  t.halves = op.has(Flag::kPack) || op.has(Flag::kUnpack);
  tensor_address(instr, stores ? 0 : 1, t.address, t.offset);
  if (split) {
    t.half_offset = static_cast<uint32_t>(operand(instr, stores ? 1 : 2).value);
  }
  for (const Operand& o : elements(operand(instr, !stores ? 0 : split ? 2 : 1))) {
    t.values.push_back(stores ? source(o, 32) : destination(o));
  }
}

// d, a, b, descriptor, then the lanes that are left out or the scale factors, the predicate, the division.
void Translator::tensor_product(const Instr& instr, const Op& op, TensorMemoryOp& t) {
  const auto role = [&](size_t i) {
    return i < instr.operand_count && operand(instr, i).kind != OperandKind::kNone ? op.form->operands[i].role
                                                                                   : OperandRole::kLabel;
  };
  t.kind = TensorMemoryOp::Kind::kMultiply;
  t.stationary = op.opcode == Opcode::kTcgen05MmaWs;
  t.product = product_kind(op.product);
  if (op.product == TensorKind::kMxf4 || op.product == TensorKind::kMxf4nvf4) {
    missing("products of scaled 4-bit elements");
  }
  if (op.has(Flag::kAshift)) {
    missing(".ashift");
  }
  tensor_address(instr, 0, t.address, t.offset);
  t.a_in_tensor_memory = role(1) == OperandRole::kAddress;
  int64_t offset = 0;
  if (t.a_in_tensor_memory) {
    tensor_address(instr, 1, t.a, offset);
  } else {
    t.a = source(instr, 1);
  }
  t.b = source(instr, 2);
  t.instruction = source(instr, 3);
  size_t next = 4;
  if (role(next) == OperandRole::kAddress) {
    int64_t more = 0;
    tensor_address(instr, next++, t.scale_a, more);
    offset |= more;
    tensor_address(instr, next++, t.scale_b, more);
    offset |= more;
  }
  if (offset != 0) {
    missing("a number added to the address of A or of scale factors");
  }
  if (role(next) == OperandRole::kSource) {
    size_t i = 0;
    for (const Operand& o : elements(operand(instr, next++))) {
      t.disabled[i++] = source(o, 32);
    }
  }
  t.adds = source(instr, next++);
  if (role(next) == OperandRole::kNumber) {
    const auto by = static_cast<uint64_t>(operand(instr, next).value);
    if (by > 15 || (t.product != exec::ProductKind::kF16 && t.product != exec::ProductKind::kTf32)) {
      missing("a scale of D of " + std::to_string(by) + " (legal: 0 to 15, with kind::f16 and kind::tf32)");
    }
    t.divide_d = static_cast<uint8_t>(by);
  } else if (role(next) == OperandRole::kSource) {
    missing("a mask of zero columns");
  }
}

}  // namespace heddle::ptx
