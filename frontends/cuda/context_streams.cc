// Streams and events.
#include "frontends/cuda/context.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::cuda {
namespace {

constexpr uint32_t kNonBlocking = 1;   // cudaStreamNonBlocking
constexpr uint32_t kBlockingSync = 1;  // cudaEventBlockingSync

}  // namespace

bool& OwnDefaultStream::here() {
  thread_local bool is = false;
  return is;
}

void join(FreeClock& to, const FreeClock& from) {
  for (const auto& [stream, frees] : from) {
    uint64_t& known = to[stream];
    known = std::max(known, frees);
  }
}

// The legacy stream and those that were not made without blocking wait for each other (ST04, ST05).
void Context::settle(Stream& s) {
  if (&s != &legacy_) {
    if (s.flags != kNonBlocking) {
      join(s.frees, legacy_.frees);
    }
    return;
  }
  for (const auto& [handle, other] : streams_) {
    if (other->flags != kNonBlocking) {
      join(legacy_.frees, other->frees);
    }
  }
}

Stream& Context::stream(const void* handle) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  constexpr uintptr_t kLegacy = 1, kOwn = 2;
  if (number == kOwn || (number == 0 && OwnDefaultStream::here())) {
    Stream*& own = own_[std::this_thread::get_id()];
    if (own == nullptr) {
      own = &create_stream(0, 0);
    }
    return *own;
  }
  if (number <= kLegacy) {
    return legacy_;
  }
  return streams_.at(handle);
}

Stream& Context::create_stream(uint32_t flags, int32_t priority) {
  require(flags <= kNonBlocking, Status::kInvalidValue, "flags of a stream");
  auto s = std::make_unique<Stream>();
  s->id = ++ids_;
  s->flags = flags;
  s->priority = priority;
  s->model = timeline_.builder().stream_later(fmt::format("s{}", s->id), flags == kNonBlocking);
  timeline_.builder().program().streams[s->model.id].priority = priority;
  timeline_.call([&](auto& t) { t.streamCreate(s->model); });
  return streams_.keep(std::move(s));
}

void Context::destroy(Stream& s) {
  const bool own = std::any_of(own_.begin(), own_.end(), [&](const auto& o) { return o.second == &s; });
  require(&s != &legacy_ && !own, Status::kInvalidResourceHandle, "a default stream stays");
  if (s.capture) {
    s.capture->invalid = true;
  }
  timeline_.call([&](auto& t) { t.streamDestroy(s.model); });
  streams_.drop(&s);
}

void Context::synchronize(Stream& s) {
  not_in_capture(s);
  timeline_.call([&](auto& t) { t.streamSynchronize(s.model); });
  settle(s);
  pools_.synchronized(s.frees);
  settle_values();
  flush();
}

void Context::synchronize() {
  not_in_any_capture();
  timeline_.call([&](auto& t) { t.deviceSynchronize(); });
  pools_.synchronized();
  settle_values();
  flush();
}

void Context::set_schedule(uint32_t schedule) {
  using Wait = host::Rules::Wait;
  constexpr uint32_t kYield = 2, kBlock = 4;
  settings_.schedule = schedule;
  timeline_.threads().wait_by(schedule == kYield   ? Wait::kYield
                              : schedule == kBlock ? Wait::kBlock
                                                   : Wait::kSpin);
}

Event& Context::event(const void* handle) { return events_.at(handle); }

Event& Context::create_event(uint32_t flags) {
  require((flags & kInterprocess) == 0 || (flags & kDisableTiming) != 0, Status::kInvalidValue,
          "an event of several processes has no times");
  auto e = std::make_shared<Event>();
  e->flags = flags;
  if ((flags & kInterprocess) != 0 && shared() != nullptr) {
    e->shared = shared()->make_event().value_or(Event::kOwn);
    require(e->is_shared(), Status::kMemoryAllocation, "there are too many events of several processes");
  }
  e->model = timeline_.builder().event(fmt::format("e{}", ++ids_), (flags & kDisableTiming) == 0, 0,
                                       (flags & kBlockingSync) != 0);
  timeline_.call([&](auto& t) { t.eventCreate(e->model); });
  return events_.keep(std::move(e));
}

void Context::destroy(Event& e) {
  timeline_.call([&](auto& t) { t.eventDestroy(e.model); });
  if (e.is_shared()) {
    shared()->close_event(e.shared);
  }
  events_.drop(&e);  // graphs may still have it
}

void Context::record(Event& e, Stream& s, bool external) {
  if (s.capture) {
    if (external) {
      captured(s, RecordWork{e.shared_from_this()}, false);
    } else {
      require(!s.capture->invalid, Status::kStreamCaptureInvalidated);
      e.capture = s.capture;
      e.front = s.front;
      timeline_.threads().spend(params_.graph.capture);
    }
    return;
  }
  e.capture = nullptr;
  e.front.clear();
  e.recorded = true;
  settle(s);
  e.frees = s.frees;
  if (e.is_shared()) {
    record_shared(e, s);
    return;
  }
  timeline_.call([&](auto& t) { t.eventRecord(e.model, s.model); });
}

void Context::wait(Stream& s, Event& e, bool external) {
  if (e.capture && !external) {
    require(!e.capture->ended, Status::kCapturedEvent, "recorded in a capture that has ended");
    require(!s.capture || s.capture == e.capture, Status::kStreamCaptureUnsupported,
            "two captures would meet");
    require(&s != &legacy_, Status::kStreamCaptureUnsupported, "the legacy stream cannot capture");
    s.capture = e.capture;
    for (Node* n : e.front) {
      if (std::find(s.front.begin(), s.front.end(), n) == s.front.end()) {
        s.front.push_back(n);
      }
    }
    timeline_.threads().spend(params_.graph.capture);
    return;
  }
  require(!s.capture || !is_others(e), Status::kStreamCaptureUnsupported,
          "a graph does not wait for another process");
  if (captured(s, WaitWork{e.shared_from_this()}, false)) {
    return;
  }
  if (is_others(e)) {
    wait_others(s, e);
    return;
  }
  timeline_.call([&](auto& t) { t.streamWaitEvent(s.model, e.model); });
  join(s.frees, e.frees);
}

void Context::synchronize(Event& e) {
  require(!e.capture, Status::kCapturedEvent);
  if (is_others(e)) {
    synchronize_others(e);
    return;
  }
  timeline_.call([&](auto& t) { t.eventSynchronize(e.model); });
  pools_.synchronized(e.frees);
  settle_values();
  flush();
}

bool Context::done(Event& e) {
  require(!e.capture, Status::kCapturedEvent);
  const bool done = is_others(e) ? others_done(e) : timeline_.done(e);
  settle_values();
  flush();
  if (done) {
    pools_.host_knows(e.frees);
  }
  return done;
}

bool Context::done(Stream& s) {
  not_in_capture(s);
  const bool done = timeline_.done(s);
  settle_values();
  flush();
  if (done) {
    settle(s);
    pools_.host_knows(s.frees);
  }
  return done;
}

double Context::elapsed_ms(Event& from, Event& to) {
  require(from.recorded && to.recorded && ((from.flags | to.flags) & kDisableTiming) == 0,
          Status::kInvalidResourceHandle, "an event without a time");
  return timeline_.elapsed_ms(from, to);
}

}  // namespace heddle::cuda
