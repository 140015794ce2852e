#include "sim/host/streams/clocks.h"

#include <algorithm>

namespace heddle::host {

Clocks::Clocks(const Program& p, bool on) : program_(p), on_(on) { grow(); }

void Clocks::grow() {
  if (on_) {
    streams_.resize(program_.streams.size());
    threads_.resize(program_.threads.size());
    waited_.resize(program_.threads.size());
    waiting_.resize(program_.threads.size(), false);
    events_.resize(program_.events.size());
    flags_.resize(program_.flags.size());
    queues_.resize(program_.queues.size());
  }
}

uint64_t& Clocks::of(Clock& c, uint32_t actor) {
  c.resize(std::max<size_t>(c.size(), actor + size_t{1}), 0);
  return c[actor];
}

void Clocks::join(Clock& to, const Clock& from) {
  to.resize(std::max(to.size(), from.size()), 0);
  for (size_t i = 0; i < from.size(); ++i) {
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
  return {2 * stream, ++of(c, 2 * stream)};
}

Epoch Clocks::host_access(uint32_t thread) {
  const uint32_t actor = 2 * thread + 1;
  return {actor, ++of(threads_[thread], actor)};
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
