// Lanes of a warp that wait for each other.
#include "sim/exec/sync_op.h"

#include <bit>

#include "sim/exec/checks/warp_checks.h"
#include "sim/exec/handlers/handlers.h"
#include "sim/exec/handlers/waiting.h"

namespace heddle::exec {
namespace {

constexpr uint32_t kMaskOperand = 4;  // of Kind::kSync

void copy(Register& to, const Register& from, uint32_t mask) {
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    to[lane] = from[lane];
  }
}

void take(SyncValues& v, const Inst& in, const Banks& b, uint32_t mask) {
  for (uint32_t i = 0; i < 3; ++i) {
    if (const Register* s = b.at(in.s[i])) {
      copy(v.s[i], *s, mask);
    }
  }
}

void give(const SyncValues& v, const Inst& in, const Banks& b, uint32_t mask) {
  for (uint32_t i = 0; i < 2; ++i) {
    if (Register* d = b.at(in.d[i])) {
      copy(*d, v.d[i], mask);
    }
  }
}

// The lanes whose operand is that of the first.
uint32_t same_as_first(const Register& r, uint32_t mask) {
  const uint64_t first = r[static_cast<uint32_t>(std::countr_zero(mask))];
  uint32_t out = 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    out |= uint32_t{r[lane] == first} << lane;
  }
  return out;
}

}  // namespace

void leave_others(WarpCore& w, Group& g, uint32_t mask) {
  if (mask != g.mask) {
    w.flow.add(w, g, g.mask & ~mask, g.pc + 1);
    g.mask = mask;
  }
}

// Lanes that name the same mask execute it together, once all of them that have not ended have come, from
// wherever they come.
bool sync(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const Banks b = w.banks(g);
  const Register* masks = b.at(in.s[kMaskOperand]);
  if (masks == nullptr) {  // those that are here
    SyncValues v;
    take(v, in, b, mask);
    sync_op(static_cast<SyncKind>(in.sub), v, mask);
    give(v, in, b, mask);
    ++g.pc;
    return true;
  }
  leave_others(w, g, mask);
  if (w.sync_rules != nullptr) {
    check_mask(w, g, *masks);
  }
  uint32_t done = 0;
  for (uint32_t rest = g.mask; rest != 0;) {
    const uint32_t lanes = same_as_first(*masks, rest);
    const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint32_t wanted = (static_cast<uint32_t>((*masks)[first]) & w.alive) | lanes;
    rest &= ~lanes;
    if (wanted == lanes) {
      SyncValues v;
      take(v, in, b, lanes);
      sync_op(static_cast<SyncKind>(in.sub), v, lanes);
      give(v, in, b, lanes);
      done |= lanes;
    } else if (lanes == g.mask) {
      g.state = Group::State::kAtSync;
      g.wait_for = wanted;
      perform_sync(w, in, wanted);
      return false;
    } else {
      Group& waiting = w.flow.add(w, g, lanes, g.pc);
      g.mask &= ~lanes;
      waiting.state = Group::State::kAtSync;
      waiting.wait_for = wanted;
      perform_sync(w, in, wanted);
    }
  }
  ++g.pc;
  return g.mask == w.alive && done == g.mask;
}

// Lanes that have ended count in no mask: who came when they were there waits for the same as who came later.
void perform_sync(WarpCore& w, const Inst& in, uint32_t wait_for) {
  const auto takes_part = [&](const Group& g) {
    return g.waits(Group::State::kAtSync) && ((g.wait_for ^ wait_for) & w.alive) == 0 &&
           w.code.insts[g.pc].sub == in.sub;
  };
  uint32_t come = 0;
  for (const Group& g : w.groups) {
    come |= takes_part(g) ? g.mask : 0;
  }
  if ((wait_for & w.alive & ~come) != 0 || come == 0) {
    return;
  }
  SyncValues v;
  for (const Group& g : w.groups) {
    if (takes_part(g)) {
      take(v, w.code.insts[g.pc], w.banks(g), g.mask);
    }
  }
  sync_op(static_cast<SyncKind>(in.sub), v, come);
  Group* first = nullptr;
  for (Group& g : w.groups) {
    if (takes_part(g)) {
      give(v, w.code.insts[g.pc], w.banks(g), g.mask);
      g.state = Group::State::kRunnable;
      ++g.pc;
      if (w.flow.meet_after_sync() && first != nullptr && first->pc == g.pc) {
        first->mask |= g.mask;
        g.mask = 0;
      } else {
        first = first == nullptr ? &g : first;
      }
    }
  }
}

}  // namespace heddle::exec
