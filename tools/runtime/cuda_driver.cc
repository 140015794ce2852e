// The driver's interface (libcuda), on the same session: modules, functions, launches, memory.
#include <cstring>
#include <memory>

#include "frontends/cuda/functions.h"
#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/copies.h"
#include "tools/runtime/launches.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

// ---- modules and functions

HEDDLE_CUDA int32_t cuModuleLoadData(Given<void*> out, const void* image) {
  return driver_call_into(out, [&](Context& c) {
    c.flush();
    return &c.library().modules().keep(c.library().load(image));
  });
}
HEDDLE_CUDA int32_t cuModuleLoadDataEx(Given<void*> out, const void* image, uint32_t, void*, void**) {
  return cuModuleLoadData(out, image);
}
HEDDLE_CUDA int32_t cuModuleLoadFatBinary(Given<void*> out, const void* image) {
  return cuModuleLoadData(out, image);
}
HEDDLE_CUDA int32_t cuModuleLoad(Given<void*> out, Given<const char> file) {
  return driver_call_into(out, [&](Context& c) {
    c.flush();
    return &c.library().modules().keep(c.library().load_file(file.get()));
  });
}
HEDDLE_CUDA int32_t cuModuleUnload(void* handle) {
  return driver_call([&](Context& c) {
    c.flush();
    c.library().unload(handle);
  });
}
HEDDLE_CUDA int32_t cuModuleGetFunction(Given<void*> out, void* handle, Given<const char> name) {
  return driver_call_into(out, [&](Context& c) {
    return &c.library().function(c.library().modules().owner(handle), name.get());
  });
}
HEDDLE_CUDA int32_t cuModuleGetLoadingMode(Given<int32_t> mode) {
  constexpr int32_t kEager = 1, kLazy = 2;
  return driver_call_into<Needs::kDriver>(
      mode, [](Context& c) { return c.timeline().loads_lazily() ? kLazy : kEager; });
}
HEDDLE_CUDA int32_t cuModuleGetGlobal_v2(uint64_t* address, size_t* bytes, void* handle,
                                         Given<const char> name) {
  return driver_call([&](Context& c) {
    const cuda::LoadedVariable v = c.library().variable(c.library().modules().owner(handle), name.get());
    if (address != nullptr) {
      *address = v.address;
    }
    if (bytes != nullptr) {
      *bytes = v.bytes;
    }
  });
}
HEDDLE_CUDA int32_t cuFuncGetAttribute(Given<int32_t> value, int32_t attribute, void* function) {
  return driver_call([&](Context& c) {
    const cuda::LoadedFunction& f = c.library().function(function);
    const modules::Kernel& k = *f.kernel;
    const int32_t values[] = {cuda::most_threads(f, c),
                              static_cast<int32_t>(k.static_shared),
                              static_cast<int32_t>(k.constant_bytes),
                              static_cast<int32_t>(k.local_bytes),
                              static_cast<int32_t>(k.registers),
                              static_cast<int32_t>(k.capability),
                              static_cast<int32_t>(k.capability),
                              0,
                              cuda::most_dynamic_shared(f),
                              f.carveout};
    cuda::require(attribute >= 0 && static_cast<size_t>(attribute) < std::size(values),
                  Status::kInvalidValue);
    *value = values[attribute];
  });
}
HEDDLE_CUDA int32_t cuFuncSetAttribute(void* function, int32_t attribute, int32_t value) {
  return driver_call(
      [&](Context& c) { cuda::set_attribute(c.library().function(function), attribute, value, c); });
}
HEDDLE_CUDA int32_t cuLaunchKernel(void* function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx,
                                   uint32_t by, uint32_t bz, uint32_t shared, void* stream, void** arguments,
                                   void** extra) {
  return driver_call([&](Context& c) {
    cuda::LoadedFunction& f = c.library().function(function);
    cuda::KernelWork k = launch_of(f, {gx, gy, gz}, {bx, by, bz}, shared, arguments);
    if (extra != nullptr) {
      // CU_LAUNCH_PARAM_BUFFER_POINTER (1), its pointer, ..._SIZE (2), a pointer to it, ..._END (0).
      const uint8_t* from = nullptr;
      size_t bytes = 0;
      for (; *extra != nullptr; extra += 2) {
        cuda::require(number(*extra) <= 2 && extra[1] != nullptr, Status::kInvalidValue, "`extra`");
        (number(*extra) == 1 ? from = static_cast<uint8_t*>(extra[1]) : nullptr);
        bytes = number(*extra) == 2 ? *static_cast<size_t*>(extra[1]) : bytes;
      }
      constexpr size_t kMost = 32764;  // of all parameters
      cuda::require(from != nullptr && bytes <= kMost && arguments == nullptr, Status::kInvalidValue,
                    "`extra`");
      k.parameters.assign(from, from + bytes);
    }
    c.launch(std::move(k), c.stream(stream));
  });
}
HEDDLE_CUDA int32_t cuLaunchCooperativeKernel(void* function, uint32_t gx, uint32_t gy, uint32_t gz,
                                              uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared,
                                              void* stream, void** arguments) {
  return driver_call([&](Context& c) {
    cuda::KernelWork k =
        launch_of(c.library().function(function), {gx, gy, gz}, {bx, by, bz}, shared, arguments);
    k.cooperative = true;
    c.launch(std::move(k), c.stream(stream));
  });
}
HEDDLE_CUDA int32_t cuLaunchKernelEx(Given<const abi::DriverLaunchConfig> config, void* function,
                                     void** arguments, void** extra) {
  return driver_call([&](Context& c) {
    cuda::require(extra == nullptr, Status::kNotSupported, "cuLaunchKernelEx with `extra`");
    cuda::KernelWork k = launch_of(c.library().function(function), config->grid, config->block,
                                   config->dynamic_shared, arguments);
    add_attributes(k, config->attributes, config->attribute_count, c);
    c.launch(std::move(k), c.stream(config->stream));
  });
}
HEDDLE_CUDA int32_t cuOccupancyMaxActiveBlocksPerMultiprocessor(Given<int32_t> blocks, void* function,
                                                                int32_t threads, size_t shared) {
  return driver_call_into(blocks, [&](Context& c) {
    return cuda::resident_blocks(c.library().function(function), threads, shared, c);
  });
}

