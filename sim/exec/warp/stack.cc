// Warps without independent threads, below compute capability 7.0. Lanes that part are a stack of paths: the
// newest runs until it ends or comes to where all meet, then the one below. A path that waits for another of
// its warp waits for ever.
#include <fmt/format.h>

#include <bit>

#include "sim/exec/warp/core.h"

namespace heddle::exec {
namespace {

const Group* newest(const WarpCore& w) {
  const Group* top = nullptr;
  for (const Group& g : w.groups) {
    if (g.mask != 0 && (top == nullptr || g.born > top->born)) {
      top = &g;
    }
  }
  return top;
}

class Stack final : public Convergence {
 public:
  // The newest path, or none while it waits. Throws Error when it waits for lanes below.
  Group* choose(WarpCore& w) const override {
    const Group* top = newest(w);
    if (top == nullptr || top->runs()) {
      return const_cast<Group*>(top);  // of w, which may be written
    }
    if (top->state == Group::State::kAtSync || top->state == Group::State::kAtMatrix) {
      w.fail(
          top->pc, static_cast<uint32_t>(std::countr_zero(top->mask)),
          fmt::format("lanes 0x{:x} wait for others of 0x{:x}, which have parted from them and cannot come: "
                      "no independent threads below sm_70 (legal: all lanes of the mask at the same place)",
                      top->mask, top->state == Group::State::kAtSync ? top->wait_for : w.alive));
    }
    return nullptr;
  }

  // Which of two paths is on top is not published: here those that jump.
  bool part(WarpCore& w, Group& g, uint32_t jump, const Inst& in) const override {
    Convergence::part(w, g, jump, in);
    return false;
  }

  bool release(WarpCore&) const override { return false; }
  bool independent() const override { return false; }

  std::string waits(const WarpCore& w) const override {
    const Group* top = newest(w);
    const uint32_t below = top != nullptr ? w.alive & ~top->mask : w.alive;
    if (below == 0) {
      return "";
    }
    return fmt::format(
        " while lanes 0x{:x} of the same warp wait for these to meet them: a live lock if they are what is "
        "waited for (no independent threads below sm_70)",
        below);
  }
};

}  // namespace

const Convergence& reconvergence_stack() {
  static const Stack model;
  return model;
}

}  // namespace heddle::exec
