// How large textures and surfaces may be: the guide's table of limits (B4), of 6.0 and later.
#include <catch2/catch.hpp>

#include <array>
#include <string>

#include "sim/exec/texture/descriptor.h"

namespace heddle::exec::texture {
namespace {

using Sizes = std::array<uint32_t, 4>;  // width, height, depth, layers; 1: there is none of it

struct Shape {
  Geometry geometry;
  Storage storage;
  bool layered, surface;
  Sizes most;
};
constexpr Shape kShapes[] = {
    {Geometry::k1d, Storage::kBuffer, false, false, {1U << 28, 1, 1, 1}},
    {Geometry::k2d, Storage::kPitch, false, false, {131072, 65000, 1, 1}},
    {Geometry::k1d, Storage::kBlocks, false, false, {131072, 1, 1, 1}},
    {Geometry::k1d, Storage::kBlocks, true, false, {32768, 1, 1, 2048}},
    {Geometry::k1d, Storage::kBlocks, false, true, {32768, 1, 1, 1}},
    {Geometry::k1d, Storage::kBlocks, true, true, {32768, 1, 1, 2048}},
    {Geometry::k2d, Storage::kBlocks, false, false, {131072, 65536, 1, 1}},
    {Geometry::k2d, Storage::kBlocks, true, false, {32768, 32768, 1, 2048}},
    {Geometry::k2d, Storage::kBlocks, false, true, {131072, 65536, 1, 1}},
    {Geometry::k2d, Storage::kBlocks, true, true, {32768, 32768, 1, 2048}},
    {Geometry::k3d, Storage::kBlocks, false, false, {16384, 16384, 16384, 1}},
    {Geometry::k3d, Storage::kBlocks, false, true, {16384, 16384, 16384, 1}},
    {Geometry::kCube, Storage::kBlocks, false, false, {32768, 32768, 1, 1}},
    {Geometry::kCube, Storage::kBlocks, true, false, {32768, 32768, 1, 341}},
};

std::string wrong(const Shape& s, Sizes sizes) {
  Descriptor d;
  d.kind = s.surface ? Kind::kSurface : Kind::kTexture;
  Image& i = d.image;
  i.geometry = s.geometry;
  i.storage = s.storage;
  i.layered = s.layered;
  i.width = sizes[0];
  i.height = sizes[1];
  i.depth = sizes[2];
  i.layers = sizes[3];
  i.pitch = s.storage == Storage::kPitch ? (sizes[0] * 4 + 31) / 32 * 32 : 0;
  d.sampler.normalized = s.geometry == Geometry::kCube;
  return wrong_with(d);
}

}  // namespace

TEST_CASE("every limit holds, and one more is one too many") {
  constexpr const char* kNames[] = {"width", "height", "depth", "number of layers"};
  for (const Shape& s : kShapes) {
    CHECK(wrong(s, s.most).empty());
    for (size_t k = 0; k < s.most.size(); ++k) {
      CAPTURE(static_cast<int>(s.geometry), static_cast<int>(s.storage), s.layered, s.surface, k);
      const std::string legal = "(legal: 1 to " + std::to_string(s.most[k]) + ")";
      for (const uint32_t size : {s.most[k] + 1, 0U}) {
        Sizes sizes = s.most;
        sizes[k] = size;
        const std::string why = wrong(s, sizes);
        CHECK(why.find("a " + std::string(kNames[k]) + " of " + std::to_string(size)) == 0);
        CHECK(why.find(legal) != std::string::npos);
      }
    }
  }
}

TEST_CASE("as many levels as a picture has halves, and one of memory that is no array") {
  Descriptor d;
  d.kind = Kind::kTexture;
  const std::pair<uint32_t, uint8_t> levels[] = {{1, 1}, {2, 2}, {3, 2}, {4, 3}, {255, 8}, {256, 9}};
  for (const auto& [size, most] : levels) {
    CAPTURE(size);
    for (int side = 0; side < 2; ++side) {  // the longer side counts
      d.image = {};
      (side == 0 ? d.image.width : d.image.height) = size;
      d.image.levels = most;
      CHECK(wrong_with(d).empty());
      ++d.image.levels;
      CHECK(wrong_with(d) == std::to_string(most + 1) + " levels (legal: 1 to " + std::to_string(most) + ")");
      d.image.levels = 0;
      CHECK_FALSE(wrong_with(d).empty());
    }
  }
  d.image = {.storage = Storage::kPitch, .levels = 2, .width = 8, .height = 8, .pitch = 32};
  CHECK(wrong_with(d) == "2 levels (legal: 1 to 1)");
}

TEST_CASE("rows of memory: a pitch of 32s that holds a row, at a multiple of 32") {
  Descriptor d;
  d.kind = Kind::kTexture;
  d.image = {.storage = Storage::kPitch, .width = 8, .height = 8, .pitch = 32, .data = 64};
  CHECK(wrong_with(d).empty());
  d.image.pitch = 33;
  CHECK(wrong_with(d) == "a pitch of 33 bytes (legal: a multiple of 32, at least 32)");
  d.image.pitch = 32;
  d.image.width = 9;
  CHECK(wrong_with(d) == "a pitch of 32 bytes (legal: a multiple of 32, at least 36)");
  d.image.width = 8;
  d.image.data = 80;
  CHECK(wrong_with(d) == "data at 0x50 (legal: at a multiple of 32)");
}

}  // namespace heddle::exec::texture
