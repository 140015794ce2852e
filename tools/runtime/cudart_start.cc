// What nvcc's start-up code and launches call.
#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

// Start-up has nobody to return an error to.
template <class F>
void start(F&& f) {
  call<Needs::kNothing>([&](Context& c) { f(c.library()); });
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names

HEDDLE_CUDA void** __cudaRegisterFatBinary(void* wrapper) {
  void** out = nullptr;
  start([&](cuda::Library& l) { out = l.add_binary(wrapper); });
  return out;
}

HEDDLE_CUDA void __cudaRegisterFatBinaryEnd(void** /*binary*/) {}
HEDDLE_CUDA void __cudaUnregisterFatBinary(void** /*binary*/) {}

HEDDLE_CUDA char __cudaInitModule(void** binary) {
  start([&](cuda::Library& l) { l.complete(binary); });
  return 1;
}

HEDDLE_CUDA void __cudaRegisterFunction(void** binary, const char* host, char* /*device*/, const char* name,
                                        int /*thread_limit*/, void* /*tid*/, void* /*bid*/, void* /*bdim*/,
                                        void* /*gdim*/, int* /*warp_size*/) {
  start([&](cuda::Library& l) { l.add_function(binary, host, name); });
}

HEDDLE_CUDA void __cudaRegisterVar(void** binary, char* host, char* /*device*/, const char* name, int /*ext*/,
                                   size_t /*size*/, int /*constant*/, int /*global*/) {
  start([&](cuda::Library& l) { l.add_variable(binary, host, name); });
}

HEDDLE_CUDA void __cudaRegisterManagedVar(void** binary, void** host, char* /*device*/, const char* name,
                                          int /*ext*/, size_t /*size*/, int /*constant*/, int /*global*/) {
  start([&](cuda::Library& l) { l.add_managed(binary, host, name); });
}

HEDDLE_CUDA unsigned __cudaPushCallConfiguration(abi::Dim3 grid, abi::Dim3 block, size_t shared,
                                                 void* stream) {
  thread_state().configurations.push_back({grid, block, shared, stream});
  return 0;
}

HEDDLE_CUDA int32_t __cudaPopCallConfiguration(Given<abi::Dim3> grid, Given<abi::Dim3> block,
                                               Given<size_t> shared, Given<void*> stream) {
  return call<Needs::kNothing>([&](Context&) {
    auto& all = thread_state().configurations;
    cuda::require(!all.empty(), static_cast<Status>(52), "no configuration");
    const LaunchConfiguration c = all.back();
    *grid = c.grid;
    *block = c.block;
    *shared = c.shared;
    *stream = c.stream;
    all.pop_back();
  });
}

// Kernels are handed about as the addresses that stand for them.
HEDDLE_CUDA int32_t __cudaGetKernel(Given<void*> kernel, const void* host) {
  return call_into<Needs::kNothing>(kernel, [&](Context&) {
    cuda::require(host != nullptr, Status::kInvalidValue, "no kernel");
    return const_cast<void*>(host);
  });
}
// NOLINTEND(bugprone-reserved-identifier)

HEDDLE_CUDA int32_t cudaGetKernel(Given<void*> kernel, const void* host) {
  return __cudaGetKernel(kernel, host);
}
