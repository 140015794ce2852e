// What a host program loads of a module of code.
#pragma once

#include <cstdint>

#include "frontends/modules/program.h"
#include "sim/host/program/program.h"

namespace heddle::workload {

// `number`: the module's, among those of the host program.
inline host::CodeDesc code_of(const modules::Program& module, const modules::Kernel& kernel,
                              uint32_t number) {
  return {.module = number,
          .bytes = kernel.code_bytes,
          .prints = kernel.prints,
          .allocates = kernel.allocates,
          .module_kernels = static_cast<uint32_t>(module.kernels().size()),
          .module_bytes = kernel.module.bytes,
          .module_prints = kernel.module.prints,
          .module_allocates = kernel.module.allocates};
}

}  // namespace heddle::workload
