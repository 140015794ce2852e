// The host's memory at the other end of the device's link: serves what kernels load from and store to it,
// request by request, with values. A device of its own for LinkPort (number kHostDevice), without a machine.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/engine/bandwidth.h"
#include "sim/isa/program.h"
#include "sim/memory/link_port.h"
#include "sim/memory/memory_system.h"
#include "sim/memory/owners.h"

namespace heddle::memory {

// The device itself, the host, and nobody whom the device reaches: such a page of unified memory has to come,
// or to be mapped, and requests for it wait until then.
inline constexpr uint8_t kThisDevice = 0, kHostDevice = 1, kAway = 2;

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
  void attach(MemorySystem& device) { device.join(kThisDevice, kAway + 1, link_.there, owners_); }
  void reset() {
    back_.reset();
    held_.clear();
    faults_.clear();
  }
  // Requests for pages that are away wait (place()); else they are served at once.
  void hold(bool on) { holds_ = on; }

  // Between two quanta: what has left the device is served, and answered. `image`: the memory; null: no
  // values. Whether it has changed.
  bool serve(MemorySystem& device, isa::GlobalMemory* image);

  // First requests of each SM for pages that are away, in the order in which they have come.
  struct Fault {
    uint64_t page = 0;  // its first address
    bool writes = false;
    Cycle at = 0;
  };
  bool has_faults() const { return !faults_.empty(); }
  std::vector<Fault> take_faults() { return std::exchange(faults_, {}); }
  // Whether requests wait for pages.
  bool waits() const { return !held_.empty(); }
  // Between two quanta: from `at` on the page at this address has that owner. Those who waited for it are
  // served. Whether memory has changed.
  bool place(MemorySystem& device, isa::GlobalMemory* image, uint64_t page, uint8_t owner, Cycle at);

 private:
  bool answer(MemorySystem& device, isa::GlobalMemory* image, LinkMessage m, bool over_link);

  const HostLink link_;
  Owners owners_;
  Server back_;
  bool holds_ = false;
  struct Held {
    std::vector<LinkMessage> waiting;
    std::vector<bool> told;  // by SM
  };
  std::map<uint64_t, Held> held_;  // by page
  std::vector<Fault> faults_;
};

}  // namespace heddle::memory
