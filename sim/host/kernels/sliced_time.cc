#include "sim/host/kernels/sliced_time.h"

#include <algorithm>

namespace heddle::host {

void SlicedTime::close(Ps at) {
  closed_.push_back({at, kNever, all_});
  open_ = false;
}

void SlicedTime::reopen(Ps at) {
  Closed& c = closed_.back();
  c.until = std::max(at, c.from);
  all_ = c.before + (c.until - c.from);
  open_ = true;
}

Ps SlicedTime::to_device(Ps host) const {
  if (host == kNever && open_) {
    return kNever;
  }
  for (auto c = closed_.rbegin(); c != closed_.rend(); ++c) {
    if (host >= c->from) {
      const Ps passed = std::min(host, c->until) - c->from;
      return host - c->before - passed;
    }
  }
  return host - forgotten_;
}

Ps SlicedTime::to_host(Ps device, bool start) const {
  if (device == kNever) {
    return kNever;
  }
  Ps out = device + forgotten_;
  for (const Closed& c : closed_) {
    const Ps from = c.from - c.before;  // on the device
    if (c.until == kNever || (start ? device < from : device <= from)) {
      break;
    }
    out = device + c.before + (c.until - c.from);
  }
  return out;
}

void SlicedTime::forget() {
  if (open_) {
    closed_.clear();
    forgotten_ = all_;
  }
}

}  // namespace heddle::host
