// From a coordinate to the elements that it names. All of it is measured on an H200
// (tests/exec/oracle/texture): normalised coordinates are cut to 21 bits behind the point, positions between
// elements rounded to 8 (LC13, LC15).
#pragma once

#include <array>
#include <cstdint>

#include "sim/exec/texture/descriptor.h"

namespace heddle::exec::texture {

// One dimension of a fetch: one element, or two and how much the second one counts.
struct Axis {
  std::array<int32_t, 2> at{};  // -1: outside, the border's colour
  uint32_t weight = 0;          // of the second, in 1/256
};

// The two elements around x of a row of `size`. `filter`: in AddressMode::kClamp places beyond the middle of
// the first and last one are moved there, so that one element has all the weight.
Axis axis_of(float x, uint32_t size, const Sampler& s, size_t dimension, int32_t offset, bool filter);
// The one that x is in.
Axis nearest_of(float x, uint32_t size, const Sampler& s, size_t dimension, int32_t offset);

// A direction to a face and a place in it, both normalised. LC14.
struct FacePoint {
  uint32_t face = 0;
  float x = 0, y = 0;
};
FacePoint face_of(const std::array<float, 3>& direction);

}  // namespace heddle::exec::texture
