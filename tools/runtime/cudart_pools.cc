// Stream-ordered memory.
#include <cstring>
#include <string>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

// cudaMemPoolAttr; up to 3 they are switches for reuse, on by default.
enum PoolAttribute : int32_t {
  kLastSwitch = 3,
  kThreshold = 4,
  kReserved = 5,
  kReservedHigh = 6,
  kUsed = 7,
  kUsedHigh = 8
};

cuda::Pool& of_device(Context& c, int32_t device) {
  cuda::require(device == 0, Status::kInvalidDevice);
  return c.pools().current();
}

void require_attribute(int32_t attribute) {
  cuda::require(attribute >= 1 && attribute <= kUsedHigh, Status::kInvalidValue, "no attribute of a pool");
}

}  // namespace

HEDDLE_CUDA int32_t cudaMallocAsync(Given<void*> out, size_t bytes, void* stream) {
  return call_into(
      out, [&](Context& c) { return pointer(c.allocate(bytes, c.stream(stream), c.pools().current())); });
}
HEDDLE_CUDA int32_t cudaMallocFromPoolAsync(Given<void*> out, size_t bytes, void* pool, void* stream) {
  return call_into(
      out, [&](Context& c) { return pointer(c.allocate(bytes, c.stream(stream), c.pools().at(pool))); });
}
HEDDLE_CUDA int32_t cudaFreeAsync(void* p, void* stream) {
  return call([&](Context& c) { c.release(number(p), c.stream(stream)); });
}
HEDDLE_CUDA int32_t cudaDeviceGetDefaultMemPool(Given<void*> out, int32_t device) {
  return call_into(out, [&](Context& c) {
    of_device(c, device);
    return &c.pools().usual();
  });
}
HEDDLE_CUDA int32_t cudaDeviceGetMemPool(Given<void*> out, int32_t device) {
  return call_into(out, [&](Context& c) { return &of_device(c, device); });
}
HEDDLE_CUDA int32_t cudaDeviceSetMemPool(int32_t device, void* pool) {
  return call([&](Context& c) {
    of_device(c, device);
    c.pools().make_current(c.pools().at(pool));
  });
}
HEDDLE_CUDA int32_t cudaMemPoolCreate(Given<void*> out, Given<const abi::PoolProperties> properties) {
  return call_into(out, [&](Context& c) {
    cuda::require(
        properties->allocation == 1 && properties->location.type == 1 && properties->location.id == 0,
        Status::kInvalidValue, "a pool of something else than the device's memory");
    workload::Builder& b = c.timeline().builder();
    return &c.pools().create(
        b.pool("pool " + std::to_string(b.program().pools.size()), properties->most_bytes));
  });
}
HEDDLE_CUDA int32_t cudaMemPoolDestroy(void* pool) {
  return call([&](Context& c) { c.pools().destroy(c.pools().at(pool)); });
}
HEDDLE_CUDA int32_t cudaMemPoolSetAttribute(void* pool, int32_t attribute, Given<uint8_t> value) {
  return call([&](Context& c) {
    cuda::Pool& p = c.pools().at(pool);
    require_attribute(attribute);
    if (attribute <= kLastSwitch) {
      uint32_t v = 0;
      std::memcpy(&v, value.get(), sizeof v);
      p.attributes[attribute] = v;
      return;
    }
    uint64_t v = 0;
    std::memcpy(&v, value.get(), sizeof v);
    if (attribute == kThreshold) {
      p.threshold = v;
      c.timeline().call(
          [&](auto& t) { t.memPoolSetAttribute(p.model, host::PoolAttribute::kReleaseThreshold, v); });
      return;
    }
    cuda::require((attribute == kUsedHigh || attribute == kReservedHigh) && v == 0, Status::kInvalidValue);
    (attribute == kUsedHigh ? p.used_high : p.held_high) = attribute == kUsedHigh ? p.used : p.held;
  });
}
HEDDLE_CUDA int32_t cudaMemPoolGetAttribute(void* pool, int32_t attribute, Given<uint8_t> value) {
  return call([&](Context& c) {
    const cuda::Pool& p = c.pools().at(pool);
    require_attribute(attribute);
    if (attribute <= kLastSwitch) {
      const auto it = p.attributes.find(attribute);
      const uint32_t v = it == p.attributes.end() ? 1 : static_cast<uint32_t>(it->second);
      std::memcpy(value.get(), &v, sizeof v);
      return;
    }
    const uint64_t values[] = {p.threshold, c.pools().reserved(p.held), c.pools().reserved(p.held_high),
                               p.used, p.used_high};
    std::memcpy(value.get(), &values[attribute - kThreshold], sizeof values[0]);
  });
}
namespace {

// Pools are of the device's pinned memory.
void require_devices_memory(Given<const abi::Location> at, int32_t type) {
  constexpr int32_t kDevice = 1, kPinned = 1;
  cuda::require(at->type == kDevice && type == kPinned, Status::kInvalidValue, "a pool of something else");
  cuda::require(at->id == 0, Status::kInvalidDevice);
}

}  // namespace

HEDDLE_CUDA int32_t cudaMemGetDefaultMemPool(Given<void*> out, Given<const abi::Location> at, int32_t type) {
  return call_into(out, [&](Context& c) {
    require_devices_memory(at, type);
    return &c.pools().usual();
  });
}
HEDDLE_CUDA int32_t cudaMemGetMemPool(Given<void*> out, Given<const abi::Location> at, int32_t type) {
  return call_into(out, [&](Context& c) {
    require_devices_memory(at, type);
    return &c.pools().current();
  });
}
HEDDLE_CUDA int32_t cudaMemSetMemPool(Given<const abi::Location> at, int32_t type, void* pool) {
  return call([&](Context& c) {
    require_devices_memory(at, type);
    c.pools().make_current(c.pools().at(pool));
  });
}
HEDDLE_CUDA int32_t cudaMemPoolGetAccess(Given<int32_t> flags, void* pool, Given<const abi::Location> at) {
  constexpr int32_t kDevice = 1, kNone = 0, kReadWrite = 3;
  return call_into(flags, [&](Context& c) {
    c.pools().at(pool);
    cuda::require(at->type != kDevice || at->id == 0, Status::kInvalidDevice);
    return at->type == kDevice ? kReadWrite : kNone;
  });
}
HEDDLE_CUDA int32_t cudaMemPoolTrimTo(void* pool, size_t keep) {
  return call([&](Context& c) {
    cuda::Pool& p = c.pools().at(pool);
    c.timeline().call([&](auto& t) { t.memPoolTrimTo(p.model, keep); });
    c.pools().trim(p, keep);
  });
}
HEDDLE_CUDA int32_t cudaMemPoolSetAccess(void* pool, const abi::AccessDescription* /*list*/,
                                         size_t /*count*/) {
  return call([&](Context& c) { c.pools().at(pool); });
}
