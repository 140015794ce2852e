// Instructions on matrices: all lanes of the warp at once.
#include <bit>

#include <fmt/format.h>

#include "sim/exec/block.h"
#include "sim/exec/matrix_memory.h"
#include "sim/exec/warp.h"

namespace heddle::exec {

// Lanes that parted wait for the others at the same place of the same frame. True when all have come.
bool Warp::gather_lanes(Group& g, uint32_t mask) {
  if (alive_ != ~0U) {
    fail(g.pc, static_cast<uint32_t>(std::countr_zero(mask)),
         fmt::format("an instruction for whole warps in one with lanes 0x{:x} only", alive_));
  }
  if (mask != g.mask) {
    add_group(g, g.mask & ~mask, g.pc + 1);
    g.mask = mask;
  }
  if (mask == ~0U) {
    return true;
  }
  g.state = State::kAtMatrix;
  g.wait_for = ~0U;
  uint32_t come = 0;
  for (const Group& x : groups_) {
    come |= x.state == State::kAtMatrix && x.pc == g.pc && x.base == g.base ? x.mask : 0;
  }
  return come == ~0U;
}

bool Warp::matrix(Group& g, const Inst& in, uint32_t mask) {
  if (!gather_lanes(g, mask)) {
    return false;
  }
  const MatrixOp& op = code_.matrix[in.target];
  const Banks b = banks(g);
  MatrixAccess& a = block_.matrix_access();
  prepare(in, op, b, g.local, index_, a);
  const bool fragment = op.kind == MatrixOp::Kind::kLoad || op.kind == MatrixOp::Kind::kStore;
  const uint64_t base = a.memory.address[0];
  const MatrixRefused r = perform(spaces(), a);
  if (!r.what.empty()) {
    fail(g.pc, 0, r.what);
  }
  if (r.access.why != Refusal::kNone) {
    refuse(g, a.memory, r.access);
  }
  if (block_.checked() && (op.kind == MatrixOp::Kind::kLoadTiles || op.kind == MatrixOp::Kind::kStoreTiles)) {
    check_access(g, a.memory);
  }
  if (observer_ != nullptr && fragment) {
    observer_->accessed_matrix(block_, index_, g.pc, base, row_bytes(a));
  } else if (observer_ != nullptr && op.kind != MatrixOp::Kind::kMultiply &&
             op.kind != MatrixOp::Kind::kTransposeTile) {
    observer_->accessed(block_, index_, g.pc, ~0U, a.memory.address, nullptr);
  }
  complete(a, b);
  return leave_together(g, mask);
}

// The lanes that gather_lanes() has waited for go on.
bool Warp::leave_together(Group& g, uint32_t mask) {
  if (mask == ~0U) {
    ++g.pc;
    return true;
  }
  for (Group& x : groups_) {
    if (x.mask != 0 && x.state == State::kAtMatrix) {
      x.state = State::kRunnable;
      ++x.pc;
    }
  }
  return false;
}

}  // namespace heddle::exec
