// Streams and events.
#include <algorithm>
#include <array>
#include <cstring>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/launches.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

constexpr uint32_t kInterprocess = 4;  // cudaEventInterprocess

}  // namespace

// ---- streams

HEDDLE_CUDA int32_t cudaStreamCreateWithPriority(Given<void*> out, uint32_t flags, int32_t priority) {
  return call_into(out, [&](Context& c) {
    const int32_t p = std::max(c.params().priority_greatest, std::min(c.params().priority_least, priority));
    return &c.create_stream(flags, p);
  });
}
HEDDLE_CUDA int32_t cudaStreamCreateWithFlags(Given<void*> out, uint32_t flags) {
  return cudaStreamCreateWithPriority(out, flags, 0);
}
HEDDLE_CUDA int32_t cudaStreamCreate(Given<void*> out) { return cudaStreamCreateWithPriority(out, 0, 0); }

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
  return call([&](Context& c) {
    cuda::require(flags <= 1, Status::kInvalidValue, "flags of a wait");
    c.wait(c.stream(stream), c.event(event), flags == 1);
  });
}
HEDDLE_CUDA int32_t cudaStreamGetFlags(void* stream, Given<uint32_t> out) {
  return call_into(out, [&](Context& c) { return c.stream(stream).flags; });
}
HEDDLE_CUDA int32_t cudaStreamGetPriority(void* stream, Given<int32_t> out) {
  return call_into(out, [&](Context& c) { return c.stream(stream).priority; });
}
HEDDLE_CUDA int32_t cudaStreamGetId(void* stream, Given<unsigned long long> out) {
  return call_into(out, [&](Context& c) { return c.stream(stream).id; });
}
HEDDLE_CUDA int32_t cudaStreamGetDevice(void* stream, Given<int32_t> out) {
  return call_into(out, [&](Context& c) {
    c.stream(stream);
    return 0;
  });
}
// ---- attributes of streams: they are kept, and change nothing here but the priority

namespace {

constexpr size_t kAttributeBytes = 64;

void require_stream_attribute(int32_t attribute) {
  constexpr int32_t kAccessPolicy = 1, kSynchronization = 3;
  cuda::require(attribute == kAccessPolicy || attribute == kSynchronization || attribute == kSyncDomainMap ||
                    attribute == kSyncDomain,
                Status::kInvalidValue, "an attribute of streams that can be set (legal: 1, 3, 9, 10)");
}

}  // namespace

HEDDLE_CUDA int32_t cudaStreamSetAttribute(void* stream, int32_t attribute, Given<const uint8_t> value) {
  return call([&](Context& c) {
    require_stream_attribute(attribute);
    std::copy_n(value.get(), kAttributeBytes, c.stream(stream).attributes[attribute].begin());
    c.note("attributes of streams (windows of access, domains, ways to wait) change no times here");
  });
}
HEDDLE_CUDA int32_t cudaStreamGetAttribute(void* stream, int32_t attribute, Given<uint8_t> value) {
  return call([&](Context& c) {
    const cuda::Stream& s = c.stream(stream);
    std::array<uint8_t, kAttributeBytes> out{};
    if (attribute == kPriority) {
      std::memcpy(out.data(), &s.priority, sizeof s.priority);
    } else {
      require_stream_attribute(attribute);
      const auto set = s.attributes.find(attribute);
      out = set == s.attributes.end() ? out : set->second;
      // Domains are 0 for launches of one kind and 1 for those that are remote.
      out[1] = set == s.attributes.end() && attribute == kSyncDomainMap ? 1 : out[1];
    }
    std::copy(out.begin(), out.end(), value.get());
  });
}
HEDDLE_CUDA int32_t cudaStreamCopyAttributes(void* to, void* from) {
  return call([&](Context& c) { c.stream(to).attributes = c.stream(from).attributes; });
}

HEDDLE_CUDA int32_t cudaDeviceGetStreamPriorityRange(Given<int32_t> least, Given<int32_t> greatest) {
  return call([&](Context& c) {
    if (least.pointer() != nullptr) {
      *least = c.params().priority_least;
    }
    if (greatest.pointer() != nullptr) {
      *greatest = c.params().priority_greatest;
    }
  });
}

// ---- events

HEDDLE_CUDA int32_t cudaEventCreateWithFlags(Given<void*> out, uint32_t flags) {
  return call_into(out, [&](Context& c) {
    cuda::require(flags < 8, Status::kInvalidValue, "flags of an event");
    if ((flags & kInterprocess) != 0) {
      Session::get().share_device();
    }
    return &c.create_event(flags);
  });
}
HEDDLE_CUDA int32_t cudaEventCreate(Given<void*> out) { return cudaEventCreateWithFlags(out, 0); }
HEDDLE_CUDA int32_t cudaEventDestroy(void* event) {
  return call([&](Context& c) { c.destroy(c.event(event)); });
}
HEDDLE_CUDA int32_t cudaEventRecordWithFlags(void* event, void* stream, uint32_t flags) {
  return call([&](Context& c) {
    cuda::require(flags <= 1, Status::kInvalidValue, "flags of a record");
    c.record(c.event(event), c.stream(stream), flags == 1);
  });
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
HEDDLE_CUDA int32_t cudaEventElapsedTime(Given<float> ms, void* from, void* to) {
  return call_into(ms,
                   [&](Context& c) { return static_cast<float>(c.elapsed_ms(c.event(from), c.event(to))); });
}
