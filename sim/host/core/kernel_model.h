// Who runs kernels that are simulated instruction by instruction, several at once, on the devices of the host
// model. Kernels with a duration stay with Grids.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/host/program/program.h"
#include "sim/host/program/time.h"

namespace heddle::host {

// Where an access of a device finds a page of unified memory: in the device's memory, over the link, or not
// at all before somebody has seen to it.
enum class Reach : uint8_t { kHere, kRemote, kAway };

class KernelModel {
 public:
  virtual ~KernelModel() = default;

  struct Launch {
    uint32_t device = 0;
    const KernelDesc* kernel = nullptr;
    int32_t priority = 0;  // as CUDA: lower numbers go first
    uint32_t tag = 0;      // comes back with its end
    Ps at{};               // its blocks may start
    uint64_t values = 0;   // Command::values
  };
  virtual void launch(const Launch& launch) = 0;

  struct End {
    uint32_t device = 0;
    uint32_t tag = 0;
    Ps start{}, end{};
  };
  // Goes on until `until` or until a kernel ends; ends come in no particular order within a few hundred
  // nanoseconds.
  virtual std::optional<End> advance(Ps until) = 0;

  // ---- unified memory, by the page (host.um.page_bytes). A model without pages has no faults.
  struct Fault {
    uint32_t device = 0, buffer = 0;
    uint64_t page = 0;
    bool writes = false;
    Ps at{};
  };
  // Accesses that wait for a page that is away, each SM's first one, since the last call: advance() returns
  // when there are some.
  virtual std::vector<Fault> faults() { return {}; }
  // From `at` on.
  virtual void place(uint32_t /*device*/, uint32_t /*buffer*/, uint64_t /*page*/, Reach /*reach*/,
                     Ps /*at*/) {}
};

}  // namespace heddle::host
