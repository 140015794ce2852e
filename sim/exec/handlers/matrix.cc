// Instructions on matrices: all lanes of the warp at once.
#include <bit>

#include <fmt/format.h>

#include "sim/exec/checks/warp_checks.h"
#include "sim/exec/handlers/handlers.h"
#include "sim/exec/handlers/waiting.h"
#include "sim/exec/matrix_memory.h"

namespace heddle::exec {

// Lanes that parted wait for the others at the same place of the same frame. True when all have come.
bool gather_lanes(WarpCore& w, Group& g, uint32_t mask) {
  if (w.alive != ~0U) {
    w.fail(g.pc, static_cast<uint32_t>(std::countr_zero(mask)),
           fmt::format("an instruction for whole warps in one with lanes 0x{:x} only", w.alive));
  }
  leave_others(w, g, mask);
  if (mask == ~0U) {
    return true;
  }
  g.state = Group::State::kAtMatrix;
  g.wait_for = ~0U;
  uint32_t come = 0;
  for (const Group& x : w.groups) {
    come |= x.state == Group::State::kAtMatrix && x.pc == g.pc && x.base == g.base ? x.mask : 0;
  }
  return come == ~0U;
}

bool execute_matrix(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  if (!gather_lanes(w, g, mask)) {
    return false;
  }
  const MatrixOp& op = w.code.matrix[in.target];
  const Banks b = w.banks(g);
  MatrixAccess& a = w.scratch.matrix;
  prepare(in, op, b, g.local, w.index, a);
  const bool fragment = op.kind == MatrixOp::Kind::kLoad || op.kind == MatrixOp::Kind::kStore;
  const uint64_t base = a.memory.address[0];
  const MatrixRefused r = perform(w.spaces(), a);
  if (!r.what.empty()) {
    w.fail(g.pc, 0, r.what);
  }
  if (r.access.why != Refusal::kNone) {
    w.refuse(g, a.memory, r.access);
  }
  if (w.checked() && (op.kind == MatrixOp::Kind::kLoadTiles || op.kind == MatrixOp::Kind::kStoreTiles)) {
    check_access(w, g, a.memory);
  }
  if (w.observer != nullptr && fragment) {
    w.observer->accessed_matrix(*w.block, w.index, g.pc, base, row_bytes(a));
  } else if (w.observer != nullptr && op.kind != MatrixOp::Kind::kMultiply &&
             op.kind != MatrixOp::Kind::kTransposeTile) {
    w.observer->accessed(*w.block, w.index, g.pc, ~0U, a.memory.address, nullptr);
  }
  complete(a, b);
  return leave_together(w, g, mask);
}

// The lanes that gather_lanes() has waited for go on.
bool leave_together(WarpCore& w, Group& g, uint32_t mask) {
  if (mask == ~0U) {
    ++g.pc;
    return true;
  }
  for (Group& x : w.groups) {
    if (x.waits(Group::State::kAtMatrix)) {
      x.state = Group::State::kRunnable;
      ++x.pc;
    }
  }
  return false;
}

}  // namespace heddle::exec