// ---- memory

HEDDLE_CUDA int32_t cuMemAlloc_v2(Given<uint64_t> out, size_t bytes) {
  return driver_call_into(out, [&](Context& c) {
    cuda::require(bytes != 0, Status::kInvalidValue);
    return c.allocate(bytes, host::Memory::kDevice);
  });
}
HEDDLE_CUDA int32_t cuMemFree_v2(uint64_t p) {
  return driver_call([&](Context& c) { c.release(p); });
}
HEDDLE_CUDA int32_t cuMemAllocHost_v2(Given<void*> out, size_t bytes) {
  return driver_call_into(out, [&](Context& c) { return pointer(c.allocate(bytes, host::Memory::kPinned)); });
}
HEDDLE_CUDA int32_t cuMemFreeHost(void* p) {
  return driver_call([&](Context& c) { c.release_host(number(p)); });
}
HEDDLE_CUDA int32_t cuMemGetInfo_v2(Given<size_t> free, Given<size_t> total) {
  return driver_call([&](Context& c) {
    size_t &f = *free, &t = *total;
    t = c.params().memory.total;
    f = c.device_free();
  });
}

namespace {

int32_t copy(uint64_t to, uint64_t from, size_t bytes, int32_t kind, void* stream, bool waits) {
  return driver_call([&](Context& c) { c.copy(plain_copy(to, from, bytes, kind), c.stream(stream), waits); });
}

int32_t set(uint64_t to, uint32_t value, uint32_t element, size_t count, void* stream, bool waits) {
  return driver_call([&](Context& c) {
    cuda::MemsetWork m = memset_of(to, 0, static_cast<int32_t>(value), count, 1);
    m.element = element;
    c.set(m, c.stream(stream), waits);
  });
}

enum CopyKind : int32_t { kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3, kAny = 4 };

}  // namespace

