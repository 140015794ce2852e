// One function of machine code, called on values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "sim/exec/warp_fn.h"

namespace heddle::exec::test {

// d0 and d1 of these operands; without a second result d1 is null. One lane alone and all of them have the
// same, and lanes outside the mask keep theirs.
inline std::pair<uint64_t, uint64_t> calculated(WarpFn fn, uint64_t control,
                                                std::initializer_list<uint64_t> values, bool second = true) {
  constexpr uint64_t kOther = 0x1234567812345678;
  constexpr uint32_t kLane = 5;
  Register s[5], d[2];
  Arguments a;
  size_t i = 0;
  for (const uint64_t v : values) {
    s[i].fill(v);
    a.s[i] = &s[i];
    ++i;
  }
  a.d[0] = d;
  a.d[1] = second ? &d[1] : nullptr;
  a.control = control;
  d[0].fill(kOther);
  d[1].fill(kOther);
  fn(a, 1U << kLane);
  const std::pair alone{d[0][kLane], d[1][kLane]};
  if (d[0][kLane + 1] != kOther || d[1][kLane + 1] != kOther) {
    throw std::runtime_error("writes lanes outside the mask");
  }
  fn(a, ~0U);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (alone != std::pair{d[0][lane], d[1][lane]}) {
      throw std::runtime_error("one lane and all lanes differ");
    }
  }
  return alone;
}

}  // namespace heddle::exec::test
