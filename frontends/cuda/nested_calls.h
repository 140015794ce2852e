// What a kernel's threads have called of the CUDA runtime, as the host model's calls of kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/workload/builder.h"
#include "sim/exec/device_runtime.h"

namespace heddle::cuda {

struct NestedCall {
  exec::DeviceOp op;
  uint32_t kernel = 0;  // of a launch: the host model's
};

// Adds the calls to the kernel's. The model knows of calls that a grid's first blocks make, each of them so
// many threads at a time: what the blocks call at the same place of their order is one call of as many of
// them. `block`: how long one of the kernel's blocks takes.
void add_calls(host::KernelDesc& kernel, const std::vector<NestedCall>& calls, host::Ps block);

}  // namespace heddle::cuda
