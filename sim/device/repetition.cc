#include "sim/device/repetition.h"

namespace heddle::device {
namespace {

constexpr Cycle kLooks = 16;   // in a time of patience
constexpr uint64_t kMore = 4;  // times as many warps, when all that are looked at repeat themselves

}  // namespace

bool Repetition::look(const std::vector<std::unique_ptr<sm::Sm>>& sms, uint64_t changes, Cycle now,
                      uint64_t patience) {
  if (changes != changes_) {
    reset(now);
    changes_ = changes;
    return false;
  }
  if (now - quiet_since_ < patience || now < next_look_) {
    return false;
  }
  next_look_ = now + patience / kLooks;
  bool any = false, all = true;
  uint64_t number = 0;
  for (const auto& sm : sms) {
    all = all && !sm->any_draining();
    sm->for_each_running([&](uint32_t id, const isa::WarpProgram& program) {
      if (++number > looked_at_) {
        return;
      }
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
  if (any && all && number > looked_at_) {
    looked_at_ *= kMore;
    return false;
  }
  return any && all;
}

}  // namespace heddle::device
