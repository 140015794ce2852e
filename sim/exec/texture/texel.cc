#include "sim/exec/texture/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::exec::texture {
namespace {

uint32_t raw(Element e, const uint8_t* at) {
  uint32_t out = 0;
  std::memcpy(&out, at, bytes_of(e));
  return out;
}

uint32_t word_of(Element e, const uint8_t* at) {
  const uint32_t bits = raw(e, at);
  switch (e) {
    case Element::kS8:
      return bits | (bits >= 0x80 ? 0xffffff00 : 0);
    case Element::kS16:
      return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(bits)));
    case Element::kF16:
      return std::bit_cast<uint32_t>(float_of_half(static_cast<uint16_t>(bits)));
    default:
      return bits;
  }
}

template <class T>
uint32_t saturated(uint32_t bits) {
  constexpr auto kLeast = int32_t{std::numeric_limits<T>::min()},
                 kMost = int32_t{std::numeric_limits<T>::max()};
  return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(bits), kLeast, kMost));
}

double most_of(Element e) {
  constexpr double kMost[] = {255, 127, 65535, 32767};
  return kMost[static_cast<size_t>(e)];
}

// Of sRGB, in 8 significant bits, as an H200 gives it.
float linear_of(double x) {
  const double linear = x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  return std::bit_cast<float>((std::bit_cast<uint32_t>(static_cast<float>(linear)) + 0x8000) & 0xffff0000);
}

float value_of(Element e, bool srgb, uint32_t bits) {
  switch (e) {
    case Element::kF32:
      return std::bit_cast<float>(bits);
    case Element::kF16:
      return float_of_half(static_cast<uint16_t>(bits));
    case Element::kS8:
      return static_cast<float>(std::max(-127.0, static_cast<double>(static_cast<int8_t>(bits))) / 127.0);
    case Element::kS16:
      return static_cast<float>(std::max(-32767.0, static_cast<double>(static_cast<int16_t>(bits))) /
                                32767.0);
    default: {
      const double x = bits / most_of(e);
      return srgb ? linear_of(x) : static_cast<float>(x);
    }
  }
}

// Towards zero.
uint32_t cut_to_half(float f) {
  constexpr float kMost = 65504;
  if (std::fabs(f) < 0x1p-14F) {
    return half_of_float(std::ldexp(std::trunc(std::ldexp(f, 24)), -24));
  }
  const float cut = std::bit_cast<float>(std::bit_cast<uint32_t>(f) & ~0x1fffU);
  return half_of_float(std::isinf(f) ? f : std::clamp(cut, -kMost, kMost));
}

}  // namespace

float float_of_half(uint16_t h) {
  const uint32_t sign = (h & 0x8000U) << 16;
  const uint32_t exponent = h >> 10 & 31;
  const uint32_t fraction = h & 0x3ffU;
  if (exponent == 31) {
    return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13);
  }
  if (exponent == 0) {
    const float f = std::ldexp(static_cast<float>(fraction), -24);
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(f));
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t half_of_float(float f) {
  const auto bits = std::bit_cast<uint32_t>(f);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const float size = std::fabs(f);
  if (std::isnan(f)) {
    return 0x7fff;
  }
  if (size >= 65520.0F) {
    return sign | 0x7c00;
  }
  if (size < 0x1p-14F) {
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(std::ldexp(size, 24))));
  }
  const uint32_t rest = bits & 0x7fffffff;
  return static_cast<uint16_t>(sign | (((rest + 0xfff + (rest >> 13 & 1)) >> 13) - (112 << 10)));
}

Words words_of(const Image& i, const uint8_t* bytes) {
  Words out{};
  for (uint32_t c = 0; c < i.channels; ++c) {
    out[c] = word_of(i.element, bytes + size_t{c} * bytes_of(i.element));
  }
  return out;
}

std::array<float, 4> values_of(const Image& i, const Sampler& s, const uint8_t* bytes) {
  std::array<float, 4> out{};
  for (uint32_t c = 0; c < i.channels; ++c) {
    out[c] = value_of(i.element, s.srgb && c < 3, raw(i.element, bytes + size_t{c} * bytes_of(i.element)));
  }
  return out;
}

Words bits_of(const std::array<float, 4>& values) {
  Words out{};
  for (size_t c = 0; c < out.size(); ++c) {
    out[c] = std::bit_cast<uint32_t>(values[c]);
  }
  return out;
}

std::array<uint8_t, 16> border_element(const Image& i, const Sampler& s) {
  std::array<uint8_t, 16> out{};
  for (uint32_t c = 0; c < i.channels; ++c) {
    const double x = s.border[c];
    auto bits = std::bit_cast<uint32_t>(s.border[c]);
    if (i.element == Element::kF16) {
      bits = cut_to_half(s.border[c]);
    } else if (s.as_float) {
      const double least = is_signed(i.element) ? -1 : 0;
      bits = static_cast<uint32_t>(
          static_cast<int32_t>(std::nearbyint(std::clamp(x, least, 1.0) * most_of(i.element))));
    }
    std::memcpy(out.data() + size_t{c} * bytes_of(i.element), &bits, bytes_of(i.element));
  }
  return out;
}

void put_words(const Image& i, const Words& words, uint8_t* bytes) {
  const uint32_t size = bytes_of(i.element);
  for (uint32_t c = 0; c < i.channels; ++c) {
    uint32_t bits = words[c];
    switch (i.element) {
      case Element::kU8:
      case Element::kU16:
        bits = std::min(bits, static_cast<uint32_t>(most_of(i.element)));
        break;
      case Element::kS8:
        bits = saturated<int8_t>(bits);
        break;
      case Element::kS16:
        bits = saturated<int16_t>(bits);
        break;
      case Element::kF16:
        bits = cut_to_half(std::bit_cast<float>(bits));
        break;
      default:
        break;
    }
    std::memcpy(bytes + size_t{c} * size, &bits, size);
  }
}

}  // namespace heddle::exec::texture
