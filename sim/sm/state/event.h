// What an SM schedules for itself.
#pragma once

#include <cstdint>

namespace heddle::sm {

struct UnitEvent {
  enum class Kind : uint8_t {
    kWarpReady,     // warp: its timed wait is over
    kWarpStart,     // warp: a new block's warp may issue
    kResult,        // warp, arg = code index: the result is written
    kOperandsRead,  // warp, arg = code index: the sources have been read
    // Of units:
    kLsu,             // it may take the next instruction
    kCopyDone,        // warp, small = group: an LDGSTS is complete
    kMemoryDone,      // warp: a memory instruction no longer needs it
    kBarrierRelease,  // arg = barrier_event()
    kGmmaDone,        // warp = sub-core: a product may be complete
    kGmmaRoom,        // warp = sub-core: its array may take another product
    kTma,             // it may send the next line
    kTensorDone,      // arg: what was committed is complete
  };
  Kind kind;
  uint8_t warp = 0;
  uint8_t small = 0;
  uint32_t arg = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(kind, warp, small, arg);
  }
};

}  // namespace heddle::sm
