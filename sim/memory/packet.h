// A request on its way through the memory side.
#pragma once

#include <cstdint>

#include "sim/engine/time.h"
#include "sim/memory/address_map.h"
#include "sim/memory/l2.h"
#include "sim/memory/message.h"
#include "sim/memory/owners.h"

namespace heddle::memory {

struct Packet {
  Request request;
  Home home;
  uint32_t fill = 0;           // GpcTlb::Translation
  uint8_t device = kNoDevice;  // whose memory it goes to, if not to this device's
  bool remote = false;         // comes from another device; at a GPC: an answer from one
  bool merged = false;         // another read of its group serves it
  Ticks at{};                  // its address is known; then: it reaches its slice; then: it has been served
  L2::Served served;           // data or acknowledgement leaves the slice
};

// Where a slice shard finds a packet of one GPC, and when it left its SM.
struct PacketRef {
  Cycle sent;
  uint32_t index;
};

}  // namespace heddle::memory
