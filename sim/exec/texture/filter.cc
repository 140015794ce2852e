#include "sim/exec/texture/filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "sim/exec/texture/texel.h"

namespace heddle::exec::texture {
namespace {

uint32_t rounded(uint32_t product) { return (product + 128) >> 8; }

// A floating-point type: digits of its fraction with the first one, the exponent of its least number, and how
// many bits below the largest addend's first one a sum keeps.
struct Precision {
  int digits, least, kept;
  uint32_t nan;
};
constexpr Precision kSingle{24, -149, 27, 0x7fffffff}, kHalf{11, -24, 14, 0x7fffe000};

float sum_of(const std::vector<std::pair<float, uint32_t>>& addends, const Precision& p) {
  int largest = INT32_MIN;
  double special = 0;
  for (const auto& [value, weight] : addends) {
    if (!std::isfinite(value)) {
      special += value;
    } else if (value != 0) {
      largest = std::max(largest, std::ilogb(value));
    }
  }
  if (special != 0) {
    return std::isnan(special) ? std::bit_cast<float>(p.nan) : static_cast<float>(special);
  }
  if (largest == INT32_MIN) {
    return 0;
  }
  int64_t sum = 0;
  for (const auto& [value, weight] : addends) {
    sum += static_cast<int64_t>(std::ldexp(static_cast<double>(value), p.kept - largest)) * weight;
  }
  const int scale = largest - p.kept - 8;
  auto size = static_cast<uint64_t>(std::abs(sum));
  const int shift = std::max({0, static_cast<int>(std::bit_width(size)) - p.digits, p.least - scale});
  if (shift > 0) {
    size = shift > 62 ? 0 : (size + (uint64_t{1} << (shift - 1))) >> shift;
  }
  const double out = std::ldexp(static_cast<double>(size), scale + shift);
  return static_cast<float>(sum < 0 ? -out : out);
}

// Of integers, to a fraction of one in 16 bits.
float fraction_of(const Image& i, const std::vector<Weighted>& all, uint32_t channel) {
  const uint32_t bytes = bytes_of(i.element);
  int64_t sum = 0;
  for (const Weighted& w : all) {
    uint16_t bits = 0;
    std::memcpy(&bits, w.element + size_t{channel} * bytes, bytes);
    const int64_t value = i.element == Element::kS8    ? static_cast<int8_t>(bits)
                          : i.element == Element::kS16 ? static_cast<int16_t>(bits)
                          : i.element == Element::kU8  ? bits * 257
                                                       : bits;
    sum += value * w.weight;
  }
  if (i.element == Element::kS8) {
    // Halves down: what is below a half, too, in places.
    constexpr int64_t kHalf = int64_t{127} * 128;
    const int64_t n = sum * 32767 - kHalf;
    sum = n > 0 ? (n + 2 * kHalf - 1) / (2 * kHalf) : -(-n / (2 * kHalf));
  } else {
    sum = (sum + 128) >> 8;
  }
  return static_cast<float>(is_signed(i.element) ? static_cast<double>(std::max<int64_t>(sum, -32767)) / 32767
                                                 : static_cast<double>(sum) / 65535);
}

}  // namespace

std::array<uint32_t, 8> weights(const std::array<Axis, 3>& axes, uint32_t dimensions, uint32_t share) {
  std::array<uint32_t, 8> out{};
  const auto plane = [&](uint32_t all, uint32_t first) {
    const uint32_t right = rounded(axes[0].weight * all), left = all - right;
    if (dimensions == 1) {
      out[first] = left;
      out[first + 1] = right;
      return;
    }
    out[first + 3] = rounded(axes[1].weight * right);
    out[first + 1] = right - out[first + 3];
    out[first] = rounded((256 - axes[1].weight) * left);
    out[first + 2] = left - out[first];
  };
  const uint32_t behind = dimensions == 3 ? rounded(axes[2].weight * share) : 0;
  plane(share - behind, 0);
  if (dimensions == 3) {
    plane(behind, 4);
  }
  return out;
}

Values filtered(const Image& i, const Sampler& s, const std::vector<Weighted>& all) {
  Values out{};
  for (uint32_t c = 0; c < i.channels; ++c) {
    if (!is_float(i.element) && !s.srgb) {
      out[c] = fraction_of(i, all, c);
      continue;
    }
    std::vector<std::pair<float, uint32_t>> addends;
    addends.reserve(all.size());
    for (const Weighted& w : all) {
      addends.emplace_back(values_of(i, s, w.element)[c], w.weight);
    }
    out[c] = sum_of(addends, i.element == Element::kF32 ? kSingle : kHalf);
  }
  return out;
}

}  // namespace heddle::exec::texture
