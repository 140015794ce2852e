#include "sim/host/streams/clocks.h"

#include <algorithm>

namespace heddle::host {

Clocks::Clocks(const Program& p, bool on) : program_(p), on_(on) {
  if (on) {
    const Clock zero(p.streams.size() + p.threads.size(), 0);
    streams_.assign(p.streams.size(), zero);
    threads_.assign(p.threads.size(), zero);
    events_.assign(p.events.size(), zero);
    flags_.assign(p.flags.size(), zero);
    queues_.assign(p.queues.size(), zero);
    driver_ = zero;
    waited_ = threads_;
    waiting_.assign(p.threads.size(), false);
  }
}

void Clocks::join(Clock& to, const Clock& from) {
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = std::max(to[i], from[i]);
  }
}

void Clocks::waits(uint32_t thread, const Clock& with) {
  join(waited_[thread], with);
  waiting_[thread] = true;
}

void Clocks::returned(uint32_t thread) {
  if (waiting_[thread]) {
    waiting_[thread] = false;
    join(threads_[thread], waited_[thread]);
    join(driver_, waited_[thread]);
  }
}

Clock Clocks::waited(uint32_t thread) const {
  Clock c = threads_[thread];
  join(c, waited_[thread]);
  return c;
}

Epoch Clocks::command(uint32_t thread, uint32_t stream) {
  Clock& c = streams_[stream];
  join(c, threads_[thread]);
  if (stream < program_.devices) {
    for (uint32_t s = program_.devices; s < streams_.size(); ++s) {
      if (program_.streams[s].device == stream && program_.streams[s].blocking) {
        join(c, streams_[s]);
      }
    }
  } else if (program_.streams[stream].blocking) {
    join(c, streams_[program_.streams[stream].device]);
  }
  return {stream, ++c[stream]};
}

Epoch Clocks::host_access(uint32_t thread) {
  const auto actor = static_cast<uint32_t>(streams_.size() + thread);
  return {actor, ++threads_[thread][actor]};
}

void Clocks::event_recorded(uint32_t event, uint32_t stream) { events_[event] = streams_[stream]; }

void Clocks::thread_waits_stream(uint32_t thread, uint32_t stream) {
  waits(thread, streams_[stream]);
  if (stream < program_.devices) {
    for (uint32_t s = program_.devices; s < streams_.size(); ++s) {
      if (program_.streams[s].device == stream && program_.streams[s].blocking) {
        waits(thread, streams_[s]);
      }
    }
  }
}

void Clocks::thread_waits_device(uint32_t thread, uint32_t device) {
  for (uint32_t s = 0; s < streams_.size(); ++s) {
    if (program_.streams[s].device == device) {
      waits(thread, streams_[s]);
    }
  }
}

}  // namespace heddle::host
