// Who is told that a queue behind a sub-core's port is full, or no longer.
#pragma once

#include <cstdint>

#include "sim/engine/time.h"

namespace heddle::sm {

class QueueRoom {
 public:
  virtual ~QueueRoom() = default;
  virtual void set_port_full(uint32_t subcore, uint8_t port, bool full, Cycle now) = 0;
};

}  // namespace heddle::sm
