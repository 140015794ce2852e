// The device, its limits, errors, versions.
#include <cstring>
#include <map>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/device.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

constexpr int32_t kVersion = 13000;

Status device_is(int32_t device) { return device == 0 ? Status::kSuccess : Status::kInvalidDevice; }

}  // namespace

HEDDLE_CUDA int32_t cudaGetDeviceCount(int32_t* count) {
  return call([&](Context& c) {
    c.timeline().calls().getDeviceCount();
    *count = 1;
  });
}
HEDDLE_CUDA int32_t cudaGetDevice(int32_t* device) {
  return call([&](Context&) { *device = 0; });
}
HEDDLE_CUDA int32_t cudaSetDevice(int32_t device) {
  return call([&](Context& c) {
    if (device == 0) {
      c.timeline().calls().setDevice(0);
    }
    return device_is(device);
  });
}
HEDDLE_CUDA int32_t cudaInitDevice(int32_t device, uint32_t, uint32_t) {
  return call([&](Context&) { return device_is(device); });
}
HEDDLE_CUDA int32_t cudaSetDeviceFlags(uint32_t flags) {
  constexpr uint32_t kBlockingSync = 4;  // cudaDeviceScheduleBlockingSync
  return call([&](Context& c) {
    if ((flags & kBlockingSync) != 0) {
      c.assumptions().blocking_wait();
    }
  });
}
HEDDLE_CUDA int32_t cudaGetDeviceFlags(uint32_t* flags) {
  return call([&](Context&) { *flags = 8; });  // cudaDeviceMapHost, which is always on
}
HEDDLE_CUDA int32_t cudaDeviceSynchronize() {
  return call([](Context& c) { c.synchronize(); });
}
HEDDLE_CUDA int32_t cudaDeviceReset() {
  return call([](Context& c) { c.synchronize(); });
}
HEDDLE_CUDA int32_t cudaDeviceGetAttribute(int32_t* value, int32_t attribute, int32_t device) {
  return call([&](Context& c) {
    cuda::require(device == 0, Status::kInvalidDevice);
    const auto v = device_attribute(attribute, c);
    cuda::require(v.has_value(), Status::kInvalidValue, "no such attribute");
    *value = *v;
  });
}
HEDDLE_CUDA int32_t cudaGetDeviceProperties(void* out, int32_t device) {
  return call([&](Context& c) {
    cuda::require(device == 0, Status::kInvalidDevice);
    fill_properties(static_cast<uint8_t*>(out), c);
  });
}
HEDDLE_CUDA int32_t cudaDeviceGetPCIBusId(char* out, int32_t length, int32_t device) {
  return call([&](Context& c) {
    cuda::require(device == 0, Status::kInvalidDevice);
    c.timeline().calls().deviceGetPciBusId(0);
    std::strncpy(out, "0000:00:00.0", static_cast<size_t>(length));
  });
}
HEDDLE_CUDA int32_t cudaDeviceCanAccessPeer(int32_t* can, int32_t device, int32_t peer) {
  return call([&](Context&) {
    cuda::require(device == 0 && peer == 0, Status::kInvalidDevice);
    *can = 0;
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
HEDDLE_CUDA int32_t cudaRuntimeGetVersion(int32_t* version) {
  *version = kVersion;
  return 0;
}
HEDDLE_CUDA int32_t cudaDriverGetVersion(int32_t* version) {
  *version = kVersion;
  return 0;
}

// ---- limits

HEDDLE_CUDA int32_t cudaDeviceGetLimit(size_t* value, int32_t limit) {
  return call([&](Context& c) { *value = device_limit(limit, c); });
}
HEDDLE_CUDA int32_t cudaDeviceSetLimit(int32_t limit, size_t value) {
  return call([&](Context& c) { set_device_limit(limit, value, c); });
}

// ---- errors

namespace heddle::runtime {
int32_t& last_error() {
  thread_local int32_t last = 0;
  return last;
}

int32_t unsupported(const char* name) {
  return call(
      [&](Context&) {
        throw cuda::CallFailed(Status::kNotSupported, std::string(name) + " is not supported");
      },
      true);
}
}  // namespace heddle::runtime

HEDDLE_CUDA int32_t cudaGetLastError() {
  const int32_t out = last_error();
  last_error() = 0;
  return out;
}
HEDDLE_CUDA int32_t cudaPeekAtLastError() { return last_error(); }
HEDDLE_CUDA const char* cudaGetErrorName(int32_t error) {
  const char* s = cuda::error_name(error);
  return s != nullptr ? s : "unrecognized error code";
}
HEDDLE_CUDA const char* cudaGetErrorString(int32_t error) {
  const char* s = cuda::error_string(error);
  return s != nullptr ? s : "unrecognized error code";
}
