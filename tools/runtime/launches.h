// What launches and functions have in common, in the runtime's interface and in the driver's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frontends/cuda/context.h"
#include "tools/runtime/abi.h"

namespace heddle::runtime {

// cudaLaunchAttribute..., numbers.
enum LaunchAttributeId : int32_t {
  kIgnore = 0,
  kCooperative = 2,
  kCluster = 4,
  kClusterPolicy = 5,
  kProgrammaticSerialization = 6,
  kPriority = 8,
  kSyncDomainMap = 9,
  kSyncDomain = 10,
  kCarveout = 14
};

// `arguments`: a pointer to each; null: none yet.
cuda::KernelWork launch_of(cuda::LoadedFunction& f, const abi::Dim3& grid, const abi::Dim3& block,
                           size_t shared, void* const* arguments);
// Throws CallFailed for an attribute that is not known.
void add_attributes(cuda::KernelWork& k, const abi::LaunchAttribute* attributes, uint32_t count,
                    cuda::Context& c);

}  // namespace heddle::runtime
