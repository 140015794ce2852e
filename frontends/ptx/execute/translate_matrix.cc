// Matrices: ldmatrix, stmatrix, movmatrix, wmma, mma, wgmma (ptx.md 4).
#include <optional>

#include "frontends/ptx/execute/arith_types.h"
#include "frontends/ptx/execute/matrix_shapes.h"
#include "frontends/ptx/execute/spaces.h"
#include "frontends/ptx/execute/translator.h"
#include "sim/exec/matrix/sparse.h"

namespace heddle::ptx {
using exec::MatrixOp;

// The registers of an operand, as written.
exec::MatrixOp::Operand Translator::matrix_operand(const Instr& instr, size_t place, bool reads) {
  MatrixOp::Operand out;
  for (const Operand& o : elements(operand(instr, place))) {
    out.slots.push_back(reads ? source(o, bits_of(instr, place)) : destination(o));
  }
  return out;
}

bool Translator::matrix(const Instr& instr, const Op& op) {
  switch (op.opcode) {
    case Opcode::kLdmatrix:
    case Opcode::kStmatrix:
    case Opcode::kMovmatrix:
      tiles(instr, op);
      return true;
    case Opcode::kWmmaLoadA:
    case Opcode::kWmmaLoadB:
    case Opcode::kWmmaLoadC:
    case Opcode::kWmmaStoreD:
      wmma_memory(instr, op);
      return true;
    case Opcode::kWmmaMma:
    case Opcode::kMma:
    case Opcode::kMmaSp:
      mma(instr, op);
      return true;
    case Opcode::kWgmmaMmaAsync:
    case Opcode::kWgmmaMmaAsyncSp:
      wgmma(instr, op);
      return true;
    // wgmma is done at once.
    case Opcode::kWgmmaFence:
    case Opcode::kWgmmaCommitGroup:
    case Opcode::kWgmmaWaitGroup:
      emit(exec::Kind::kFence);
      return true;
    default:
      return false;
  }
}

exec::Inst& Translator::emit_matrix(exec::MatrixOp m) {
  exec::Inst& in = emit(exec::Kind::kMatrix);
  in.target = static_cast<uint32_t>(out_.code.matrix.size());
  out_.code.matrix.push_back(std::move(m));
  return in;
}

void Translator::tiles(const Instr& instr, const Op& op) {
  const bool stores = op.opcode == Opcode::kStmatrix;
  const bool moves = op.opcode == Opcode::kMovmatrix;
  MatrixOp m;
  m.kind = stores  ? MatrixOp::Kind::kStoreTiles
           : moves ? MatrixOp::Kind::kTransposeTile
                   : MatrixOp::Kind::kLoadTiles;
  m.transposed = op.has(Flag::kTrans);
  if (moves) {
    m.d = matrix_operand(instr, 0, false);
    m.a = matrix_operand(instr, 1, true);
    emit_matrix(std::move(m));
    return;
  }
  (stores ? m.a : m.d) = matrix_operand(instr, stores ? 1 : 0, stores);
  m.memory.kind = stores ? exec::MemoryOp::Kind::kStore : exec::MemoryOp::Kind::kLoad;
  m.memory.bytes = 16;
  const exec::Place at = place(operand(instr, stores ? 0 : 1), exec_space(op.space));
  m.memory.space = at.space;
  m.memory.in_frame = at.in_frame;
  exec::Inst& in = emit_matrix(std::move(m));
  in.s[0] = at.base;
  in.offset = at.offset;
}

void Translator::wmma_memory(const Instr& instr, const Op& op) {
  const bool stores = op.opcode == Opcode::kWmmaStoreD;
  MatrixOp m;
  m.kind = stores ? MatrixOp::Kind::kStore : MatrixOp::Kind::kLoad;
  MatrixOp::Operand& o = stores ? m.a : m.d;
  o = matrix_operand(instr, stores ? 1 : 0, stores);
  o.fragment = wmma_fragment(op);
  // The rows of a fragment of B are the columns of the matrix.
  m.transposed = (op.layout_a == ptx::Layout::kCol) != (op.opcode == Opcode::kWmmaLoadB);
  const uint32_t bits = element_bits(op.type());
  m.unit = static_cast<uint8_t>(o.fragment.bits / bits);
  m.memory.kind = stores ? exec::MemoryOp::Kind::kStore : exec::MemoryOp::Kind::kLoad;
  m.memory.bytes = o.fragment.bits / 8;
  const exec::Slot stride = source(instr, 2);
  const exec::Place at = place(operand(instr, stores ? 0 : 1), exec_space(op.space));
  m.memory.space = at.space;
  m.memory.in_frame = at.in_frame;
  exec::Inst& in = emit_matrix(std::move(m));
  in.s[0] = at.base;
  in.s[1] = stride;
  in.offset = at.offset;
}

void Translator::mma(const Instr& instr, const Op& op) {
  MatrixOp m;
  m.d = matrix_operand(instr, 0, false);
  m.a = matrix_operand(instr, 1, true);
  m.b = matrix_operand(instr, 2, true);
  m.c = matrix_operand(instr, 3, true);
  if (!shape_of_mma(op, m)) {
    missing();
    return;
  }
  if (op.rounding != Rounding::kNone) {
    m.product.round = round_of(op.rounding);
  }
  if (op.opcode == Opcode::kMmaSp) {
    sparsity(instr, 4, m);
  }
  emit_matrix(std::move(m));
}

// The metadata and the selector, from operand `place` on.
void Translator::sparsity(const Instr& instr, size_t place, exec::MatrixOp& m) {
  m.metadata = source(instr, place);
  const uint32_t most = 4 / exec::matrix::metadata_lanes(m.picks, m.a.fragment.cols) - 1;
  const auto selector = static_cast<uint64_t>(operand(instr, place + 1).value);
  if (selector > most) {
    missing("sparsity selector " + std::to_string(selector) + " (legal: 0 to " + std::to_string(most) + ")");
  }
  m.selector = static_cast<uint8_t>(selector);
}

void Translator::wgmma(const Instr& instr, const Op& op) {
  const bool sparse = op.opcode == Opcode::kWgmmaMmaAsyncSp;
  MatrixOp m;
  m.d = matrix_operand(instr, 0, false);
  m.c = matrix_operand(instr, 0, true);
  m.a = matrix_operand(instr, 1, true);
  m.b = matrix_operand(instr, 2, true);
  m.a.in_shared = m.a.slots.size() == 1;
  m.b.in_shared = true;
  shape_of_wgmma(op, m);
  size_t next = 3;
  if (sparse) {
    sparsity(instr, next, m);
    next += 2;
  }
  m.uses_c = source(instr, next++);
  const auto number = [&](size_t i) { return i < instr.operand_count ? operand(instr, i).value : 0; };
  const auto scale = [&](size_t i) {
    const auto value = static_cast<int32_t>(number(i));
    if (value != 1 && value != -1) {
      missing("a scale of " + std::to_string(value) + " (legal: 1, -1)");
    }
    return value < 0;
  };
  if (is_float_product(m.product)) {
    m.product.negate_a = scale(next);
    m.product.negate_b = scale(next + 1);
    const size_t transposes = next + 2;
    if (m.a.in_shared) {
      m.a.mn_major = number(transposes) != 0;
    }
    m.b.mn_major = number(transposes + (m.a.in_shared ? 1 : 0)) != 0;
  }
  emit_matrix(std::move(m));
}

}  // namespace heddle::ptx
