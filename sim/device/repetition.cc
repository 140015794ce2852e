#include "sim/device/repetition.h"

namespace heddle::device {
namespace {

constexpr Cycle kLooks = 16;  // in a time of patience

}  // namespace

bool Repetition::look(const std::vector<std::unique_ptr<sm::Sm>>& sms, uint64_t changes, Cycle now,
                      uint64_t patience) {
  if (changes != changes_) {
    reset(now);
    changes_ = changes;
    return false;
  }
  // A look costs as much as all of the warps' state.
  if (now - quiet_since_ < patience || now < next_look_) {
    return false;
  }
  next_look_ = now + patience / kLooks;
  bool any = false, all = true;
  for (const auto& sm : sms) {
    all = all && !sm->any_draining();
    sm->for_each_running([&](uint32_t id, const isa::WarpProgram& program) {
      Warp& w = seen_[uint64_t{sm->index()} << 32 | id];
      const isa::WarpProgram::State s = program.state();
      if (s.executed != w.executed && s.known) {
        w.repeats |= !w.states.insert(s.hash).second;
      }
      w.executed = s.executed;
      any |= w.repeats;
      all &= w.repeats;
    });
  }
  return any && all;
}

}  // namespace heddle::device
