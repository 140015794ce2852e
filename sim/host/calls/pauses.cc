#include "sim/host/calls/pauses.h"

#include <algorithm>
#include <cmath>

namespace heddle::host {

Ps Pauses::before(const CallType& type, uint32_t thread) const {
  if (thread >= threads_.size() || threads_[thread].since == kNever || !type.runs_driver()) {
    return {};
  }
  const Thread& t = threads_[thread];
  const Ps pause = core_.now - t.since;
  const Params::Pause& p = pause - t.worked > t.worked ? core_.params.slept : core_.params.worked;
  if (pause <= p.from) {
    return {};
  }
  const double decades = std::log10(static_cast<double>(pause.count()) / static_cast<double>(p.from.count()));
  return std::min(p.most, Ps(std::llround(static_cast<double>(p.decade.count()) * decades)));
}

void Pauses::returned(const CallType& type, uint32_t thread, Ps began) {
  if (thread >= threads_.size()) {
    threads_.resize(thread + 1);
  }
  Thread& t = threads_[thread];
  // What the program touches may fault: the driver is at work then, too.
  if (type.runs_driver() || type.op == Op::kHostAccess) {
    t = {core_.now, {}};
  } else if (type.op == Op::kCompute) {
    t.worked += core_.now - began;
  }
}

}  // namespace heddle::host
