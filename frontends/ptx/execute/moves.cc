#include "frontends/ptx/execute/moves.h"

#include <bit>

namespace heddle::ptx {
namespace {

template <class F>
void each(uint32_t mask, F f) {
  if (mask == ~0U) {
    for (uint32_t lane = 0; lane < exec::kLanes; ++lane) {
      f(lane);
    }
    return;
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    f(static_cast<uint32_t>(std::countr_zero(m)));
  }
}

}  // namespace

void copy_fn(const exec::Arguments& a, uint32_t mask) {
  each(mask, [&](uint32_t lane) { (*a.d[0])[lane] = (*a.s[0])[lane]; });
}

void cut_fn(const exec::Arguments& a, uint32_t mask) {
  each(mask, [&](uint32_t lane) { (*a.d[0])[lane] = (*a.s[0])[lane] & (*a.s[1])[lane]; });
}

void not_fn(const exec::Arguments& a, uint32_t mask) {
  each(mask, [&](uint32_t lane) { (*a.d[0])[lane] = (*a.s[0])[lane] ^ 1; });
}

void add_fn(const exec::Arguments& a, uint32_t mask) {
  each(mask, [&](uint32_t lane) { (*a.d[0])[lane] = (*a.s[0])[lane] + (*a.s[1])[lane]; });
}

void sub_fn(const exec::Arguments& a, uint32_t mask) {
  each(mask, [&](uint32_t lane) { (*a.d[0])[lane] = (*a.s[0])[lane] - (*a.s[1])[lane]; });
}

void inside_fn(const exec::Arguments& a, uint32_t mask) {
  each(mask,
       [&](uint32_t lane) { (*a.d[0])[lane] = (*a.s[0])[lane] - (*a.s[1])[lane] < (*a.s[2])[lane] ? 1 : 0; });
}

void extract_fn(const exec::Arguments& a, uint32_t mask) {
  each(mask, [&](uint32_t lane) { (*a.d[0])[lane] = (*a.s[0])[lane] >> (*a.s[1])[lane] & (*a.s[2])[lane]; });
}

void insert_fn(const exec::Arguments& a, uint32_t mask) {
  each(mask, [&](uint32_t lane) { (*a.d[0])[lane] = (*a.s[0])[lane] | (*a.s[1])[lane] << (*a.s[2])[lane]; });
}

}  // namespace heddle::ptx
