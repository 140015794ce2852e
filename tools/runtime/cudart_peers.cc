// Questions about devices that this one answers with "no": other devices, other hosts' memory, what is
// notified; and settings of old devices that change nothing.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/device.h"
#include "tools/runtime/formats.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

void require_this(int32_t device) { cuda::require(device == 0, Status::kInvalidDevice); }

}  // namespace

// ---- which device

HEDDLE_CUDA int32_t cudaChooseDevice(Given<int32_t> device, Given<const uint8_t> properties) {
  return call_into<Needs::kDriver>(device, [&](Context&) {
    properties.get();
    return 0;
  });
}
HEDDLE_CUDA int32_t cudaSetValidDevices(const int32_t* list, int32_t count) {
  return call<Needs::kDriver>([&](Context&) {
    const Given<const int32_t> devices = list;
    for (int32_t i = 0; i < count; ++i) {
      require_this(devices[static_cast<size_t>(i)]);
    }
  });
}
HEDDLE_CUDA int32_t cudaDeviceGetByPCIBusId(Given<int32_t> device, Given<const char> id) {
  return call_into<Needs::kDriver>(device, [&](Context&) {
    const std::string_view text = id.get();
    cuda::require(text == "0000:00:00.0" || text == "00:00.0" || text == "0000:00:00" || text == "00:00",
                  Status::kInvalidDevice, "no device there");
    return 0;
  });
}

// ---- peers

HEDDLE_CUDA int32_t cudaDeviceEnablePeerAccess(int32_t /*peer*/, uint32_t flags) {
  return call([&](Context&) {
    cuda::require(flags == 0, Status::kInvalidValue, "flags of access to peers");
    return Status::kInvalidDevice;  // no device is its own peer
  });
}
HEDDLE_CUDA int32_t cudaDeviceDisablePeerAccess(int32_t peer) {
  return call([&](Context&) {
    require_this(peer);
    return Status::kPeerAccessNotEnabled;
  });
}
HEDDLE_CUDA int32_t cudaDeviceGetP2PAttribute(Given<int32_t> value, int32_t attribute, int32_t /*from*/,
                                              int32_t /*to*/) {
  return call<Needs::kDriver>([&](Context&) {
    constexpr int32_t kLast = 5;
    value.get();
    cuda::require(attribute >= 1 && attribute <= kLast, Status::kInvalidValue, "no attribute of two devices");
    return Status::kInvalidDevice;
  });
}
HEDDLE_CUDA int32_t cudaDeviceGetP2PAtomicCapabilities(Given<uint32_t> out, Given<const int32_t> operations,
                                                       uint32_t count, int32_t /*from*/, int32_t /*to*/) {
  return call<Needs::kDriver>([&](Context&) {
    if (count != 0) {
      out.get();
      operations.get();
    }
    return Status::kInvalidDevice;
  });
}

// Over PCIe the device has no atomics on the host's memory that are native
// (cudaDevAttrHostNativeAtomicSupported).
HEDDLE_CUDA int32_t cudaDeviceGetHostAtomicCapabilities(Given<uint32_t> out, Given<const int32_t> operations,
                                                        uint32_t count, int32_t device) {
  return call<Needs::kDriver>([&](Context&) {
    require_this(device);
    cuda::require(count != 0, Status::kInvalidValue, "no operations");
    operations.get();
    std::fill_n(out.get(), count, 0U);
  });
}
HEDDLE_CUDA int32_t cudaDeviceFlushGPUDirectRDMAWrites(int32_t target, int32_t scope) {
  constexpr int32_t kCurrentDevice = 0, kToOwner = 100, kToAll = 200;
  return call([&](Context&) {
    cuda::require(target == kCurrentDevice && (scope == kToOwner || scope == kToAll), Status::kInvalidValue,
                  "what is flushed, or for whom");
  });
}

// ---- settings that change nothing since 3.x and 7.0

HEDDLE_CUDA int32_t cudaDeviceGetCacheConfig(Given<int32_t> config) {
  constexpr int32_t kNoPreference = 0;
  return call_into(config, [](Context&) { return kNoPreference; });
}
HEDDLE_CUDA int32_t cudaDeviceGetSharedMemConfig(Given<int32_t> config) {
  constexpr int32_t kFourBytes = 1;
  return call_into(config, [](Context&) { return kFourBytes; });
}
HEDDLE_CUDA int32_t cudaDeviceSetSharedMemConfig(int32_t config) {
  return call(
      [&](Context&) { cuda::require(config >= 0 && config <= 2, Status::kInvalidValue, "a bank's width"); });
}
HEDDLE_CUDA int32_t cudaFuncSetSharedMemConfig(const void* function, int32_t config) {
  return call([&](Context& c) {
    c.library().function(function);
    cuda::require(config >= 0 && config <= 2, Status::kInvalidValue, "a bank's width");
  });
}

