// Loads, stores, atomics, fences.
#include "sim/exec/block.h"
#include "sim/exec/checks/warp_checks.h"
#include "sim/exec/handlers/handlers.h"

namespace heddle::exec {

bool memory(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const MemoryOp& op = w.code.memory[in.target];
  const Banks b = w.banks(g);
  Access& a = w.scratch.access;
  prepare(in, op, b, g.local, mask, a);
  if (const Refused r = perform(w.spaces(), a); r.why != Refusal::kNone) {
    w.refuse(g, a, r);
  }
  if (w.checked()) {
    check_access(w, g, a);
  }
  if (w.observer != nullptr) {
    w.observer->accessed(*w.block, w.index, g.pc, mask, a.address, nullptr);
  }
  complete(a, b);
  w.polls += op.kind != MemoryOp::Kind::kStore ? 1 : 0;
  w.progress += op.kind == MemoryOp::Kind::kStore && op.space != Space::kLocal ? 1 : 0;
  w.writes += op.kind != MemoryOp::Kind::kLoad && op.space != Space::kLocal ? 1 : 0;
  w.strong_polls += op.polls ? 1 : 0;
  ++g.pc;
  return true;
}

bool fence(WarpCore&, Group& g, const Inst&, uint32_t) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  ++g.pc;
  return true;
}

}  // namespace heddle::exec
