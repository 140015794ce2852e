// Warps without independent threads, below compute capability 7.0. Lanes that part are a stack of paths: the
// newest runs until it ends or comes to where all meet, then the one below. A path that waits for another of
// its warp waits for ever.
#include <fmt/format.h>

#include <bit>

#include "sim/exec/warp.h"

namespace heddle::exec {

// The lanes of the newest path, or none while they wait. Which of two paths is on top is not published: here
// those that jump. Throws Error when they wait for lanes below them.
Warp::Group* Warp::top_of_stack() {
  Group* top = nullptr;
  for (Group& g : groups_) {
    if (g.mask != 0 && (top == nullptr || g.born > top->born)) {
      top = &g;
    }
  }
  if (top == nullptr || top->state == State::kRunnable) {
    return top;
  }
  if (top->state == State::kAtSync || top->state == State::kAtMatrix) {
    fail(top->pc, static_cast<uint32_t>(std::countr_zero(top->mask)),
         fmt::format("lanes 0x{:x} wait for others of 0x{:x}, which have parted from them and cannot come: "
                     "no independent "
                     "threads below sm_70 (legal: all lanes of the mask at the same place)",
                     top->mask, top->state == State::kAtSync ? top->wait_for : alive_));
  }
  return nullptr;
}

std::string Warp::on_stack() const {
  uint32_t below = 0, active = 0;
  uint64_t newest = 0;
  for (const Group& g : groups_) {
    if (g.mask != 0 && g.born >= newest) {
      below |= active;
      active = g.mask;
      newest = g.born;
    } else {
      below |= g.mask;
    }
  }
  for (const Join& j : joins_) {
    below |= j.arrived;
  }
  if (below == 0) {
    return "";
  }
  return fmt::format(
      " while lanes 0x{:x} of the same warp wait for these to meet them: a live lock if they are what is "
      "waited for (no independent threads below sm_70)",
      below);
}

}  // namespace heddle::exec
