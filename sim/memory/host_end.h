// The host's memory at the other end of the device's link: serves what kernels load from and store to it,
// request by request, with values. A device of its own for LinkPort (number kHostDevice), without a machine.
#pragma once

#include <cstdint>

#include "sim/engine/bandwidth.h"
#include "sim/isa/program.h"
#include "sim/memory/link_port.h"
#include "sim/memory/memory_system.h"
#include "sim/memory/owners.h"

namespace heddle::memory {

// The device itself, and the host.
inline constexpr uint8_t kThisDevice = 0, kHostDevice = 1;

// The link as a kernel's accesses find it: `there` from the device, `back` to it. Each packet has a line's
// data or less.
struct HostLink {
  LinkTiming there, back;
};

class HostEnd {
 public:
  explicit HostEnd(const HostLink& link) : link_(link) {}

  // What of the addresses is the host's; not while SMs advance.
  Owners& owners() { return owners_; }
  // The device's memory side sends what is the host's here.
  void attach(MemorySystem& device) { device.join(kThisDevice, kHostDevice + 1, link_.there, owners_); }
  void reset() { back_.reset(); }

  // Between two quanta: what has left the device is served, and answered. `image`: the memory; null: no
  // values. Whether it has changed.
  bool serve(MemorySystem& device, isa::GlobalMemory* image);

 private:
  const HostLink link_;
  Owners owners_;
  Server back_;
};

}  // namespace heddle::memory
