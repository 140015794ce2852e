// What fetches make of coordinates, weights and elements, each rule over all of its values; expected from the
// rules that sim/exec/texture states (LC12 to LC15), by other arithmetic than its own.
#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstring>

#include "sim/exec/texture/coordinates.h"
#include "sim/exec/texture/filter.h"
#include "sim/exec/texture/texel.h"
#include "tests/exec/texture_case.h"

namespace heddle::exec::test {
namespace {

using namespace texture;

// Element n of the unlimited row, of 4: counted out, not calculated.
int placed(int n, AddressMode mode) {
  constexpr int kWrapped[] = {0, 1, 2, 3, 0, 1, 2, 3}, kMirrored[] = {0, 1, 2, 3, 3, 2, 1, 0};
  const int turn = (n + 80) % 8;
  switch (mode) {
    case AddressMode::kWrap:
      return kWrapped[turn];
    case AddressMode::kMirror:
      return kMirrored[turn];
    case AddressMode::kClamp:
      return n < 0 ? 0 : n > 3 ? 3 : n;
    default:
      return n < 0 || n > 3 ? -1 : n;
  }
}

// A linear filter's sum of elements of one channel, each with its weight.
template <class T>
float sum_of(Element e, const std::vector<std::pair<T, uint32_t>>& elements) {
  Image i;
  i.element = e;
  Sampler s;
  s.linear = s.as_float = true;
  std::vector<Weighted> all;
  for (const auto& [value, weight] : elements) {
    all.push_back({reinterpret_cast<const uint8_t*>(&value), weight});
  }
  return filtered(i, s, all)[0];
}

}  // namespace

TEST_CASE("elements of rows that repeat, mirror or end, several times their length outside") {
  for (const AddressMode mode :
       {AddressMode::kWrap, AddressMode::kMirror, AddressMode::kClamp, AddressMode::kBorder}) {
    Sampler s;
    s.address.fill(mode);
    s.normalized = true;
    for (int n = -18; n < 18; ++n) {
      CAPTURE(static_cast<int>(mode), n);
      // The middle of element n, and a quarter of an element on.
      const float middle = (static_cast<float>(n) + 0.5F) / 4, later = (static_cast<float>(n) + 0.75F) / 4;
      CHECK(nearest_of(middle, 4, s, 0, 0).at[0] == placed(n, mode));
      CHECK(nearest_of(later, 4, s, 0, 0).at[0] == placed(n, mode));
      const Axis a = axis_of(later, 4, s, 0, 0, false);
      CHECK(a.at[0] == placed(n, mode));
      CHECK(a.at[1] == placed(n + 1, mode));
      CHECK(a.weight == 64);
    }
  }
}

TEST_CASE("offsets count elements, also across an edge") {
  for (const AddressMode mode : {AddressMode::kWrap, AddressMode::kMirror, AddressMode::kClamp}) {
    Sampler s;
    s.address.fill(mode);
    s.normalized = true;
    for (int offset = -8; offset < 8; ++offset) {
      CAPTURE(static_cast<int>(mode), offset);
      CHECK(nearest_of(0.375F, 4, s, 0, offset).at[0] == placed(1 + offset, mode));
      CHECK(axis_of(0.375F, 4, s, 0, offset, false).at[0] == placed(1 + offset, mode));
    }
  }
}

TEST_CASE("fractions of one are sums in 16 bits, halves up") {
  CHECK(sum_of<uint16_t>(Element::kU16, {{65535, 256}}) == 1);
  CHECK(sum_of<uint8_t>(Element::kU8, {{255, 256}}) == 1);
  CHECK(sum_of<int16_t>(Element::kS16, {{32767, 256}}) == 1);
  CHECK(sum_of<int8_t>(Element::kS8, {{127, 256}}) == 1);
  CHECK(sum_of<int16_t>(Element::kS16, {{-32768, 256}}) == -1);  // so is -32767
  CHECK(sum_of<int16_t>(Element::kS16, {{-32767, 256}}) == -1);
  CHECK(sum_of<int8_t>(Element::kS8, {{-128, 256}}) == -1);
  CHECK(sum_of<int8_t>(Element::kS8, {{0, 256}}) == 0);
  for (uint32_t weight = 0; weight <= 256; ++weight) {
    CAPTURE(weight);
    const double u16 = std::floor(65535.0 * weight / 256 + 0.5), u8 = u16;  // 255 is all of 16 bits
    CHECK(sum_of<uint16_t>(Element::kU16, {{65535, weight}, {0, 256 - weight}}) ==
          static_cast<float>(u16 / 65535));
    CHECK(sum_of<uint8_t>(Element::kU8, {{0, 256 - weight}, {255, weight}}) ==
          static_cast<float>(u8 / 65535));
    const double third = std::floor((1000.0 * weight + 3 * (256.0 - weight)) / 256 + 0.5);
    CHECK(sum_of<uint16_t>(Element::kU16, {{1000, weight}, {3, 256 - weight}}) ==
          static_cast<float>(third / 65535));
    const double s16 = std::floor((-1000.0 * weight + 20000 * (256.0 - weight)) / 256 + 0.5);
    CHECK(sum_of<int16_t>(Element::kS16, {{-1000, weight}, {20000, 256 - weight}}) ==
          static_cast<float>(s16 / 32767));
  }
}

TEST_CASE("every channel is filtered by itself") {
  Image i;
  i.element = Element::kU8;
  Sampler s;
  s.linear = s.as_float = true;
  const uint8_t a[] = {255, 0, 255, 0}, b[] = {0, 255, 255, 0};
  for (const uint8_t channels : {uint8_t{1}, uint8_t{2}, uint8_t{4}}) {
    i.channels = channels;
    // 65535 * 192 / 256 = 49151.25, 65535 * 64 / 256 = 16383.75
    const Values v = filtered(i, s, {{a, 192}, {b, 64}});
    const float expected[] = {49151.0F / 65535, 16384.0F / 65535, 1, 0};
    for (size_t c = 0; c < 4; ++c) {
      CAPTURE(channels, c);
      CHECK(v[c] == (c < channels ? expected[c] : 0));
    }
  }
}

TEST_CASE("elements read as fractions of one: every u8 and s8, the ends of 16 bits, no channel more") {
  Sampler s;
  s.as_float = true;
  Image i;
  for (uint32_t x = 0; x < 256; ++x) {
    const std::array<uint8_t, 4> bytes{static_cast<uint8_t>(x), 77, 77, 77};
    i.element = Element::kU8;
    CHECK(values_of(i, s, bytes.data())[0] == static_cast<float>(x / 255.0));
    i.element = Element::kS8;
    const int as_signed = x < 128 ? static_cast<int>(x) : static_cast<int>(x) - 256;
    CHECK(values_of(i, s, bytes.data())[0] == static_cast<float>(std::max(as_signed, -127) / 127.0));
    CHECK(values_of(i, s, bytes.data())[1] == 0);
  }
  const auto of16 = [&](Element e, uint16_t bits) {
    i.element = e;
    return values_of(i, s, reinterpret_cast<const uint8_t*>(&bits))[0];
  };
  CHECK(of16(Element::kU16, 65535) == 1);
  CHECK(of16(Element::kU16, 1) == static_cast<float>(1 / 65535.0));
  CHECK(of16(Element::kS16, 32767) == 1);
  CHECK(of16(Element::kS16, 0x8000) == -1);
  CHECK(of16(Element::kS16, 0x8001) == -1);
  CHECK(of16(Element::kS16, 0xffff) == static_cast<float>(-1 / 32767.0));
}

TEST_CASE("sRGB: linear, in 8 significant bits, rounded; alpha as it is") {
  Image i;
  i.element = Element::kU8;
  i.channels = 4;
  Sampler s;
  s.as_float = s.srgb = true;
  for (uint32_t x = 0; x < 256; ++x) {
    const auto byte = static_cast<uint8_t>(x);
    const std::array<uint8_t, 4> bytes{byte, 0, byte, byte};
    const double in = x / 255.0;
    const double linear = in <= 0.04045 ? in / 12.92 : std::pow((in + 0.055) / 1.055, 2.4);
    int exponent = 0;
    const double fraction = std::frexp(linear, &exponent);
    const auto expected = static_cast<float>(std::ldexp(std::round(fraction * 256) / 256, exponent));
    CAPTURE(x);
    const std::array<float, 4> v = values_of(i, s, bytes.data());
    CHECK(v[0] == expected);
    CHECK(v[1] == 0);
    CHECK(v[2] == expected);
    CHECK(v[3] == static_cast<float>(in));
  }
}

// Levels of 8, 4, 2 and 1 elements a side, all elements of level n are 256 n: a fetch gives 256 times the
// level, to 1 / 256.
TEST_CASE("between levels: weights of 256ths, and where the levels end") {
  for (const bool linear : {false, true}) {
    CAPTURE(linear);
    Case c(
        kernel("mov.f32 %f3, 0f3e800000; tex.level.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd1, {%f3, "
               "%f3}], %f1;"));
    Image i{.levels = 4, .width = 8, .height = 8};
    i.data = c.memory.allocate(bytes_of(i));
    for (uint32_t level = 0; level < 4; ++level) {
      const std::vector<float> all(size_t{8U >> level} * (8U >> level), 256.0F * static_cast<float>(level));
      fill(c.memory, i, level, {reinterpret_cast<const uint8_t*>(all.data()), all.size() * 4});
    }
    Descriptor d;
    d.kind = texture::Kind::kTexture;
    d.image = i;
    d.sampler.normalized = d.sampler.linear_levels = true;
    d.sampler.linear = linear;
    d.sampler.most_level = 3;
    const uint64_t whole = make(c.memory, d);
    for (uint32_t k = 0; k <= 3 * 256; k += k % 256 < 3 || k % 256 > 252 ? 1 : 50) {
      CAPTURE(k);
      CHECK(run(c, whole, static_cast<float>(k) / 256, 0).f() == static_cast<float>(k));
    }
    CHECK(run(c, whole, -1, 0).f() == 0);
    CHECK(run(c, whole, 9, 0).f() == 3 * 256);
    CHECK(run(c, whole, 0x1.00ffp0F, 0).f() == 256);  // 255.. of 256 parts of a 256th are none
    d.sampler.bias = 0.5F;
    CHECK(run(c, make(c.memory, d), 1, 0).f() == 256 + 128);
    d.sampler.bias = 0;
    d.sampler.least_level = 1.25F;
    d.sampler.most_level = 2.5F;
    const uint64_t part = make(c.memory, d);
    CHECK(run(c, part, 0, 0).f() == 256 + 64);
    CHECK(run(c, part, 3, 0).f() == 512 + 128);
    d.sampler.linear_levels = false;  // the nearest, halves up
    d.sampler.least_level = 0;
    d.sampler.most_level = 3;
    const uint64_t nearest = make(c.memory, d);
    CHECK(run(c, nearest, 1.49F, 0).f() == 256);
    CHECK(run(c, nearest, 1.5F, 0).f() == 512);
  }
}

TEST_CASE("three dimensions: the nearest of eight elements, and the mean of all") {
  const Image i{.geometry = Geometry::k3d, .width = 2, .height = 2, .depth = 2};
  std::vector<float> eight(8);
  std::iota(eight.begin(), eight.end(), 1.0F);
  const std::string fetch =
      "mov.f32 %f4, 0f00000000; tex.3d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd1, {%f1, "
      "%f2, ";
  Case near(kernel(fetch + "%f1, %f4}];"));
  const uint64_t t = make(near.memory, made(near.memory, texture::Kind::kTexture, i, eight));
  CHECK(run(near, t, 0.5, 0.5).f() == 1);
  CHECK(run(near, t, 0.5, 1.5).f() == 3);
  CHECK(run(near, t, 1.5, 0.5).f() == 6);  // x = z = 1
  CHECK(run(near, t, 1.5, 1.5).f() == 8);
  Case mean(kernel(fetch + "%f2, %f4}];"));
  Descriptor d = made(mean.memory, texture::Kind::kTexture, i, eight);
  d.sampler.linear = true;
  CHECK(run(mean, make(mean.memory, d), 1, 1).f() == 4.5F);
}

TEST_CASE("surfaces as bytes: stores of every width and count, and nothing beside them") {
  const struct {
    const char* type;
    const char* registers;
    std::vector<uint32_t> expected;  // words 4 to 7 of the row, all before 0xeeeeeeee
  } stores[] = {
      {"b8", "%h1", {0xeeeeee22, 0xeeeeeeee, 0xeeeeeeee, 0xeeeeeeee}},
      {"b16", "%h1", {0xeeee1122, 0xeeeeeeee, 0xeeeeeeee, 0xeeeeeeee}},
      {"b32", "%r4", {0x40414243, 0xeeeeeeee, 0xeeeeeeee, 0xeeeeeeee}},
      {"b64", "%rd4", {0x40414243, 0x50515253, 0xeeeeeeee, 0xeeeeeeee}},
      {"v2.b32", "{%r4, %r5}", {0x40414243, 0x50515253, 0xeeeeeeee, 0xeeeeeeee}},
      {"v2.b8", "{%h1, %h2}", {0xeeee4422, 0xeeeeeeee, 0xeeeeeeee, 0xeeeeeeee}},
      {"v4.b16", "{%h1, %h2, %h1, %h2}", {0x33441122, 0x33441122, 0xeeeeeeee, 0xeeeeeeee}},
      {"v2.b64", "{%rd4, %rd4}", {0x40414243, 0x50515253, 0x40414243, 0x50515253}},
      {"v4.b32", "{%r4, %r5, %r6, %r7}", {0x40414243, 0x50515253, 0x60616263, 0x70717273}},
  };
  const std::string values =
      "mov.b32 %r4, 0x40414243; mov.b32 %r5, 0x50515253; mov.b32 %r6, 0x60616263; mov.b32 %r7, 0x70717273;\n"
      "mov.b64 %rd4, {%r4, %r5}; mov.b16 %h1, 0x1122; mov.b16 %h2, 0x3344;\n";
  for (const auto& store : stores) {
    const std::string v = store.type;
    const std::string vector = v[0] == 'v' ? v.substr(0, 2) + "." : "", type = v.substr(vector.size());
    CAPTURE(v);
    Case c(kernel(values + "sust.b.2d." + vector + type + ".trap [%rd1, {%r8, %r9}], " + store.registers +
                  "; suld.b.2d.v4.b32.trap {%r0, %r1, %r2, %r3}, [%rd1, {%r8, %r9}];"));
    Image i{.width = 16, .height = 2};
    i.element = Element::kU32;
    const Descriptor d = made(c.memory, texture::Kind::kSurface, i, std::vector<uint32_t>(32, 0xeeeeeeee));
    const Fetched f = run(c, make(c.memory, d), 16, 1);
    CHECK(f.error.empty());
    CHECK(f.words == store.expected);
    const std::vector<uint8_t> all = contents(c.memory, d.image, 0);
    std::vector<uint32_t> words(32);
    std::memcpy(words.data(), all.data(), all.size());
    for (uint32_t k = 0; k < 32; ++k) {
      CHECK(words[k] == (k >= 20 && k < 24 ? store.expected[k - 20] : 0xeeeeeeee));
    }
  }
}

}  // namespace heddle::exec::test
