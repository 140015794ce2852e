// The driver's interface (libcuda), on the same session: modules, functions, launches, memory.
#include <cstring>
#include <memory>

#include "frontends/cuda/functions.h"
#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/copies.h"
#include "tools/runtime/device.h"
#include "tools/runtime/launches.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

// A CUmodule is the program itself, kept here.
std::map<void*, std::shared_ptr<modules::Program>>& all_modules() {
  static auto* const all = new std::map<void*, std::shared_ptr<modules::Program>>;
  return *all;
}

const std::shared_ptr<modules::Program>& module_at(void* handle) {
  const auto it = all_modules().find(handle);
  cuda::require(it != all_modules().end(), Status::kInvalidResourceHandle, "no such module");
  return it->second;
}

void keep(void** out, std::shared_ptr<modules::Program> p) {
  *out = p.get();
  all_modules()[p.get()] = std::move(p);
}

// The one context that there is.
int context_marker;
thread_local void* current_context = nullptr;
bool initialised = false;

template <class F>
int32_t initialised_call(F&& f) {
  return driver_call([&](Context& c) {
    cuda::require(initialised, Status::kInitializationError, "cuInit was not called");
    return f(c);
  });
}

int32_t of_runtime(int32_t status) { return cuda::driver_status(static_cast<Status>(status)); }

}  // namespace

// ---- the device and its context

HEDDLE_CUDA int32_t cuInit(uint32_t flags) {
  return driver_call([&](Context&) {
    cuda::require(flags == 0, Status::kInvalidValue);
    initialised = true;
  });
}
HEDDLE_CUDA int32_t cuDriverGetVersion(int32_t* version) {
  *version = 13000;
  return 0;
}
HEDDLE_CUDA int32_t cuDeviceGetCount(int32_t* count) {
  return initialised_call([&](Context&) { *count = 1; });
}
HEDDLE_CUDA int32_t cuDeviceGet(int32_t* device, int32_t ordinal) {
  return initialised_call([&](Context&) {
    cuda::require(ordinal == 0, Status::kInvalidDevice);
    *device = 0;
  });
}
HEDDLE_CUDA int32_t cuDeviceGetName(char* name, int32_t length, int32_t device) {
  return initialised_call([&](Context& c) {
    cuda::require(device == 0 && length > 0, Status::kInvalidValue);
    std::strncpy(name, device_name(c).c_str(), static_cast<size_t>(length) - 1);
    name[length - 1] = 0;
  });
}
HEDDLE_CUDA int32_t cuDeviceTotalMem_v2(size_t* bytes, int32_t device) {
  return initialised_call([&](Context& c) {
    cuda::require(device == 0, Status::kInvalidDevice);
    *bytes = c.params().memory.total;
  });
}
HEDDLE_CUDA int32_t cuDeviceGetAttribute(int32_t* value, int32_t attribute, int32_t device) {
  return initialised_call([&](Context& c) {
    cuda::require(device == 0, Status::kInvalidDevice);
    const auto v = device_attribute(attribute, c);
    cuda::require(v.has_value(), Status::kInvalidValue);
    *value = *v;
  });
}
HEDDLE_CUDA int32_t cuDevicePrimaryCtxRetain(void** context, int32_t device) {
  return initialised_call([&](Context&) {
    cuda::require(device == 0, Status::kInvalidDevice);
    *context = &context_marker;
  });
}
HEDDLE_CUDA int32_t cuDevicePrimaryCtxRelease_v2(int32_t device) {
  return initialised_call([&](Context&) { cuda::require(device == 0, Status::kInvalidDevice); });
}
HEDDLE_CUDA int32_t cuCtxCreate_v4(void** context, void* /*parameters*/, uint32_t /*flags*/, int32_t device) {
  current_context = &context_marker;
  return cuDevicePrimaryCtxRetain(context, device);
}
HEDDLE_CUDA int32_t cuCtxCreate_v2(void** context, uint32_t flags, int32_t device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}
HEDDLE_CUDA int32_t cuCtxDestroy_v2(void* /*context*/) {
  current_context = nullptr;
  return 0;
}
HEDDLE_CUDA int32_t cuCtxSetCurrent(void* context) {
  return initialised_call([&](Context&) { current_context = context; });
}
HEDDLE_CUDA int32_t cuCtxGetCurrent(void** context) {
  return initialised_call([&](Context&) { *context = current_context; });
}
HEDDLE_CUDA int32_t cuCtxGetDevice(int32_t* device) {
  return initialised_call([&](Context&) { *device = 0; });
}
HEDDLE_CUDA int32_t cuCtxSynchronize() {
  return initialised_call([](Context& c) { c.synchronize(); });
}
HEDDLE_CUDA int32_t cuGetErrorName(int32_t error, const char** out) {
  *out = cuda::driver_error_name(error);
  return *out != nullptr ? 0 : 1;
}
HEDDLE_CUDA int32_t cuGetErrorString(int32_t error, const char** out) {
  *out = cuda::error_string(error);
  return *out != nullptr ? 0 : 1;
}

