#include "frontends/ptx/lower/timed.h"

#include <algorithm>

#include "frontends/ptx/lower/flow.h"
#include "frontends/ptx/special.h"

namespace heddle::ptx::lower {
namespace {

bool is_shared(Space s) { return s == Space::kShared || s == Space::kSharedCluster; }

bool reads_clock(const Operand& o) {
  return o.kind == OperandKind::kSpecial && is_clock(Special::unpack(o.id).kind);
}

}  // namespace

bool timed(const Module& module, const Function& f, uint32_t instr) {
  const Op& op = module.ops[f.instrs[instr].op];
  if (op.opcode == Opcode::kAtom || (op.opcode == Opcode::kLd && op.polls() && !is_shared(op.space))) {
    return true;
  }
  const auto operands = f.operands_of(f.instrs[instr]);
  return std::any_of(operands.begin(), operands.end(), reads_clock);
}

bool depends_on_time(const Module& module, const Function& f) {
  for (uint32_t i = 0; i < f.instrs.size(); ++i) {
    if (timed(module, f, i)) {
      return true;
    }
  }
  return false;
}

std::vector<bool> cuts(const Module& module, const Function& f) {
  std::vector<bool> out(f.instrs.size());
  for (uint32_t i = 0; i < out.size(); ++i) {
    out[i] = timed(module, f, i) || is_barrier(module.ops[f.instrs[i].op].opcode);
  }
  return out;
}

}  // namespace heddle::ptx::lower
