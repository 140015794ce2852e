// The bytes of an element, and the four words that a program sees of it.
#pragma once

#include <array>
#include <cstdint>

#include "sim/exec/texture/descriptor.h"

namespace heddle::exec::texture {

using Words = std::array<uint32_t, 4>;

// As it is: integers extended to 32 bits, f16 as f32. Channels that are not there are 0, as an H200 gives
// them.
Words words_of(const Image& i, const uint8_t* bytes);
// As floating-point numbers; with Sampler::as_float u8 of 255 is 1, s8 of -127 and -128 are -1.
std::array<float, 4> values_of(const Image& i, const Sampler& s, const uint8_t* bytes);
Words bits_of(const std::array<float, 4>& values);
// The element that is outside, in the border's colour: f16 is cut, what is read as a fraction of one rounded,
// and other integers have the low bits of the f32 (all of it as an H200 does it).
std::array<uint8_t, 16> border_element(const Image& i, const Sampler& s);

// sust.p: words to the element's bytes; integers are saturated, f32 is cut to f16 (an H200 does so).
void put_words(const Image& i, const Words& words, uint8_t* bytes);

float float_of_half(uint16_t bits);
uint16_t half_of_float(float f);  // rounded to nearest, ties to even

}  // namespace heddle::exec::texture
