// Who else gets the answer to a read (Request::multicast): one read, several SMs of the GPC.
#pragma once

#include <cstdint>
#include <span>

#include "sim/engine/time.h"
#include "sim/memory/message.h"
#include "sim/memory/payload.h"

namespace heddle::memory {

class Multicast {
 public:
  virtual ~Multicast() = default;
  // The SMs that get it, beside the one that has asked; one may be there twice. Until the next call.
  virtual std::span<const uint16_t> targets(const Request& r) = 0;
  // It arrives at number `target` of these. `values`: of programs that compute, else null.
  virtual void deliver(const Request& r, size_t target, const Payload* values, Cycle at) = 0;
};

}  // namespace heddle::memory
