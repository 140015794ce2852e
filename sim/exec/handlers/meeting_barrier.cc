// Convergence barriers of machine code: BSSY, BSYNC, BREAK. Lanes that part stay apart until all who are
// named by the barrier's register have come to a BSYNC, have left by BREAK or have ended.
#include <bit>

#include "sim/exec/handlers/handlers.h"
#include "sim/exec/handlers/waiting.h"

namespace heddle::exec {

// Whom a group waits for at its BSYNC, as the barrier is now.
uint32_t participants(WarpCore& w, const Group& g) {
  const Register& barrier = *w.banks(g).at(w.code.insts[g.pc].s[0]);
  return (static_cast<uint32_t>(barrier[static_cast<uint32_t>(std::countr_zero(g.mask))]) & w.alive) | g.mask;
}

bool set_meeting_barrier(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  Register& barrier = *w.banks(g).at(in.d[0]);
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    barrier[static_cast<uint32_t>(std::countr_zero(m))] = mask;
  }
  ++g.pc;
  return true;
}

bool converge(WarpCore& w, Group& g, const Inst&, uint32_t mask) {
  leave_others(w, g, mask);
  g.state = Group::State::kAtConverge;
  const uint32_t wanted = participants(w, g);
  if (wanted == mask) {  // nobody else is missing, the usual case
    g.state = Group::State::kRunnable;
    ++g.pc;
    return true;
  }
  meet(w, wanted);
  return false;
}

// Lets those of these lanes go on that wait at a BSYNC, if all of them do.
bool meet(WarpCore& w, uint32_t lanes) {
  uint32_t come = 0;
  for (const Group& g : w.groups) {
    come |= g.waits(Group::State::kAtConverge) && (g.mask & ~lanes) == 0 ? g.mask : 0;
  }
  if (come == 0 || (lanes & ~come) != 0) {
    return false;
  }
  for (Group& g : w.groups) {
    if (!g.waits(Group::State::kAtConverge) || (g.mask & ~lanes) != 0) {
      continue;
    }
    for (Group& other : w.groups) {
      if (&other != &g && other.mask != 0 && other.state == Group::State::kAtConverge &&
          (other.mask & ~lanes) == 0 && other.pc == g.pc) {
        g.mask |= other.mask;
        other.mask = 0;
      }
    }
    g.state = Group::State::kRunnable;
    ++g.pc;
  }
  return true;
}

bool leave_meeting_barrier(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  Register& barrier = *w.banks(g).at(in.s[0]);
  const auto lanes = static_cast<uint32_t>(barrier[static_cast<uint32_t>(std::countr_zero(mask))]);
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    barrier[static_cast<uint32_t>(std::countr_zero(m))] &= ~uint64_t{mask};
  }
  const uint32_t rest = lanes & ~mask & w.alive;
  if (rest != 0) {
    meet(w, rest);
  }
  ++g.pc;
  return true;
}

}  // namespace heddle::exec
