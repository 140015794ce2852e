// What a warp does lane by lane, and may not do.
#pragma once

#include <bit>

#include "sim/exec/async/reach.h"
#include "sim/exec/warp.h"

namespace heddle::exec {

template <class F>
void Warp::by_lane(const Group& g, uint32_t mask, F f) const {
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    try {
      f(lane);
    } catch (const Fault& fault) {
      fail(g.pc, lane, fault.what);
    }
  }
}

}  // namespace heddle::exec
