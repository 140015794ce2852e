// What an access to another block's shared memory sends over the network between the SMs of a GPC, and what
// comes back.
#pragma once

#include <cstdint>

#include "sim/access/coalesce.h"
#include "sim/isa/op_class.h"

namespace heddle::sm {

// Of one line, in ClusterMessage::kPacket parts of a packet (FINDINGS.md 52). `passes`: over the shared
// memory of the block that is asked.
struct DsmTraffic {
  uint16_t there = 0, back = 0;
  uint16_t passes = 0;
  uint8_t operations = 0;  // atomics: memory::sector_operations
};

// `a` is a line of what the lanes of `mask` access at addr[lane].
DsmTraffic dsm_traffic(isa::OpClass op, const memory::LineAccess& a, const uint64_t addr[32], uint32_t mask);

}  // namespace heddle::sm
