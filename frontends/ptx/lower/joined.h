// Additions of a warp to one word, which one lane asks for: what the others' records make of it.
#pragma once

#include "sim/exec/warp_fn.h"

namespace heddle::ptx::lower {

// d0 = the sum of s0 of all lanes; d1 = the sum of those before it.
void sum_of_lanes_fn(const exec::Arguments& a, uint32_t mask);
// d0 = whether the lane is one of those for which s0 holds, or with control 1 does not (null: all), d1 =
// whether it is the first of them.
void first_of_lanes_fn(const exec::Arguments& a, uint32_t mask);
// d0 = s0 of the first lane + s1; words of 32 bits.
void from_first_lane_fn(const exec::Arguments& a, uint32_t mask);

}  // namespace heddle::ptx::lower
