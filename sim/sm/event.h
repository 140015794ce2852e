// What an SM schedules for itself.
#pragma once

#include <cstdint>

namespace heddle::sm {

struct Event {
  enum class Kind : uint8_t {
    kWarpReady,       // warp: its timed wait is over
    kWarpStart,       // warp: a new block's warp may issue
    kResult,          // warp, arg = code index: the result is written
    kOperandsRead,    // warp, arg = code index: the sources have been read
    kLsu,             // the LSU may take the next instruction
    kResponse,        // arg = request id, small = sectors
    kBarrierRelease,  // arg = Sm::barrier_event()
    kGmmaDone,        // warp
    kTma,             // the TMA may send the next line
    kCopyDone,        // warp, small = group: an LDGSTS is complete
  };
  Kind kind;
  uint8_t warp = 0;
  uint8_t small = 0;
  uint32_t arg = 0;
};

}  // namespace heddle::sm
