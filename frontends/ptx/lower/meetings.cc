#include "frontends/ptx/lower/meetings.h"

#include <algorithm>

#include "frontends/ptx/special.h"
#include "sim/base/dominators.h"

namespace heddle::ptx::lower {
namespace {

// By register: whether lanes may have different values in it.
std::vector<bool> different(const Function& f, const Uses& uses) {
  std::vector<bool> out(f.register_types.size());
  const auto differs = [&](const Operand& o) {
    switch (o.kind) {
      case OperandKind::kRegister:
        return static_cast<bool>(out[o.id]);
      case OperandKind::kAddress:
        return o.base == Base::kRegister && out[o.id];
      case OperandKind::kVector:
        return std::any_of(f.elements(o).begin(), f.elements(o).end(),
                           [&](const Operand& e) { return e.kind == OperandKind::kRegister && out[e.id]; });
      case OperandKind::kSpecial: {
        const SpecialKind k = Special::unpack(o.id).kind;
        return k == SpecialKind::kTid || k == SpecialKind::kLaneid || k == SpecialKind::kLanemaskLt ||
               k == SpecialKind::kLanemaskLe || k == SpecialKind::kLanemaskEq ||
               k == SpecialKind::kLanemaskGe || k == SpecialKind::kLanemaskGt;
      }
      default:
        return false;
    }
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < f.instrs.size(); ++i) {
      const Op& o = uses.op(i);
      const auto x = uses.operands(i);
      const bool from_memory =
          (o.opcode == Opcode::kLd && o.space != Space::kParam && o.space != Space::kConst) ||
          o.opcode == Opcode::kAtom || o.opcode == Opcode::kShfl || o.opcode == Opcode::kMatch ||
          o.opcode == Opcode::kCall || o.opcode == Opcode::kElect;
      bool any = from_memory || (f.instrs[i].guard != kNone && out[f.instrs[i].guard]);
      if (o.opcode != Opcode::kVote && o.opcode != Opcode::kRedux) {
        for (size_t k = 0; k < x.size(); ++k) {
          any |= !is_destination(o, k) && differs(x[k]);
        }
      }
      for (size_t k = 0; any && k < x.size(); ++k) {
        const auto mark = [&](const Operand& e) {
          if (e.kind == OperandKind::kRegister && !out[e.id]) {
            out[e.id] = changed = true;
          }
        };
        if (o.opcode == Opcode::kCall ? k == 0 : is_destination(o, k)) {
          if (x[k].kind == OperandKind::kVector) {
            std::for_each(f.elements(x[k]).begin(), f.elements(x[k]).end(), mark);
          } else {
            mark(x[k]);
          }
        }
      }
    }
  }
  return out;
}

}  // namespace

Meetings find_meetings(const Module& module, const Lowered& lowered, const Uses& uses) {
  const Function& f = *lowered.function;
  const auto n = static_cast<uint32_t>(lowered.blocks.size());
  Meetings out{std::vector<bool>(n), std::vector<bool>(n)};
  Graph next(n + 1);  // with the end
  for (uint32_t b = 0; b < n; ++b) {
    next[b] = lowered.blocks[b].next;
    if (next[b].empty()) {
      next[b].push_back(n);
    }
  }
  const Graph before = reversed(next);
  const std::vector<uint32_t> first = dominators(next, 0), last = dominators(before, n);
  const std::vector<bool> differs = different(f, uses);
  const auto divides = [&](uint32_t b) {
    const Instr& in = f.instrs[lowered.blocks[b].stretches.back().end - 1];
    return next[b].size() == 2 && module.ops[in.op].opcode == Opcode::kBra && in.guard != kNone &&
           differs[in.guard] && next[b][0] > b && next[b][1] > b;
  };
  for (uint32_t b = 0; b < n; ++b) {
    const uint32_t meet = last[b];
    if (!divides(b) || meet >= n || meet <= b) {
      continue;
    }
    const bool loop =
        std::any_of(before[meet].begin(), before[meet].end(), [&](uint32_t p) { return p >= meet; });
    const uint32_t from = first[meet];
    if (!loop && from <= b && divides(from) && last[from] == meet) {
      out.parts[from] = out.meets[meet] = true;
    }
  }
  return out;
}

}  // namespace heddle::ptx::lower
