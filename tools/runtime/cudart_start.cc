// What nvcc's start-up code and launches call.
#include <cstring>
#include <vector>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

struct Configuration {
  abi::Dim3 grid, block;
  size_t shared;
  void* stream;
};
thread_local std::vector<Configuration> configurations;

// Start-up has nobody to return an error to.
template <class F>
void start(F&& f) {
  call([&](Context& c) { f(c.library()); }, true);
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
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

HEDDLE_CUDA int32_t __cudaPopCallConfiguration(abi::Dim3* grid, abi::Dim3* block, size_t* shared,
                                               void* stream) {
  return call(
      [&](Context&) {
        cuda::require(!configurations.empty(), static_cast<Status>(52), "no configuration");
        const Configuration& c = configurations.back();
        *grid = c.grid;
        *block = c.block;
        *shared = c.shared;
        std::memcpy(stream, &c.stream, sizeof c.stream);
        configurations.pop_back();
      },
      true);
}

// Kernels are handed about as the addresses that stand for them.
HEDDLE_CUDA int32_t __cudaGetKernel(void** kernel, const void* host) {
  *kernel = const_cast<void*>(host);
  return 0;
}
// NOLINTEND(bugprone-reserved-identifier)

HEDDLE_CUDA int32_t cudaGetKernel(void** kernel, const void* host) { return __cudaGetKernel(kernel, host); }
