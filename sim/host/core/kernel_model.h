// Who runs kernels that are simulated instruction by instruction, several at once, on the devices of the host
// model. Kernels with a duration stay with Grids.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/host/program/program.h"
#include "sim/host/program/time.h"

namespace heddle::host {

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
};

}  // namespace heddle::host
