// Launches, functions' attributes, occupancy.
#include <memory>

#include "frontends/cuda/functions.h"
#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/launches.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace heddle::runtime {

isa::Dim3 dimensions(const abi::Dim3& d) { return {d.x, d.y, d.z}; }

cuda::KernelWork launch_of(cuda::LoadedFunction& f, const abi::Dim3& grid, const abi::Dim3& block,
                           size_t shared, void* const* arguments) {
  cuda::KernelWork k;
  k.function = &f;
  k.grid = dimensions(grid);
  k.block = dimensions(block);
  k.shared = static_cast<uint32_t>(std::min<size_t>(shared, UINT32_MAX));
  if (arguments != nullptr) {
    k.parameters = Context::parameters_of(*f.kernel, arguments);
  }
  return k;
}

void add_attributes(cuda::KernelWork& k, const abi::LaunchAttribute* attributes, uint32_t count, Context& c) {
  cuda::require(count == 0 || attributes != nullptr, Status::kInvalidValue, "no attributes");
  for (uint32_t i = 0; i < count; ++i) {
    const abi::LaunchAttribute& a = attributes[i];
    switch (a.id) {
      case kIgnore:
        break;
      case kCooperative:
        k.cooperative = a.value.number != 0;
        break;
      case kCluster:
        k.cluster = {a.value.cluster[0], a.value.cluster[1], a.value.cluster[2]};
        k.with_cluster = true;
        break;
      case kPriority:
        k.priority = a.value.number;
        k.with_priority = true;
        break;
      case kClusterPolicy:
      case kSyncDomainMap:
      case kSyncDomain:
      case kCarveout:
        break;  // change no result
      case kProgrammaticSerialization:
        c.note("programmatic launches: kernels do not overlap with those before them here");
        break;
      default:
        throw cuda::CallFailed(Status::kNotSupported, "launch attribute " + std::to_string(a.id) +
                                                          " (legal: 0, 2, 4, 5, 6, 8, 9, 10, 14)");
    }
  }
}

}  // namespace heddle::runtime

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names
HEDDLE_CUDA int32_t __cudaLaunchKernel(void* kernel, abi::Dim3 grid, abi::Dim3 block, void** arguments,
                                       size_t shared, void* stream) {
  return call([&](Context& c) {
    try {
      c.launch(launch_of(c.library().function(kernel), grid, block, shared, arguments), c.stream(stream));
    } catch (const cuda::CallFailed& e) {
      // As an H200 answers launches of handles (tests/runtime/programs/errors.out).
      const bool shape =
          e.status() == Status::kInvalidConfiguration || e.status() == Status::kLaunchOutOfResources;
      throw cuda::CallFailed(shape ? Status::kInvalidValue : e.status(), e.what());
    }
  });
}

HEDDLE_CUDA int32_t __cudaLaunchKernel_ptsz(void* kernel, abi::Dim3 grid, abi::Dim3 block, void** arguments,
                                            size_t shared, void* stream) {
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream == nullptr ? pointer(2) : stream);
}
// NOLINTEND(bugprone-reserved-identifier)

HEDDLE_CUDA int32_t cudaLaunchKernel(const void* function, abi::Dim3 grid, abi::Dim3 block, void** arguments,
                                     size_t shared, void* stream) {
  return __cudaLaunchKernel(const_cast<void*>(function), grid, block, arguments, shared, stream);
}

HEDDLE_CUDA int32_t cudaLaunchCooperativeKernel(const void* function, abi::Dim3 grid, abi::Dim3 block,
                                                void** arguments, size_t shared, void* stream) {
  return call([&](Context& c) {
    cuda::KernelWork k = launch_of(c.library().function(function), grid, block, shared, arguments);
    k.cooperative = true;
    c.launch(std::move(k), c.stream(stream));
  });
}

HEDDLE_CUDA int32_t cudaLaunchKernelExC(Given<const abi::LaunchConfig> config, const void* function,
                                        void** arguments) {
  return call([&](Context& c) {
    cuda::KernelWork k = launch_of(c.library().function(function), config->grid, config->block,
                                   config->dynamic_shared, arguments);
    add_attributes(k, config->attributes, config->attribute_count, c);
    c.launch(std::move(k), c.stream(config->stream));
  });
}

