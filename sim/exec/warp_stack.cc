// Warps without independent threads, below compute capability 7.0. Lanes that part are a stack of paths: the
// newest runs until it ends or comes to where all meet, then the one below. A path that waits for another of
// its warp waits for ever.
#include <fmt/format.h>

#include <bit>

#include "sim/exec/warp.h"

namespace heddle::exec {

size_t Warp::newest() const {
  size_t top = groups_.size();
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].mask != 0 && (top == groups_.size() || groups_[i].born > groups_[top].born)) {
      top = i;
    }
  }
  return top;
}

// The lanes of the newest path, or none while they wait. Which of two paths is on top is not published: here
// those that jump. Throws Error when they wait for lanes below them.
Warp::Group* Warp::top_of_stack() {
  const size_t newest = this->newest();
  Group* const top = newest < groups_.size() ? &groups_[newest] : nullptr;
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
  const size_t top = newest();
  const uint32_t below = top < groups_.size() ? alive_ & ~groups_[top].mask : alive_;
  if (below == 0) {
    return "";
  }
  return fmt::format(
      " while lanes 0x{:x} of the same warp wait for these to meet them: a live lock if they are what is "
      "waited for (no independent threads below sm_70)",
      below);
}

}  // namespace heddle::exec