// ---- modules and functions

HEDDLE_CUDA int32_t cuModuleLoadData(void** out, const void* image) {
  return initialised_call([&](Context& c) { keep(out, c.library().load(image)); });
}
HEDDLE_CUDA int32_t cuModuleLoadDataEx(void** out, const void* image, uint32_t, void*, void**) {
  return cuModuleLoadData(out, image);
}
HEDDLE_CUDA int32_t cuModuleLoadFatBinary(void** out, const void* image) {
  return cuModuleLoadData(out, image);
}
HEDDLE_CUDA int32_t cuModuleLoad(void** out, const char* file) {
  return initialised_call([&](Context& c) { keep(out, c.library().load_file(file)); });
}
HEDDLE_CUDA int32_t cuModuleUnload(void* handle) {
  return initialised_call(
      [&](Context&) { module_at(handle); });  // its code stays: functions may be known still
}
HEDDLE_CUDA int32_t cuModuleGetFunction(void** out, void* handle, const char* name) {
  return initialised_call([&](Context& c) { *out = &c.library().function(module_at(handle), name); });
}
HEDDLE_CUDA int32_t cuModuleGetGlobal_v2(uint64_t* address, size_t* bytes, void* handle, const char* name) {
  return initialised_call([&](Context& c) {
    const cuda::LoadedVariable v = c.library().variable(module_at(handle), name);
    if (address != nullptr) {
      *address = v.address;
    }
    if (bytes != nullptr) {
      *bytes = v.bytes;
    }
  });
}
HEDDLE_CUDA int32_t cuFuncGetAttribute(int32_t* value, int32_t attribute, void* function) {
  return initialised_call([&](Context& c) {
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
  return initialised_call(
      [&](Context& c) { cuda::set_attribute(c.library().function(function), attribute, value, c); });
}
HEDDLE_CUDA int32_t cuLaunchKernel(void* function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx,
                                   uint32_t by, uint32_t bz, uint32_t shared, void* stream, void** arguments,
                                   void** extra) {
  return initialised_call([&](Context& c) {
    cuda::LoadedFunction& f = c.library().function(function);
    cuda::KernelWork k = launch_of(f, {gx, gy, gz}, {bx, by, bz}, shared, arguments);
    if (extra != nullptr) {
      // CU_LAUNCH_PARAM_BUFFER_POINTER (1), its pointer, ..._SIZE (2), a pointer to it, ..._END (0).
      const uint8_t* from = nullptr;
      size_t bytes = 0;
      for (; *extra != nullptr; extra += 2) {
        (number(*extra) == 1 ? from = static_cast<uint8_t*>(extra[1]) : nullptr);
        bytes = number(*extra) == 2 ? *static_cast<size_t*>(extra[1]) : bytes;
      }
      cuda::require(from != nullptr, Status::kInvalidValue);
      k.parameters.assign(from, from + bytes);
    }
    c.launch(std::move(k), c.stream(stream));
  });
}
HEDDLE_CUDA int32_t cuLaunchCooperativeKernel(void* function, uint32_t gx, uint32_t gy, uint32_t gz,
                                              uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared,
                                              void* stream, void** arguments) {
  return initialised_call([&](Context& c) {
    cuda::KernelWork k =
        launch_of(c.library().function(function), {gx, gy, gz}, {bx, by, bz}, shared, arguments);
    k.cooperative = true;
    c.launch(std::move(k), c.stream(stream));
  });
}
HEDDLE_CUDA int32_t cuLaunchKernelEx(const abi::DriverLaunchConfig* config, void* function, void** arguments,
                                     void** extra) {
  return initialised_call([&](Context& c) {
    cuda::require(extra == nullptr, Status::kNotSupported, "cuLaunchKernelEx with `extra`");
    cuda::KernelWork k = launch_of(c.library().function(function), config->grid, config->block,
                                   config->dynamic_shared, arguments);
    add_attributes(k, config->attributes, config->attribute_count, c);
    c.launch(std::move(k), c.stream(config->stream));
  });
}
HEDDLE_CUDA int32_t cuOccupancyMaxActiveBlocksPerMultiprocessor(int32_t* blocks, void* function,
                                                                int32_t threads, size_t shared) {
  return initialised_call([&](Context& c) {
    *blocks = cuda::resident_blocks(c.library().function(function), threads, shared, c);
  });
}

// ---- memory

HEDDLE_CUDA int32_t cuMemAlloc_v2(uint64_t* out, size_t bytes) {
  return initialised_call([&](Context& c) {
    cuda::require(bytes != 0, Status::kInvalidValue);
    *out = c.allocate(bytes, host::Memory::kDevice);
  });
}
HEDDLE_CUDA int32_t cuMemFree_v2(uint64_t p) {
  return initialised_call([&](Context& c) { c.release(p); });
}
HEDDLE_CUDA int32_t cuMemAllocHost_v2(void** out, size_t bytes) {
  return initialised_call([&](Context& c) { *out = pointer(c.allocate(bytes, host::Memory::kPinned)); });
}
HEDDLE_CUDA int32_t cuMemFreeHost(void* p) {
  return initialised_call([&](Context& c) { c.release_host(number(p)); });
}
HEDDLE_CUDA int32_t cuMemGetInfo_v2(size_t* free, size_t* total) {
  return initialised_call([&](Context& c) {
    *total = c.params().memory.total;
    *free = c.space().device_bytes() - c.space().device_used();
  });
}

namespace {

int32_t copy(uint64_t to, uint64_t from, size_t bytes, int32_t kind, void* stream, bool waits) {
  return initialised_call(
      [&](Context& c) { c.copy(plain_copy(to, from, bytes, kind), c.stream(stream), waits); });
}

int32_t set(uint64_t to, uint32_t value, uint32_t element, size_t count, void* stream, bool waits) {
  return initialised_call([&](Context& c) {
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
int32_t cudaStreamCreateWithPriority(void** out, uint32_t flags, int32_t priority);
int32_t cudaStreamDestroy(void* stream);
int32_t cudaStreamSynchronize(void* stream);
int32_t cudaStreamQuery(void* stream);
int32_t cudaStreamWaitEvent(void* stream, void* event, uint32_t flags);
int32_t cudaEventCreateWithFlags(void** out, uint32_t flags);
int32_t cudaEventDestroy(void* event);
int32_t cudaEventRecord(void* event, void* stream);
int32_t cudaEventSynchronize(void* event);
int32_t cudaEventQuery(void* event);
int32_t cudaEventElapsedTime(float* ms, void* from, void* to);
}

HEDDLE_CUDA int32_t cuStreamCreate(void** out, uint32_t flags) {
  return of_runtime(cudaStreamCreateWithPriority(out, flags, 0));
}
HEDDLE_CUDA int32_t cuStreamCreateWithPriority(void** out, uint32_t flags, int32_t priority) {
  return of_runtime(cudaStreamCreateWithPriority(out, flags, priority));
}
HEDDLE_CUDA int32_t cuStreamDestroy_v2(void* stream) { return of_runtime(cudaStreamDestroy(stream)); }
HEDDLE_CUDA int32_t cuStreamSynchronize(void* stream) { return of_runtime(cudaStreamSynchronize(stream)); }
HEDDLE_CUDA int32_t cuStreamQuery(void* stream) { return of_runtime(cudaStreamQuery(stream)); }
HEDDLE_CUDA int32_t cuStreamWaitEvent(void* stream, void* event, uint32_t flags) {
  return of_runtime(cudaStreamWaitEvent(stream, event, flags));
}
HEDDLE_CUDA int32_t cuEventCreate(void** out, uint32_t flags) {
  return of_runtime(cudaEventCreateWithFlags(out, flags));
}
HEDDLE_CUDA int32_t cuEventDestroy_v2(void* event) { return of_runtime(cudaEventDestroy(event)); }
HEDDLE_CUDA int32_t cuEventRecord(void* event, void* stream) {
  return of_runtime(cudaEventRecord(event, stream));
}
HEDDLE_CUDA int32_t cuEventSynchronize(void* event) { return of_runtime(cudaEventSynchronize(event)); }
HEDDLE_CUDA int32_t cuEventQuery(void* event) { return of_runtime(cudaEventQuery(event)); }
HEDDLE_CUDA int32_t cuEventElapsedTime_v2(float* ms, void* from, void* to) {
  return of_runtime(cudaEventElapsedTime(ms, from, to));
}
HEDDLE_CUDA int32_t cuEventElapsedTime(float* ms, void* from, void* to) {
  return cuEventElapsedTime_v2(ms, from, to);
}
