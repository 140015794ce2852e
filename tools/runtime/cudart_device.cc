// The device, its limits, errors, versions.
#include <string>
#include <string_view>
#include <utility>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/device.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

void require_device(int32_t device) { cuda::require(device == 0, Status::kInvalidDevice); }

}  // namespace

HEDDLE_CUDA int32_t cudaGetDeviceCount(Given<int32_t> count) {
  return call_into<Needs::kDriver>(count, [](Context& c) {
    c.timeline().call([&](auto& t) { t.getDeviceCount(); });
    return 1;
  });
}
HEDDLE_CUDA int32_t cudaGetDevice(Given<int32_t> device) {
  return call_into<Needs::kDriver>(device, [](Context&) { return 0; });
}
HEDDLE_CUDA int32_t cudaSetDevice(int32_t device) {
  return call([&](Context& c) {
    require_device(device);
    c.timeline().call([&](auto& t) { t.setDevice(0); });
  });
}
HEDDLE_CUDA int32_t cudaInitDevice(int32_t device, uint32_t, uint32_t) {
  return call([&](Context&) { require_device(device); });
}
HEDDLE_CUDA int32_t cudaSetDeviceFlags(uint32_t flags) {
  return call<Needs::kDriver>([&](Context& c) {
    cuda::require(are_device_flags(flags), Status::kInvalidValue, "flags of a device");
    c.set_schedule(flags & kScheduleMask);
  });
}
HEDDLE_CUDA int32_t cudaGetDeviceFlags(Given<uint32_t> flags) {
  return call_into<Needs::kDriver>(flags, [](Context& c) { return c.settings().schedule | kMapHost; });
}
HEDDLE_CUDA int32_t cudaDeviceSynchronize() {
  return call([](Context& c) { c.synchronize(); });
}
HEDDLE_CUDA int32_t cudaDeviceReset() {
  return call<Needs::kNothing>([](Context& c) {
    cuda::require(!c.in_host_function(), Status::kNotPermitted, "a host function calls CUDA");
    reset_device(c);
    return c.failed();
  });
}
HEDDLE_CUDA int32_t cudaDeviceGetAttribute(Given<int32_t> value, int32_t attribute, int32_t device) {
  return call_into<Needs::kDriver>(value, [&](Context& c) {
    require_device(device);
    const auto v = device_attribute(attribute, c);
    cuda::require(v.has_value(), Status::kInvalidValue, "no such attribute");
    return *v;
  });
}
HEDDLE_CUDA int32_t cudaGetDeviceProperties(Given<uint8_t> out, int32_t device) {
  return call<Needs::kDriver>([&](Context& c) {
    require_device(device);
    fill_properties(out.get(), c);
  });
}
HEDDLE_CUDA int32_t cudaDeviceGetPCIBusId(Given<char> out, int32_t length, int32_t device) {
  return call<Needs::kDriver>([&](Context& c) {
    require_device(device);
    cuda::require(length >= static_cast<int32_t>(kBusIdBytes), Status::kInvalidValue, "no room for the text");
    c.timeline().call([&](auto& t) { t.deviceGetPciBusId(0); });
    write_text(out.get(), kBusIdBytes, "0000:00:00.0");
  });
}
HEDDLE_CUDA int32_t cudaDeviceCanAccessPeer(Given<int32_t> can, int32_t device, int32_t peer) {
  return call_into<Needs::kDriver>(can, [&](Context&) {
    cuda::require(device == 0 && peer == 0, Status::kInvalidDevice);
    return 0;
  });
}
HEDDLE_CUDA int32_t cudaCtxResetPersistingL2Cache() {
  return call([](Context&) {});
}
HEDDLE_CUDA int32_t cudaDeviceSetCacheConfig(int32_t) {
  return call([](Context&) {});
}
HEDDLE_CUDA int32_t cudaProfilerStart() { return 0; }
HEDDLE_CUDA int32_t cudaProfilerStop() { return 0; }
HEDDLE_CUDA int32_t cudaRuntimeGetVersion(Given<int32_t> version) {
  return call_into<Needs::kNothing>(version, [](Context&) { return kVersion; });
}
HEDDLE_CUDA int32_t cudaDriverGetVersion(Given<int32_t> version) {
  return call_into<Needs::kNothing>(version, [](Context&) { return kVersion; });
}

// ---- limits

HEDDLE_CUDA int32_t cudaDeviceGetLimit(Given<size_t> value, int32_t limit) {
  return call_into(value, [&](Context& c) { return device_limit(limit, c); });
}
HEDDLE_CUDA int32_t cudaDeviceSetLimit(int32_t limit, size_t value) {
  return call([&](Context& c) { set_device_limit(limit, value, c); });
}

// ---- errors

namespace heddle::runtime {
int32_t unsupported(const char* function) {
  const std::string_view name = function;
  const auto refuse = [&](Context&) {
    std::string what = std::string(name) + " is not supported";
    if (name == "cuGetExportTable") {
      what +=
          ": a CUDA runtime within the program asks for it, or another library of CUDA's, whose names were "
          "stripped, so that it was not replaced (legal: a program that was not stripped; nvcc -cudart "
          "shared)";
    }
    throw cuda::CallFailed(Status::kNotSupported, what);
  };
  const bool runtime = name.find("cuda") != std::string_view::npos;  // __cuda*, too
  return runtime ? call<Needs::kNothing>(refuse) : driver_call<Needs::kNothing>(refuse);
}
}  // namespace heddle::runtime

HEDDLE_CUDA int32_t cudaGetLastError() { return std::exchange(thread_state().last_error, 0); }
HEDDLE_CUDA int32_t cudaPeekAtLastError() { return thread_state().last_error; }
HEDDLE_CUDA const char* cudaGetErrorName(int32_t error) {
  const char* s = cuda::error_name(error);
  return s != nullptr ? s : "unrecognized error code";
}
HEDDLE_CUDA const char* cudaGetErrorString(int32_t error) {
  const char* s = cuda::error_string(error);
  return s != nullptr ? s : "unrecognized error code";
}
