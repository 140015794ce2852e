#include "sim/exec/texture/coordinates.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/exec/arith/mufu.h"

namespace heddle::exec::texture {
namespace {

constexpr int kCoordinateBits = 21;
constexpr int kWeightBits = 8;

int64_t modulo(int64_t n, int64_t size) { return ((n % size) + size) % size; }

// Of an element of the unlimited row.
int32_t placed(int64_t n, uint32_t size, AddressMode mode) {
  const int64_t last = static_cast<int64_t>(size) - 1;
  switch (mode) {
    case AddressMode::kWrap:
      return static_cast<int32_t>(modulo(n, size));
    case AddressMode::kMirror: {
      const int64_t m = modulo(n, 2 * static_cast<int64_t>(size));
      return static_cast<int32_t>(m > last ? 2 * last + 1 - m : m);
    }
    case AddressMode::kClamp:
      return static_cast<int32_t>(std::clamp<int64_t>(n, 0, last));
    default:
      return n < 0 || n > last ? -1 : static_cast<int32_t>(n);
  }
}

// The others are for normalised coordinates only: LC12.
AddressMode mode_of(const Sampler& s, size_t dimension) {
  const AddressMode mode = s.address[dimension];
  const bool periodic = mode == AddressMode::kWrap || mode == AddressMode::kMirror;
  return periodic && !s.normalized ? AddressMode::kClamp : mode;
}

// In elements from the first one's edge, with so many bits behind the point: rounded to nearest with some,
// down with none. Beyond 2^28 elements it stays there; what is no number is 0.
int64_t place_of(float x, uint32_t size, const Sampler& s, AddressMode mode, int bits) {
  constexpr double kMost = 1 << 28, kMostTimes = 64;
  double y = std::isnan(x) ? 0 : x;
  if (!s.normalized) {
    y = std::clamp(y, -kMost, kMost);
    return static_cast<int64_t>(std::floor(bits == 0 ? y : std::ldexp(y, bits) + 0.5));
  }
  if (mode == AddressMode::kWrap) {
    y = std::isinf(y) ? 0 : y - std::floor(y);
  } else if (mode == AddressMode::kMirror) {
    y = std::isinf(y) ? 0 : y - 2 * std::floor(y / 2);
  }
  y = std::clamp(y, -kMostTimes, kMostTimes);
  const auto cut = static_cast<int64_t>(std::floor(std::ldexp(y, kCoordinateBits)));
  const int64_t product = (cut * size) << bits;
  return (product + (bits == 0 ? 0 : int64_t{1} << (kCoordinateBits - 1))) >> kCoordinateBits;
}

}  // namespace

Axis axis_of(float x, uint32_t size, const Sampler& s, size_t dimension, int32_t offset, bool filter) {
  const AddressMode mode = mode_of(s, dimension);
  int64_t at = place_of(x, size, s, mode, kWeightBits) + (int64_t{offset} << kWeightBits) - 128;
  if (mode == AddressMode::kClamp && filter) {
    at = std::clamp<int64_t>(at, 0, int64_t{size - 1} << kWeightBits);
  }
  const int64_t first = at >> kWeightBits;
  Axis out;
  out.weight = static_cast<uint32_t>(at & 255);
  out.at = {placed(first, size, mode), placed(first + 1, size, mode)};
  return out;
}

Axis nearest_of(float x, uint32_t size, const Sampler& s, size_t dimension, int32_t offset) {
  const AddressMode mode = mode_of(s, dimension);
  Axis out;
  out.at[0] = placed(place_of(x, size, s, mode, 0) + offset, size, mode);
  return out;
}

FacePoint face_of(const std::array<float, 3>& d) {
  const float size = std::max({std::fabs(d[0]), std::fabs(d[1]), std::fabs(d[2])});
  const float inverse = std::bit_cast<float>(arith::mufu_rcp(std::bit_cast<uint32_t>(size)));
  const float x = d[0] * inverse, y = d[1] * inverse, z = d[2] * inverse;
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  FacePoint out;
  float s = 0, t = 0;
  if (az >= ax && az >= ay) {
    out.face = z >= 0 ? 4 : 5;
    s = z >= 0 ? x : -x;
    t = -y;
  } else if (ay >= ax) {
    out.face = y >= 0 ? 2 : 3;
    s = x;
    t = y >= 0 ? z : -z;
  } else {
    out.face = x >= 0 ? 0 : 1;
    s = x >= 0 ? -z : z;
    t = -y;
  }
  out.x = (s + 1) / 2;
  out.y = (t + 1) / 2;
  return out;
}

}  // namespace heddle::exec::texture
