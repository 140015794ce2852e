// Streams and events.
#include <algorithm>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"

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
