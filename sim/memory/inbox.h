// What comes back to an SM from memory, by the cycle in which it arrives and, within it, in the order of the
// requests. Apart from the SM's own events, so that its order does not depend on when it was handed over.
#pragma once

#include <cassert>
#include <cstdint>

#include "sim/engine/event_wheel.h"
#include "sim/engine/time.h"
#include "sim/memory/message.h"

namespace heddle::memory {

class Inbox {
 public:
  struct Answer {
    uint32_t id = 0;
    uint8_t sectors = 0;
    uint32_t payload = 0;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(id, sectors, payload);
    }
  };
  // Not in the receiver's past: before the end of its last advance().
  void deliver(const Response& r) {
    assert(r.time >= now_);
    wheel_.schedule(r.time, {r.id, r.sectors, r.payload});
  }
  Cycle next() const { return wheel_.next(); }
  template <class Handler>
  void run(Cycle now, Handler&& handle) {
    wheel_.run(now, handle);
  }
  // The receiver has handled everything before `now`.
  void advanced(Cycle now) { now_ = now; }
  void clear() {
    wheel_ = {};
    now_ = 0;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(wheel_, now_);
  }

 private:
  EventWheel<Answer> wheel_;
  Cycle now_ = 0;
};

}  // namespace heddle::memory
