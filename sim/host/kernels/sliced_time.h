// The time of a device as a context sees it that has it only now and then: what of the host's time has passed
// while its kernels could go on. The last interval without the device may have no end yet: the context's time
// stands still then.
#pragma once

#include <vector>

#include "sim/host/program/time.h"

namespace heddle::host {

class SlicedTime {
 public:
  bool open() const { return open_; }
  // The context has lost the device, or gets it, at a time of the host's that is not before the last one.
  void close(Ps at);
  void reopen(Ps at);

  // What a time of the host's is on the device, and the other way round. A time at which the device stood
  // still has two of the host's: the one before, when something ends; the one behind, when something begins.
  // kNever stays what it is.
  Ps to_device(Ps host) const;
  Ps to_host_end(Ps device) const { return to_host(device, false); }
  Ps to_host_start(Ps device) const { return to_host(device, true); }

  // Nothing is asked any more of what was before: it takes no memory.
  void forget();

 private:
  struct Closed {
    Ps from{}, until{};  // of the host's
    Ps before{};         // closed before that, in all
  };
  Ps to_host(Ps device, bool start) const;

  std::vector<Closed> closed_;
  Ps all_{};  // of what has an end
  Ps forgotten_{};
  bool open_ = true;
};

}  // namespace heddle::host
