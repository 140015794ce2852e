// Where lanes go on, and how they part.
#include <bit>
#include <string>

#include "sim/exec/checks/sync_rules.h"
#include "sim/exec/handlers/handlers.h"

namespace heddle::exec {

bool branch(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  if (in.sub != 0) {
    mask = g.mask;
  } else if (in.s[0] != kNoSlot) {
    const Register& condition = *w.banks(g).at(in.s[0]);
    for (uint32_t m = mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      mask &= condition[lane] != 0 ? ~0U : ~(1U << lane);
    }
    if (mask == 0) {
      ++g.pc;
      return true;
    }
  }
  w.backward += in.target <= g.pc ? 1 : 0;
  if (mask == g.mask) {
    g.pc = in.target;
    return true;
  }
  if (w.sync_rules != nullptr) {
    w.sync_rules->part(w.index, g.mask, g.pc, in.target <= g.pc ? g.mask & ~mask : 0);
  }
  if (in.reconverge != kNoPc) {
    g.join = join_at(w, g, in.reconverge);
  }
  return w.flow.part(w, g, mask, in);
}

bool branch_index(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const std::vector<uint32_t>& targets = w.code.targets[in.target];
  const Register& index = *w.banks(g).at(in.s[0]);
  if (in.reconverge != kNoPc) {
    g.join = join_at(w, g, in.reconverge);
  }
  const Group from = g;
  g.mask &= ~mask;
  ++g.pc;
  while (mask != 0) {
    const auto first = static_cast<uint32_t>(std::countr_zero(mask));
    const uint64_t wanted = index[first];
    if (wanted >= targets.size() || targets[wanted] == kNoPc) {
      w.fail(from.pc, first,
             "index " + std::to_string(wanted) + " of brx.idx (legal: up to " +
                 std::to_string(targets.size() - 1) + ")");
    }
    uint32_t same = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      same |= uint32_t{index[lane] == wanted} << lane;
    }
    w.backward += targets[wanted] <= from.pc ? 1 : 0;
    if (same == from.mask) {
      g.mask = same;
      g.pc = targets[wanted];
      return true;
    }
    if (w.sync_rules != nullptr) {
      w.sync_rules->part(w.index, from.mask, from.pc, 0);
    }
    mask &= ~same;
    w.flow.add(w, from, same, targets[wanted]);
  }
  return g.mask != 0 && w.flow.independent();
}

}  // namespace heddle::exec
