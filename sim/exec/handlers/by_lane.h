// What a warp does lane by lane, and may not do.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/exec/async/reach.h"
#include "sim/exec/warp/core.h"

namespace heddle::exec {

// f(lane) for the lanes of the mask; a Fault becomes an Error with its place.
template <class F>
void by_lane(const WarpCore& w, const Group& g, uint32_t mask, F f) {
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    try {
      f(lane);
    } catch (const Fault& fault) {
      w.fail(g.pc, lane, fault.what);
    }
  }
}

}  // namespace heddle::exec
