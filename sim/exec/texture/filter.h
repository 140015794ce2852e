// Linear filters: LC13. All of this is measured on an H200 (tests/exec/oracle/texture). Weights are whole
// 256ths, split level by level, then along z, x and y, each share rounded; so all weights together are 256.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/exec/texture/coordinates.h"
#include "sim/exec/texture/descriptor.h"

namespace heddle::exec::texture {

using Values = std::array<float, 4>;

// An element that counts.
struct Weighted {
  const uint8_t* element = nullptr;
  uint32_t weight = 0;  // in 1 / 256
};

// What each corner of a footprint counts: bit d of a corner's number is Axis::at of dimension d. `share`: of
// all corners.
std::array<uint32_t, 8> weights(const std::array<Axis, 3>& axes, uint32_t dimensions, uint32_t share);

// The sum. f32 and f16 are cut to 27 and 14 bits below the largest one's exponent, summed exactly and
// rounded, halves away from zero, to their own type; fractions of one become 16 bits wide. u8 in sRGB is made
// linear before. Of s8, whose rounding is not known, one result in thirty is off by 1 / 32767.
Values filtered(const Image& i, const Sampler& s, const std::vector<Weighted>& all);

}  // namespace heddle::exec::texture
