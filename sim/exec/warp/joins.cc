// Lanes that part meet at the branch's post-dominator (Inst::reconverge).
#include <algorithm>

#include "sim/exec/warp/core.h"

namespace heddle::exec {
namespace {

class Joins final : public Convergence {
 public:
  // Who has waited longest; then the deepest call, so that callers wait for those that parted in the
  // function; then who is behind.
  Group* choose(WarpCore& w) const override {
    Group* best = nullptr;
    for (Group& g : w.groups) {
      if (g.runs() &&
          (best == nullptr || g.turn < best->turn ||
           (g.turn == best->turn && (g.base > best->base || (g.base == best->base && g.pc < best->pc))))) {
        best = &g;
      }
    }
    return best;
  }

  void merge(WarpCore& w) const override {
    for (size_t i = 0; i < w.groups.size(); ++i) {
      Group& a = w.groups[i];
      if (!a.runs() || a.mask == w.alive) {
        continue;
      }
      for (size_t k = i + 1; k < w.groups.size(); ++k) {
        Group& b = w.groups[k];
        if (b.runs() && a.pc == b.pc && a.base == b.base && a.local == b.local && a.join == b.join &&
            a.told == b.told) {
          a.mask |= b.mask;
          a.turn = std::min(a.turn, b.turn);
          a.born = std::max(a.born, b.born);
          b.mask = 0;
        }
      }
    }
  }

  bool release(WarpCore& w) const override {
    bool any = false;
    for (size_t i = 0; i < w.joins.size(); ++i) {
      if (w.joins[i].arrived != 0) {
        finish_join(w, static_cast<int>(i));
        any = true;
      }
    }
    return any;
  }
};

}  // namespace

const Convergence& meeting_at_joins() {
  static const Joins model;
  return model;
}

Group& Convergence::add(WarpCore& w, const Group& like, uint32_t mask, uint32_t pc) const {
  // A lane is in one group, so there are never more than lanes.
  const Group copy = like;
  const auto free =
      std::find_if(w.groups.begin(), w.groups.end(), [](const Group& x) { return x.mask == 0; });
  Group& g = free == w.groups.end() ? w.groups.emplace_back() : *free;
  g = copy;
  g.mask = mask;
  g.pc = pc;
  g.state = Group::State::kRunnable;
  g.born = ++w.groups_born;
  g.from = copy.pc;
  return g;
}

bool Convergence::part(WarpCore& w, Group& g, uint32_t jump, const Inst& in) const {
  add(w, g, jump, in.target);
  g.mask &= ~jump;
  ++g.pc;
  return true;
}

// Each join has lanes of two groups, so there are fewer joins than lanes.
int join_at(WarpCore& w, const Group& g, uint32_t pc) {
  if (g.join >= 0) {
    const Join& top = w.joins[static_cast<size_t>(g.join)];
    if (top.pc == pc && top.base == g.base) {
      return g.join;
    }
  }
  auto free = std::find_if(w.joins.begin(), w.joins.end(), [](const Join& j) { return j.expected == 0; });
  if (free == w.joins.end()) {
    if (w.joins.size() == kLanes) {
      return g.join;
    }
    free = w.joins.emplace(w.joins.end());
  }
  *free = {pc, g.base, g.local, g.mask, 0, g.join};
  return static_cast<int>(free - w.joins.begin());
}

bool arrive_at_join(WarpCore& w, Group& g) {
  Join& j = w.joins[static_cast<size_t>(g.join)];
  j.arrived |= g.mask;
  if (j.arrived != j.expected) {
    g.mask = 0;
    return false;
  }
  g.mask = j.expected;
  g.join = j.parent;
  j.expected = j.arrived = 0;
  return true;
}

void finish_join(WarpCore& w, int join) {
  Join& j = w.joins[static_cast<size_t>(join)];
  Group g;
  g.base = j.base;
  g.local = j.local;
  g.join = j.parent;
  w.flow.add(w, g, j.arrived, j.pc);
  j.expected &= ~j.arrived;
  j.arrived = 0;
}

}  // namespace heddle::exec
