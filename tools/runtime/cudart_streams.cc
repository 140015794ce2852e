// Streams, events, pools.
#include <map>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"

using namespace heddle;           // NOLINT: this file is CUDA's interface
using namespace heddle::runtime;  // NOLINT

// ---- streams

HEDDLE_CUDA int32_t cudaStreamCreateWithPriority(void** out, uint32_t flags, int32_t priority) {
  return call([&](Context& c) {
    const int32_t p = std::max(c.params().priority_greatest, std::min(c.params().priority_least, priority));
    *out = &c.create_stream(flags, p);
  });
}
HEDDLE_CUDA int32_t cudaStreamCreateWithFlags(void** out, uint32_t flags) {
  return cudaStreamCreateWithPriority(out, flags, 0);
}
HEDDLE_CUDA int32_t cudaStreamCreate(void** out) { return cudaStreamCreateWithPriority(out, 0, 0); }

HEDDLE_CUDA int32_t cudaStreamDestroy(void* stream) {
  return call([&](Context& c) { c.destroy(c.stream(stream)); });
}
HEDDLE_CUDA int32_t cudaStreamSynchronize(void* stream) {
  return call([&](Context& c) { c.synchronize(c.stream(stream)); });
}
HEDDLE_CUDA int32_t cudaStreamQuery(void* stream) {
  return call([&](Context& c) { return c.done(c.stream(stream)) ? Status::kSuccess : Status::kNotReady; });
}
HEDDLE_CUDA int32_t cudaStreamWaitEvent(void* stream, void* event, uint32_t flags) {
  return call([&](Context& c) { c.wait(c.stream(stream), c.event(event), flags == 1); });
}
HEDDLE_CUDA int32_t cudaStreamGetFlags(void* stream, uint32_t* out) {
  return call([&](Context& c) { *out = c.stream(stream).flags; });
}
HEDDLE_CUDA int32_t cudaStreamGetPriority(void* stream, int32_t* out) {
  return call([&](Context& c) { *out = c.stream(stream).priority; });
}
HEDDLE_CUDA int32_t cudaStreamGetId(void* stream, unsigned long long* out) {
  return call([&](Context& c) { *out = c.stream(stream).id; });
}
HEDDLE_CUDA int32_t cudaStreamGetDevice(void* stream, int32_t* out) {
  return call([&](Context& c) {
    c.stream(stream);
    *out = 0;
  });
}
HEDDLE_CUDA int32_t cudaDeviceGetStreamPriorityRange(int32_t* least, int32_t* greatest) {
  return call([&](Context& c) {
    *least = c.params().priority_least;
    *greatest = c.params().priority_greatest;
  });
}

// ---- events

