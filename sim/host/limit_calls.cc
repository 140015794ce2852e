// Calls about the device's limits and what stays in its L2.
#include "sim/host/threads.h"

namespace heddle::host {

bool Threads::limit_call(uint32_t thread, const Call& c) {
  const uint32_t device = threads_[thread].device;
  const auto done = [&](const std::optional<Refusal>& no) {
    if (no) {
      fail(thread, no->error, no->why);
    }
    return true;
  };
  switch (c.op) {
    case Op::kDeviceSetLimit:
      return done(l2_.set_limit(device, c.bytes));
    case Op::kDeviceGetLimit:
      answer(thread, std::to_string(l2_.limit(device)));
      return true;
    case Op::kStreamSetWindow:
      return !stream_alive(thread, c.stream) || done(l2_.set_window(c.stream, c.window));
    default:
      l2_.reset(device);
      return true;
  }
}

}  // namespace heddle::host
