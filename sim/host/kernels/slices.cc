#include "sim/host/kernels/slices.h"

#include <algorithm>

namespace heddle::host {

void Slices::give(Ps at) {
  turn_ = {};
  if (count_ == 0) {
    return;
  }
  turn_.context = waiting_[0];
  std::copy(waiting_.begin() + 1, waiting_.begin() + count_, waiting_.begin());
  --count_;
  turn_.from = at + (last_ == kNobody || last_ == turn_.context ? Ps() : change_);
  turn_.until = count_ == 0 ? kNever : turn_.from + slice_;
  last_ = turn_.context;
}

void Slices::wants(uint32_t context, Ps at) {
  waiting_[count_++] = context;
  if (turn_.context == kNobody) {
    give(at);
  } else if (turn_.until == kNever) {
    // Who was alone has had one slice after the other: the one that runs is over at its own time.
    const uint64_t had = at > turn_.from ? (at - turn_.from) / slice_ : 0;
    turn_.until = turn_.from + slice_ * (had + 1);
  }
}

void Slices::rests(uint32_t context, Ps at) {
  if (turn_.context == context) {
    give(at);
    return;
  }
  const auto end = waiting_.begin() + count_;
  const auto it = std::find(waiting_.begin(), end, context);
  if (it != end) {
    std::copy(it + 1, end, it);
    --count_;
    turn_.until = count_ == 0 ? kNever : turn_.until;
  }
}

void Slices::advance(Ps now) {
  while (turn_.until <= now) {
    waiting_[count_++] = turn_.context;
    give(turn_.until);
  }
}

}  // namespace heddle::host