HEDDLE_CUDA int32_t cudaEventCreateWithFlags(void** out, uint32_t flags) {
  return call([&](Context& c) {
    cuda::require(flags < 8, Status::kInvalidValue);
    *out = &c.create_event(flags);
  });
}
HEDDLE_CUDA int32_t cudaEventCreate(void** out) { return cudaEventCreateWithFlags(out, 0); }
HEDDLE_CUDA int32_t cudaEventDestroy(void* event) {
  return call([&](Context& c) { c.destroy(c.event(event)); });
}
HEDDLE_CUDA int32_t cudaEventRecordWithFlags(void* event, void* stream, uint32_t flags) {
  return call([&](Context& c) { c.record(c.event(event), c.stream(stream), flags == 1); });
}
HEDDLE_CUDA int32_t cudaEventRecord(void* event, void* stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
HEDDLE_CUDA int32_t cudaEventSynchronize(void* event) {
  return call([&](Context& c) { c.synchronize(c.event(event)); });
}
HEDDLE_CUDA int32_t cudaEventQuery(void* event) {
  return call([&](Context& c) { return c.done(c.event(event)) ? Status::kSuccess : Status::kNotReady; });
}
HEDDLE_CUDA int32_t cudaEventElapsedTime(float* ms, void* from, void* to) {
  return call([&](Context& c) { *ms = static_cast<float>(c.elapsed_ms(c.event(from), c.event(to))); });
}

// ---- pools: one device, whose memory they all give out

namespace {

struct Pool {
  workload::Pool model;
  std::map<int32_t, uint64_t> attributes;
  uint64_t used = 0, high = 0;
};

enum PoolAttribute : int32_t { kThreshold = 4, kReserved = 5, kReservedHigh = 6, kUsed = 7, kUsedHigh = 8 };

struct Pools {
  Pool usual;
  Pool* current = &usual;
  std::map<void*, std::unique_ptr<Pool>> others;
  std::map<uint64_t, std::pair<Pool*, uint64_t>> of;  // by address, with bytes

  Pool& at(void* handle) {
    if (handle == &usual) {
      return usual;
    }
    const auto it = others.find(handle);
    cuda::require(it != others.end(), Status::kInvalidValue, "no such pool");
    return *it->second;
  }
};

// Under the session's lock.
Pools& pools() {
  static Pools* const all = new Pools;
  return *all;
}

void allocate(Context& c, void** out, size_t bytes, Pool& pool, void* stream) {
  const uint64_t at = c.allocate(bytes, c.stream(stream), pool.model);
  pools().of[at] = {&pool, bytes};
  pool.used += bytes;
  pool.high = std::max(pool.high, pool.used);
  *out = pointer(at);
}

}  // namespace

HEDDLE_CUDA int32_t cudaMallocAsync(void** out, size_t bytes, void* stream) {
  return call([&](Context& c) { allocate(c, out, bytes, *pools().current, stream); });
}
HEDDLE_CUDA int32_t cudaMallocFromPoolAsync(void** out, size_t bytes, void* pool, void* stream) {
  return call([&](Context& c) { allocate(c, out, bytes, pools().at(pool), stream); });
}
HEDDLE_CUDA int32_t cudaFreeAsync(void* p, void* stream) {
  return call([&](Context& c) {
    c.release(number(p), c.stream(stream));
    if (const auto it = pools().of.find(number(p)); it != pools().of.end()) {
      it->second.first->used -= it->second.second;
      pools().of.erase(it);
    }
  });
}
HEDDLE_CUDA int32_t cudaDeviceGetDefaultMemPool(void** out, int32_t device) {
  return call([&](Context&) {
    cuda::require(device == 0, Status::kInvalidDevice);
    *out = &pools().usual;
  });
}
HEDDLE_CUDA int32_t cudaDeviceGetMemPool(void** out, int32_t device) {
  return call([&](Context&) {
    cuda::require(device == 0, Status::kInvalidDevice);
    *out = pools().current;
  });
}
HEDDLE_CUDA int32_t cudaDeviceSetMemPool(int32_t device, void* pool) {
  return call([&](Context&) {
    cuda::require(device == 0, Status::kInvalidDevice);
    pools().current = &pools().at(pool);
  });
}
HEDDLE_CUDA int32_t cudaMemPoolCreate(void** out, const abi::PoolProperties* properties) {
  return call([&](Context& c) {
    cuda::require(properties->allocation == 1 && properties->location.id == 0, Status::kInvalidValue);
    auto p = std::make_unique<Pool>();
    p->model =
        c.timeline().builder().pool("pool " + std::to_string(pools().others.size()), properties->most_bytes);
    *out = p.get();
    pools().others[p.get()] = std::move(p);
  });
}
HEDDLE_CUDA int32_t cudaMemPoolDestroy(void* pool) {
  return call([&](Context&) {
    Pool& p = pools().at(pool);
    cuda::require(&p != &pools().usual, Status::kInvalidValue, "the default pool stays");
    // What it has given out stays until it is freed.
    if (pools().current == &p) {
      pools().current = &pools().usual;
    }
  });
}
HEDDLE_CUDA int32_t cudaMemPoolSetAttribute(void* pool, int32_t attribute, void* value) {
  return call([&](Context& c) {
    Pool& p = pools().at(pool);
    if (attribute <= 3) {
      p.attributes[attribute] = *static_cast<uint32_t*>(value);
    } else if (attribute == kThreshold) {
      p.attributes[attribute] = *static_cast<uint64_t*>(value);
      c.timeline().calls().memPoolSetAttribute(p.model, host::PoolAttribute::kReleaseThreshold,
                                               p.attributes[attribute]);
    } else {
      cuda::require(attribute == kUsedHigh && *static_cast<uint64_t*>(value) == 0, Status::kInvalidValue);
      p.high = p.used;
    }
  });
}
HEDDLE_CUDA int32_t cudaMemPoolGetAttribute(void* pool, int32_t attribute, void* value) {
  return call([&](Context&) {
    const Pool& p = pools().at(pool);
    const auto it = p.attributes.find(attribute);
    if (attribute <= 3) {
      *static_cast<uint32_t*>(value) = it == p.attributes.end() ? 1 : static_cast<uint32_t>(it->second);
      return;
    }
    uint64_t& out = *static_cast<uint64_t*>(value);
    switch (attribute) {
      case kThreshold:
        out = it == p.attributes.end() ? 0 : it->second;
        return;
      case kUsed:
        out = p.used;
        return;
      case kUsedHigh:
        out = p.high;
        return;
      default:
        throw cuda::CallFailed(Status::kNotSupported, "how much a pool has reserved");
    }
  });
}
HEDDLE_CUDA int32_t cudaMemPoolTrimTo(void* pool, size_t keep) {
  return call([&](Context& c) { c.timeline().calls().memPoolTrimTo(pools().at(pool).model, keep); });
}
HEDDLE_CUDA int32_t cudaMemPoolSetAccess(void* pool, const abi::AccessDescription* /*list*/,
                                         size_t /*count*/) {
  return call([&](Context&) { pools().at(pool); });
}