HEDDLE_CUDA int32_t cudaGetFuncBySymbol(Given<void*> function, const void* symbol) {
  return call_into(function, [&](Context& c) { return &c.library().function(symbol); });
}

HEDDLE_CUDA int32_t cudaLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  return call([&](Context& c) { c.call_host({function, data}, c.stream(stream)); });
}

HEDDLE_CUDA int32_t cudaStreamAddCallback(void* stream, void (*function)(void*, int32_t, void*), void* data,
                                          uint32_t flags) {
  struct Bound {
    void (*function)(void*, int32_t, void*);
    void *stream, *data;
  };
  return call([&](Context& c) {
    cuda::require(function != nullptr && flags == 0, Status::kInvalidValue);
    cuda::Stream& s = c.stream(stream);
    auto b = std::make_shared<Bound>(Bound{function, stream, data});
    c.not_in_capture(s);
    c.call_host({[](void* p) {
                   const Bound& bound = *static_cast<const Bound*>(p);
                   bound.function(bound.stream, 0, bound.data);
                 },
                 b.get(), b},
                s);
  });
}

// ---- attributes of functions

HEDDLE_CUDA int32_t cudaFuncGetAttributes(Given<abi::FunctionAttributes> out, const void* function) {
  return call([&](Context& c) {
    cuda::LoadedFunction& f = c.library().function(function);
    const modules::Kernel& k = *f.kernel;
    *out = {};
    c.timeline().asked(f);
    out->shared_bytes = k.static_shared;
    out->constant_bytes = k.constant_bytes;
    out->local_bytes = k.local_bytes;
    out->most_threads = cuda::most_threads(f, c);
    out->registers = static_cast<int32_t>(k.registers);
    out->ptx_version = out->binary_version = static_cast<int32_t>(k.capability);
    out->most_dynamic_shared = cuda::most_dynamic_shared(f);
    out->carveout = f.carveout;
    out->non_portable_cluster = f.non_portable_cluster ? 1 : 0;
  });
}

HEDDLE_CUDA int32_t cudaFuncSetAttribute(const void* function, int32_t attribute, int32_t value) {
  return call([&](Context& c) { cuda::set_attribute(c.library().function(function), attribute, value, c); });
}

HEDDLE_CUDA int32_t cudaFuncSetCacheConfig(const void* function, int32_t /*config*/) {
  return call([&](Context& c) { c.library().function(function); });
}

// ---- occupancy

HEDDLE_CUDA int32_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(Given<int32_t> blocks,
                                                                           const void* function,
                                                                           int32_t threads, size_t shared,
                                                                           uint32_t /*flags*/) {
  return call_into(blocks, [&](Context& c) {
    return cuda::resident_blocks(c.library().function(function), threads, shared, c);
  });
}

HEDDLE_CUDA int32_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(Given<int32_t> blocks, const void* function,
                                                                  int32_t threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

HEDDLE_CUDA int32_t cudaOccupancyAvailableDynamicSMemPerBlock(Given<size_t> bytes, const void* function,
                                                              int32_t blocks, int32_t threads) {
  return call_into(bytes, [&](Context& c) {
    return cuda::available_shared(c.library().function(function), blocks, threads, c);
  });
}

HEDDLE_CUDA int32_t cudaOccupancyMaxPotentialClusterSize(Given<int32_t> size, const void* function,
                                                         Given<const abi::LaunchConfig> config) {
  return call_into(size, [&](Context& c) {
    const cuda::KernelWork k = launch_of(c.library().function(function), config->grid, config->block,
                                         config->dynamic_shared, nullptr);
    return cuda::largest_cluster(k, c);
  });
}

HEDDLE_CUDA int32_t cudaOccupancyMaxActiveClusters(Given<int32_t> clusters, const void* function,
                                                   Given<const abi::LaunchConfig> config) {
  return call([&](Context& c) {
    cuda::KernelWork k = launch_of(c.library().function(function), config->grid, config->block,
                                   config->dynamic_shared, nullptr);
    add_attributes(k, config->attributes, config->attribute_count, c);
    cuda::require(k.cluster.count() != 0, Status::kInvalidClusterSize, "an empty cluster");
    *clusters = cuda::resident_clusters(k, c);
  });
}
