// Machine code says itself where its lanes meet: at BSYNC (handlers/meeting_barrier.cc). The order is that of
// the H200's recordings.
#include <bit>

#include "sim/exec/warp/core.h"

namespace heddle::exec {
namespace {

// Lanes that part join those who parted last, if these left the same branch for the same place, such as one
// loop turn after the other. Others come one group after the other to a BSYNC where all wait.
Group* left_before(WarpCore& w, const Group& like, uint32_t pc) {
  Group* last = nullptr;
  for (Group& x : w.groups) {
    if (x.runs() && &x != &like && (last == nullptr || x.born > last->born)) {
      last = &x;
    }
  }
  const bool same = last != nullptr && last->from == like.pc && last->pc == pc && last->base == like.base &&
                    last->local == like.local && last->join == like.join;
  return same ? last : nullptr;
}

class Explicit final : public Convergence {
 public:
  // Who has waited longest; then who parted from others last.
  Group* choose(WarpCore& w) const override {
    Group* best = nullptr;
    for (Group& g : w.groups) {
      if (g.runs() &&
          (best == nullptr || g.turn < best->turn || (g.turn == best->turn && g.born > best->born))) {
        best = &g;
      }
    }
    return best;
  }

  Group& add(WarpCore& w, const Group& like, uint32_t mask, uint32_t pc) const override {
    if (Group* last = left_before(w, like, pc)) {
      last->mask |= mask;
      return *last;
    }
    return Convergence::add(w, like, mask, pc);
  }

  // The fewer go first, of as many those who do not jump.
  bool part(WarpCore& w, Group& g, uint32_t jump, const Inst& in) const override {
    if (std::popcount(jump) >= std::popcount(g.mask & ~jump)) {
      return Convergence::part(w, g, jump, in);
    }
    add(w, g, g.mask & ~jump, g.pc + 1);
    g.mask = jump;
    g.pc = in.target;
    return true;
  }

  bool release(WarpCore& w) const override {
    bool any = false;
    for (Group& g : w.groups) {
      if (g.waits(Group::State::kAtConverge)) {
        g.state = Group::State::kRunnable;
        ++g.pc;
        any = true;
      }
    }
    return any;
  }

  bool meet_after_sync() const override { return true; }
};

}  // namespace

const Convergence& explicit_convergence() {
  static const Explicit model;
  return model;
}

}  // namespace heddle::exec
