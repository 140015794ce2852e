// Convergence barriers of machine code: BSSY, BSYNC, BREAK. Lanes that part stay apart until all who are
// named by the barrier's register have come to a BSYNC, have left by BREAK or have ended.
#include <bit>

#include "sim/exec/block.h"
#include "sim/exec/warp.h"

namespace heddle::exec {

// Whom a group waits for at its BSYNC, as the barrier is now.
uint32_t Warp::participants(const Group& g) {
  const Register& barrier = *banks(g).at(code_.insts[g.pc].s[0]);
  return (static_cast<uint32_t>(barrier[static_cast<uint32_t>(std::countr_zero(g.mask))]) & alive_) | g.mask;
}

bool Warp::converge(Group& g, uint32_t mask) {
  if (mask != g.mask) {
    add_group(g, g.mask & ~mask, g.pc + 1);
    g.mask = mask;
  }
  g.state = State::kAtConverge;
  const uint32_t wanted = participants(g);
  if (wanted == mask) {  // nobody else is missing, the usual case
    g.state = State::kRunnable;
    ++g.pc;
    return true;
  }
  meet(wanted);
  return false;
}

// Lets those of these lanes go on that wait at a BSYNC, if all of them do.
bool Warp::meet(uint32_t lanes) {
  uint32_t come = 0;
  for (const Group& g : groups_) {
    come |= g.mask != 0 && g.state == State::kAtConverge && (g.mask & ~lanes) == 0 ? g.mask : 0;
  }
  if (come == 0 || (lanes & ~come) != 0) {
    return false;
  }
  for (Group& g : groups_) {
    if (g.mask == 0 || g.state != State::kAtConverge || (g.mask & ~lanes) != 0) {
      continue;
    }
    for (Group& other : groups_) {
      if (&other != &g && other.mask != 0 && other.state == State::kAtConverge &&
          (other.mask & ~lanes) == 0 && other.pc == g.pc) {
        g.mask |= other.mask;
        other.mask = 0;
      }
    }
    g.state = State::kRunnable;
    ++g.pc;
  }
  return true;
}

void Warp::leave_barrier(const Group& g, const Inst& in, uint32_t mask) {
  Register& barrier = *banks(g).at(in.s[0]);
  const auto lanes = static_cast<uint32_t>(barrier[static_cast<uint32_t>(std::countr_zero(mask))]);
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    barrier[static_cast<uint32_t>(std::countr_zero(m))] &= ~uint64_t{mask};
  }
  const uint32_t rest = lanes & ~mask & alive_;
  if (rest != 0) {
    meet(rest);
  }
}

// Whoever waits to meet others goes on alone (release_joins).
bool Warp::release_barriers() {
  bool any = false;
  for (Group& g : groups_) {
    if (g.mask != 0 && g.state == State::kAtConverge) {
      g.state = State::kRunnable;
      ++g.pc;
      any = true;
    }
  }
  return any;
}

}  // namespace heddle::exec
