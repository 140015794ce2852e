// What work does to values, when it happens. Without it a run is of times alone.
#pragma once

#include <cstdint>

#include "sim/host/program/time.h"

namespace heddle::host {

// `values` is Call::values, or GraphNode::values.
class Effects {
 public:
  virtual ~Effects() = default;
  // A kernel that no KernelModel runs begins. So long it takes (KernelDesc::duration); 0: as the program
  // says. What that says of the kernel `kernel` may be changed: what it calls.
  virtual Ps begins(uint64_t values, uint32_t kernel) = 0;
  // A copy's data is there, memory is set.
  virtual void happens(uint64_t values) = 0;
  // A copy that is to happen later reads pageable memory of the host now.
  virtual void reads(uint64_t values) = 0;
  // A function of the program's runs on the host now, or the host makes a copy of its memory (a graph's
  // node). So long it takes; a copy as long as the model says.
  virtual Ps runs(uint64_t values) = 0;
  // The value of a handle of conditional nodes that kernels set where they run; and it is given one, when an
  // execution starts. `values` is HandleDesc::values.
  virtual uint32_t condition(uint64_t /*values*/) { return 0; }
  virtual void assign(uint64_t /*values*/, uint32_t /*value*/) {}
  // A call has freed it and has returned.
  virtual void freed(uint32_t /*buffer*/) {}
  // Instructions of the host reach the page of unified memory now, or no longer; for stores.
  virtual void placed(uint32_t /*buffer*/, uint64_t /*page*/, bool /*loads*/, bool /*stores*/) {}
};

}  // namespace heddle::host
