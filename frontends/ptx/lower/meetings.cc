#include "frontends/ptx/lower/meetings.h"

#include <algorithm>

#include "frontends/ptx/special.h"

namespace heddle::ptx::lower {
namespace {

using Graph = std::vector<std::vector<uint32_t>>;

Graph reversed(const Graph& g) {
  Graph out(g.size());
  for (uint32_t a = 0; a < g.size(); ++a) {
    for (const uint32_t b : g[a]) {
      out[b].push_back(a);
    }
  }
  return out;
}

// The nodes that can be reached, each before those behind it (but for loops).
std::vector<uint32_t> order_of(const Graph& next, uint32_t root) {
  std::vector<uint32_t> out;
  std::vector<bool> seen(next.size());
  std::vector<std::pair<uint32_t, size_t>> stack{{root, 0}};
  seen[root] = true;
  while (!stack.empty()) {
    auto& [node, at] = stack.back();
    if (at < next[node].size()) {
      const uint32_t to = next[node][at++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
    } else {
      out.push_back(node);
      stack.pop_back();
    }
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// Of each node the last one that every way from the root to it goes through; kNone: it is not reached, or the
// root. (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.)
std::vector<uint32_t> dominators(const Graph& next, uint32_t root) {
  const std::vector<uint32_t> order = order_of(next, root);
  std::vector<uint32_t> place(next.size(), kNone), out(next.size(), kNone);
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
  }
  const Graph before = reversed(next);
  out[root] = root;
  const auto common = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      (place[a] > place[b] ? a : b) = out[place[a] > place[b] ? a : b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < order.size(); ++i) {
      uint32_t found = kNone;
      for (const uint32_t p : before[order[i]]) {
        if (place[p] != kNone && out[p] != kNone) {
          found = found == kNone ? p : common(found, p);
        }
      }
      changed |= found != out[order[i]];
      out[order[i]] = found;
    }
  }
  out[root] = kNone;
  return out;
}

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
  const std::vector<uint32_t> first = dominators(next, 0), last = dominators(reversed(next), n);
  const Graph before = reversed(next);
  const std::vector<bool> differs = different(f, uses);
  const auto divides = [&](uint32_t b) {
    const Instr& in = f.instrs[lowered.blocks[b].stretches.back().end - 1];
    return next[b].size() == 2 && module.ops[in.op].opcode == Opcode::kBra && in.guard != kNone &&
           differs[in.guard] && next[b][0] > b && next[b][1] > b;
  };
  for (uint32_t b = 0; b < n; ++b) {
    const uint32_t meet = last[b];
    if (!divides(b) || meet == kNone || meet >= n || meet <= b) {
      continue;
    }
    const bool loop =
        std::any_of(before[meet].begin(), before[meet].end(), [&](uint32_t p) { return p >= meet; });
    const uint32_t from = first[meet];
    if (!loop && from != kNone && from <= b && divides(from) && last[from] == meet) {
      out.parts[from] = out.meets[meet] = true;
    }
  }
  return out;
}

}  // namespace heddle::ptx::lower
