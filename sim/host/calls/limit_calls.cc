// Calls about the device's limits and what stays in its L2; what is not done before it has to be.
#include <utility>

#include "sim/host/calls/threads.h"

namespace heddle::host {
namespace {

bool of_l2(const Call& c) { return c.object == static_cast<uint32_t>(Limit::kPersistingL2); }

}  // namespace

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
      return done(of_l2(c) ? l2_.set_limit(device, c.bytes)
                           : nested_.set_limit(device, static_cast<Limit>(c.object), c.bytes));
    case Op::kDeviceGetLimit:
      answer(thread, std::to_string(of_l2(c) ? l2_.limit(device)
                                             : nested_.limit(device, static_cast<Limit>(c.object))));
      return true;
    case Op::kStreamSetWindow:
      return !stream_alive(thread, c.stream) || done(l2_.set_window(c.stream, c.window));
    case Op::kFuncGetAttributes:
      loads(c, device);
      return true;
    default:
      l2_.reset(device);
      return true;
  }
}

// LZ02: whether the call is the first to name the kernel, so that it loads it. Loading needs the context,
// which may have to wait for everything that the device does (LZ04).
bool Threads::loads(const Call& c, uint32_t device) {
  if (!core_.rules.lazy_loading || loaded_[device][c.object]) {
    return false;
  }
  loaded_[device][c.object] = true;
  return true;
}

bool Threads::flush() {
  const std::vector<uint32_t> now = std::exchange(not_submitted_, {});
  for (const uint32_t slot : now) {
    connections_.submit(slot, core_.now + core_.params.submit);
  }
  return !now.empty();
}

bool Threads::device_call(uint32_t thread, const Call& c) {
  const Program& p = core_.program;
  if (c.op == Op::kGetDeviceCount) {
    answer(thread, std::to_string(p.devices));
  } else if (c.object >= p.devices) {
    fail(thread, "cudaErrorInvalidDevice",
         "device " + std::to_string(c.object) + " of " + std::to_string(p.devices) + " that are visible");
  } else if (c.op == Op::kSetDevice) {
    threads_[thread].device = c.object;
  } else {
    answer(thread, std::to_string(p.visible.empty() ? c.object : p.visible[c.object]));
  }
  return true;
}

}  // namespace heddle::host