HEDDLE_CUDA int32_t cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  return copy(to, number(from), bytes, kHostToDevice, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  return copy(number(to), from, bytes, kDeviceToHost, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
  return copy(to, from, bytes, kDeviceToDevice, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpy(uint64_t to, uint64_t from, size_t bytes) {
  return copy(to, from, bytes, kAny, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
  return copy(to, number(from), bytes, kHostToDevice, stream, false);
}
HEDDLE_CUDA int32_t cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
  return copy(number(to), from, bytes, kDeviceToHost, stream, false);
}
HEDDLE_CUDA int32_t cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream) {
  return copy(to, from, bytes, kDeviceToDevice, stream, false);
}
HEDDLE_CUDA int32_t cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void* stream) {
  return copy(to, from, bytes, kAny, stream, false);
}
HEDDLE_CUDA int32_t cuMemsetD8_v2(uint64_t to, uint8_t value, size_t count) {
  return set(to, value, 1, count, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemsetD16_v2(uint64_t to, uint16_t value, size_t count) {
  return set(to, value, 2, count, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemsetD32_v2(uint64_t to, uint32_t value, size_t count) {
  return set(to, value, 4, count, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemsetD8Async(uint64_t to, uint8_t value, size_t count, void* stream) {
  return set(to, value, 1, count, stream, false);
}
HEDDLE_CUDA int32_t cuMemsetD32Async(uint64_t to, uint32_t value, size_t count, void* stream) {
  return set(to, value, 4, count, stream, false);
}

// ---- streams and events: the runtime's

extern "C" {
int32_t cudaStreamCreateWithPriority(Given<void*> out, uint32_t flags, int32_t priority);
int32_t cudaStreamDestroy(void* stream);
int32_t cudaStreamSynchronize(void* stream);
int32_t cudaStreamQuery(void* stream);
int32_t cudaStreamWaitEvent(void* stream, void* event, uint32_t flags);
int32_t cudaEventCreateWithFlags(Given<void*> out, uint32_t flags);
int32_t cudaEventDestroy(void* event);
int32_t cudaEventRecord(void* event, void* stream);
int32_t cudaEventSynchronize(void* event);
int32_t cudaEventQuery(void* event);
int32_t cudaEventElapsedTime(Given<float> ms, void* from, void* to);
}

HEDDLE_CUDA int32_t cuStreamCreate(Given<void*> out, uint32_t flags) {
  return of_runtime([&] { return cudaStreamCreateWithPriority(out, flags, 0); });
}
HEDDLE_CUDA int32_t cuStreamCreateWithPriority(Given<void*> out, uint32_t flags, int32_t priority) {
  return of_runtime([&] { return cudaStreamCreateWithPriority(out, flags, priority); });
}
HEDDLE_CUDA int32_t cuStreamDestroy_v2(void* stream) {
  return of_runtime([&] { return cudaStreamDestroy(stream); });
}
HEDDLE_CUDA int32_t cuStreamSynchronize(void* stream) {
  return of_runtime([&] { return cudaStreamSynchronize(stream); });
}
HEDDLE_CUDA int32_t cuStreamQuery(void* stream) {
  return of_runtime([&] { return cudaStreamQuery(stream); });
}
HEDDLE_CUDA int32_t cuStreamWaitEvent(void* stream, void* event, uint32_t flags) {
  return of_runtime([&] { return cudaStreamWaitEvent(stream, event, flags); });
}
HEDDLE_CUDA int32_t cuEventCreate(Given<void*> out, uint32_t flags) {
  return of_runtime([&] { return cudaEventCreateWithFlags(out, flags); });
}
HEDDLE_CUDA int32_t cuEventDestroy_v2(void* event) {
  return of_runtime([&] { return cudaEventDestroy(event); });
}
HEDDLE_CUDA int32_t cuEventRecord(void* event, void* stream) {
  return of_runtime([&] { return cudaEventRecord(event, stream); });
}
HEDDLE_CUDA int32_t cuEventSynchronize(void* event) {
  return of_runtime([&] { return cudaEventSynchronize(event); });
}
HEDDLE_CUDA int32_t cuEventQuery(void* event) {
  return of_runtime([&] { return cudaEventQuery(event); });
}
HEDDLE_CUDA int32_t cuEventElapsedTime_v2(Given<float> ms, void* from, void* to) {
  return of_runtime([&] { return cudaEventElapsedTime(ms, from, to); });
}
HEDDLE_CUDA int32_t cuEventElapsedTime(Given<float> ms, void* from, void* to) {
  return cuEventElapsedTime_v2(ms, from, to);
}
