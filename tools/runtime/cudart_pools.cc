// Stream-ordered memory.
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

}  // namespace

HEDDLE_CUDA int32_t cudaMallocAsync(void** out, size_t bytes, void* stream) {
  return call([&](Context& c) { *out = pointer(c.allocate(bytes, c.stream(stream), c.pools().current())); });
}
HEDDLE_CUDA int32_t cudaMallocFromPoolAsync(void** out, size_t bytes, void* pool, void* stream) {
  return call([&](Context& c) { *out = pointer(c.allocate(bytes, c.stream(stream), c.pools().at(pool))); });
}
HEDDLE_CUDA int32_t cudaFreeAsync(void* p, void* stream) {
  return call([&](Context& c) { c.release(number(p), c.stream(stream)); });
}
HEDDLE_CUDA int32_t cudaDeviceGetDefaultMemPool(void** out, int32_t device) {
  return call([&](Context& c) {
    of_device(c, device);
    *out = &c.pools().usual();
  });
}
HEDDLE_CUDA int32_t cudaDeviceGetMemPool(void** out, int32_t device) {
  return call([&](Context& c) { *out = &of_device(c, device); });
}
HEDDLE_CUDA int32_t cudaDeviceSetMemPool(int32_t device, void* pool) {
  return call([&](Context& c) {
    of_device(c, device);
    c.pools().make_current(c.pools().at(pool));
  });
}
HEDDLE_CUDA int32_t cudaMemPoolCreate(void** out, const abi::PoolProperties* properties) {
  return call([&](Context& c) {
    cuda::require(properties->allocation == 1 && properties->location.id == 0, Status::kInvalidValue);
    workload::Builder& b = c.timeline().builder();
    *out =
        &c.pools().create(b.pool("pool " + std::to_string(b.program().pools.size()), properties->most_bytes));
  });
}
HEDDLE_CUDA int32_t cudaMemPoolDestroy(void* pool) {
  return call([&](Context& c) { c.pools().destroy(c.pools().at(pool)); });
}
HEDDLE_CUDA int32_t cudaMemPoolSetAttribute(void* pool, int32_t attribute, void* value) {
  return call([&](Context& c) {
    cuda::Pool& p = c.pools().at(pool);
    if (attribute <= kLastSwitch) {
      p.attributes[attribute] = *static_cast<uint32_t*>(value);
      return;
    }
    const uint64_t v = *static_cast<uint64_t*>(value);
    if (attribute == kThreshold) {
      p.threshold = v;
      c.timeline().calls().memPoolSetAttribute(p.model, host::PoolAttribute::kReleaseThreshold, v);
      return;
    }
    cuda::require((attribute == kUsedHigh || attribute == kReservedHigh) && v == 0, Status::kInvalidValue);
    (attribute == kUsedHigh ? p.used_high : p.held_high) = attribute == kUsedHigh ? p.used : p.held;
  });
}
HEDDLE_CUDA int32_t cudaMemPoolGetAttribute(void* pool, int32_t attribute, void* value) {
  return call([&](Context& c) {
    const cuda::Pool& p = c.pools().at(pool);
    if (attribute <= kLastSwitch) {
      const auto it = p.attributes.find(attribute);
      *static_cast<uint32_t*>(value) = it == p.attributes.end() ? 1 : static_cast<uint32_t>(it->second);
      return;
    }
    const uint64_t values[] = {p.threshold, c.pools().reserved(p.held), c.pools().reserved(p.held_high),
                               p.used, p.used_high};
    cuda::require(attribute <= kUsedHigh, Status::kInvalidValue);
    *static_cast<uint64_t*>(value) = values[attribute - kThreshold];
  });
}
HEDDLE_CUDA int32_t cudaMemPoolTrimTo(void* pool, size_t keep) {
  return call([&](Context& c) {
    cuda::Pool& p = c.pools().at(pool);
    c.timeline().calls().memPoolTrimTo(p.model, keep);
    c.pools().trim(p, keep);
  });
}
HEDDLE_CUDA int32_t cudaMemPoolSetAccess(void* pool, const abi::AccessDescription* /*list*/,
                                         size_t /*count*/) {
  return call([&](Context& c) { c.pools().at(pool); });
}
