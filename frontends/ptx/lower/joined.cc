#include "frontends/ptx/lower/joined.h"

#include <bit>

namespace heddle::ptx::lower {

void sum_of_lanes_fn(const exec::Arguments& a, uint32_t mask) {
  uint32_t sum = 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    const auto own = static_cast<uint32_t>((*a.s[0])[lane]);
    (*a.d[1])[lane] = sum;
    sum += own;
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    (*a.d[0])[static_cast<uint32_t>(std::countr_zero(m))] = sum;
  }
}

void first_of_lanes_fn(const exec::Arguments& a, uint32_t mask) {
  uint32_t of = 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    const bool holds = a.s[0] == nullptr || ((*a.s[0])[lane] & 1) != (a.control & 1);
    of |= static_cast<uint32_t>(holds) << lane;
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    (*a.d[0])[lane] = of >> lane & 1;
    (*a.d[1])[lane] = (of & -of) >> lane & 1;
  }
}

void from_first_lane_fn(const exec::Arguments& a, uint32_t mask) {
  const auto first = static_cast<uint32_t>((*a.s[0])[static_cast<uint32_t>(std::countr_zero(mask))]);
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    (*a.d[0])[lane] = first + static_cast<uint32_t>((*a.s[1])[lane]);
  }
}

}  // namespace heddle::ptx::lower