// ---- limits of textures

HEDDLE_CUDA int32_t cudaDeviceGetTexture1DLinearMaxWidth(Given<size_t> width,
                                                         Given<const abi::ChannelFormat> format,
                                                         int32_t device) {
  return call_into(width, [&](Context&) {
    constexpr size_t kMost = size_t{1} << 28;  // elements, of any kind (guide, B4)
    require_this(device);
    format_of(*format);
    return kMost;
  });
}

// ---- memory of graphs

namespace {

// cudaGraphMemAttributeType.
enum GraphMemory : int32_t { kGraphUsed = 0, kGraphUsedHigh = 1, kGraphReserved = 2, kGraphReservedHigh = 3 };

}  // namespace

HEDDLE_CUDA int32_t cudaDeviceGetGraphMemAttribute(int32_t device, int32_t attribute, Given<uint8_t> value) {
  return call([&](Context& c) {
    require_this(device);
    cuda::require(attribute >= kGraphUsed && attribute <= kGraphReservedHigh, Status::kInvalidValue,
                  "an attribute of graphs' memory");
    // Graphs keep what they have allocated here.
    uint64_t bytes = 0;
    for (const auto& [address, a] : c.space().allocations()) {
      bytes += a.graph ? a.bytes : 0;
    }
    std::memcpy(value.get(), &bytes, sizeof bytes);
  });
}
HEDDLE_CUDA int32_t cudaDeviceSetGraphMemAttribute(int32_t device, int32_t attribute,
                                                   Given<const uint8_t> value) {
  return call([&](Context&) {
    require_this(device);
    uint64_t to = 0;
    std::memcpy(&to, value.get(), sizeof to);
    cuda::require((attribute == kGraphUsedHigh || attribute == kGraphReservedHigh) && to == 0,
                  Status::kInvalidValue, "what can be set (legal: high-water marks, to 0)");
  });
}
HEDDLE_CUDA int32_t cudaDeviceGraphMemTrim(int32_t device) {
  return call([&](Context&) { require_this(device); });
}

// ---- notifications: of budgets of memory, which nothing here exceeds

HEDDLE_CUDA int32_t cudaDeviceRegisterAsyncNotification(int32_t device, void (*function)(void*, void*, void*),
                                                        void* data, Given<void*> out) {
  return call_into(out, [&](Context& c) {
    require_this(device);
    cuda::require(function != nullptr, Status::kInvalidValue, "no function");
    return &c.registered().keep(std::make_unique<cuda::Registered>(cuda::Registered{data}));
  });
}
HEDDLE_CUDA int32_t cudaDeviceUnregisterAsyncNotification(int32_t device, void* callback) {
  return call([&](Context& c) {
    require_this(device);
    c.registered().drop(&c.registered().at(callback));
  });
}

// ---- the log of errors, which is empty here: they are said on stderr

HEDDLE_CUDA int32_t cudaLogsRegisterCallback(void (*function)(void*, int32_t, char*, size_t), void* data,
                                             Given<void*> out) {
  return call_into(out, [&](Context& c) {
    cuda::require(function != nullptr, Status::kInvalidValue, "no function");
    return &c.registered().keep(std::make_unique<cuda::Registered>(cuda::Registered{data}));
  });
}
HEDDLE_CUDA int32_t cudaLogsUnregisterCallback(void* callback) {
  return call([&](Context& c) { c.registered().drop(&c.registered().at(callback)); });
}
HEDDLE_CUDA int32_t cudaLogsCurrent(Given<uint32_t> iterator, uint32_t flags) {
  return call_into(iterator, [&](Context&) {
    cuda::require(flags == 0, Status::kInvalidValue, "flags of a log");
    return 0U;
  });
}
HEDDLE_CUDA int32_t cudaLogsDumpToMemory(uint32_t* /*iterator*/, Given<char> buffer, Given<size_t> bytes,
                                         uint32_t flags) {
  return call([&](Context&) {
    cuda::require(flags == 0 && *bytes != 0, Status::kInvalidValue, "flags of a log, or no room");
    *buffer = '\0';
    *bytes = 0;
  });
}
HEDDLE_CUDA int32_t cudaLogsDumpToFile(uint32_t* /*iterator*/, Given<const char> path, uint32_t flags) {
  return call([&](Context&) {
    path.get();
    cuda::require(flags == 0, Status::kInvalidValue, "flags of a log");
  });
}
