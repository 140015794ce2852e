// Faults of kernels that run on a KernelModel (core/kernel_model.h): the driver serves them in batches, one
// after the other, and pages come by Migration. Who may reach which page is told to the model and to the
// program's memory (core/effects.h).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/host/core/core.h"
#include "sim/host/core/kernel_model.h"
#include "sim/host/links/migration.h"
#include "sim/host/memory/unified.h"

namespace heddle::host {

class PageFaults {
 public:
  PageFaults(Core& core, Unified& unified, Migration& migration);

  // A kernel begins on the device.
  void launched(uint32_t device) { devices_[device].fresh = true; }
  // Takes note of faults of the model's kernels. Whether something is to happen because of them.
  bool look();
  // Happening::kPageFault: there are some.
  void begin(uint32_t device);
  // The batch of Work::kFaults has been served.
  void served(uint32_t slot);
  // Places of pages that have changed.
  void tell();

 private:
  struct Device {
    std::deque<KernelModel::Fault> pending;
    std::vector<Unified::Fault> batch;   // that is being served
    std::vector<Unified::Moved> coming;  // with it
    bool busy = false;
    bool fresh = true;  // no batch since a kernel was launched
  };
  void tell(const Unified::Moved& m);
  void tell_host(const Unified::Moved& m);
  void place(uint32_t device, uint32_t buffer, uint64_t page);

  Core& core_;
  Unified& unified_;
  Migration& migration_;
  const uint32_t name_;
  std::vector<Device> devices_;
};

}  // namespace heddle::host
