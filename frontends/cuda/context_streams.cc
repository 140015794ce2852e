// Streams and events.
#include "frontends/cuda/context.h"

#include <fmt/format.h>

namespace heddle::cuda {
namespace {

constexpr uint32_t kNonBlocking = 1;    // cudaStreamNonBlocking
constexpr uint32_t kBlockingSync = 1;   // cudaEventBlockingSync
constexpr uint32_t kDisableTiming = 2;  // cudaEventDisableTiming

}  // namespace

Stream& Context::stream(void* handle) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (number <= 1) {
    return legacy_;
  }
  if (number == 2) {
    if (own_ == nullptr) {
      own_ = &create_stream(0, 0);
    }
    return *own_;
  }
  const auto it = streams_.find(handle);
  require(it != streams_.end(), Status::kInvalidResourceHandle, "no such stream");
  return *it->second;
}

Stream& Context::create_stream(uint32_t flags, int32_t priority) {
  require(flags <= kNonBlocking, Status::kInvalidValue, "flags of a stream");
  auto s = std::make_unique<Stream>();
  s->id = ++ids_;
  s->flags = flags;
  s->priority = priority;
  s->model = timeline_.builder().stream_later(fmt::format("s{}", s->id), flags == kNonBlocking);
  timeline_.builder().program().streams[s->model.id].priority = priority;
  timeline_.calls().streamCreate(s->model);
  Stream& out = *s;
  streams_[&out] = std::move(s);
  return out;
}

void Context::destroy(Stream& s) {
  require(&s != &legacy_ && &s != own_, Status::kInvalidResourceHandle, "a default stream stays");
  timeline_.calls().streamDestroy(s.model);
  streams_.erase(&s);
}

void Context::synchronize(Stream& s) {
  not_in_capture(s);
  timeline_.calls().streamSynchronize(s.model);
  pools_.synchronized();
  flush();
}

void Context::synchronize() {
  not_in_any_capture();
  timeline_.calls().deviceSynchronize();
  pools_.synchronized();
  flush();
}

Event& Context::event(void* handle) {
  const auto it = events_.find(handle);
  require(it != events_.end(), Status::kInvalidResourceHandle, "no such event");
  return *it->second;
}

Event& Context::create_event(uint32_t flags) {
  auto e = std::make_unique<Event>();
  e->flags = flags;
  e->model = timeline_.builder().event(fmt::format("e{}", ++ids_), (flags & kDisableTiming) == 0);
  timeline_.calls().eventCreate(e->model);
  Event& out = *e;
  events_[&out] = std::move(e);
  return out;
}

void Context::destroy(Event& e) {
  timeline_.calls().eventDestroy(e.model);
  // Graphs may still name it.
  e.flags |= UINT32_C(1) << 31;
}

void Context::record(Event& e, Stream& s, bool external) {
  if (s.capture) {
    if (external) {
      captured(s, RecordWork{&e}, false);
    } else {
      require(!s.capture->invalid, Status::kStreamCaptureInvalidated);
      e.capture = s.capture;
      e.front = s.front;
    }
    return;
  }
  e.capture = nullptr;
  e.recorded = true;
  timeline_.calls().eventRecord(e.model, s.model);
}

void Context::wait(Stream& s, Event& e, bool external) {
  if (e.capture && !external) {
    require(!s.capture || s.capture == e.capture, Status::kStreamCaptureUnsupported,
            "two captures would meet");
    require(&s != &legacy_, Status::kStreamCaptureUnsupported, "the legacy stream cannot capture");
    s.capture = e.capture;
    for (Node* n : e.front) {
      if (std::find(s.front.begin(), s.front.end(), n) == s.front.end()) {
        s.front.push_back(n);
      }
    }
    return;
  }
  if (captured(s, WaitWork{&e}, false)) {
    return;
  }
  timeline_.calls().streamWaitEvent(s.model, e.model);
}

void Context::synchronize(Event& e) {
  require(!e.capture, Status::kCapturedEvent);
  if ((e.flags & kBlockingSync) != 0) {
    assumptions_.blocking_wait();
  }
  timeline_.calls().eventSynchronize(e.model);
  pools_.synchronized();
  flush();
}

bool Context::done(Event& e) {
  require(!e.capture, Status::kCapturedEvent);
  flush();
  return timeline_.done(e);
}

bool Context::done(Stream& s) {
  not_in_capture(s);
  flush();
  return timeline_.done(s);
}

double Context::elapsed_ms(Event& from, Event& to) {
  require(from.recorded && to.recorded && ((from.flags | to.flags) & kDisableTiming) == 0,
          Status::kInvalidResourceHandle, "an event without a time");
  return timeline_.elapsed_ms(from, to);
}

}  // namespace heddle::cuda
