#include "sim/exec/texture/descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/base/error.h"

namespace heddle::exec::texture {
namespace {

constexpr const char* kElements[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
constexpr const char* kGeometries[] = {"1d", "2d", "3d", "cube"};

struct Limits {
  uint64_t width, height, depth, layers;
};

// The guide's table of limits, B4: of 6.0 and later.
Limits limits_of(const Image& i, bool surface) {
  if (i.storage == Storage::kBuffer) {
    return {uint64_t{1} << 28, 1, 1, 1};
  }
  if (i.storage == Storage::kPitch) {
    return {131072, 65000, 1, 1};
  }
  switch (i.geometry) {
    case Geometry::k1d:
      return i.layered || surface ? Limits{32768, 1, 1, 2048} : Limits{131072, 1, 1, 1};
    case Geometry::k2d:
      return i.layered ? Limits{32768, 32768, 1, 2048} : Limits{131072, 65536, 1, 1};
    case Geometry::k3d:
      return {16384, 16384, 16384, 1};
    default:
      return {32768, 32768, 1, 341};
  }
}

uint32_t most_levels(const Image& i) {
  uint32_t n = std::max({i.width, i.height, i.depth});
  uint32_t levels = 1;
  for (; n > 1; n /= 2) {
    ++levels;
  }
  return levels;
}

std::string wrong_image(const Image& i, bool surface) {
  if (i.channels != 1 && i.channels != 2 && i.channels != 4) {
    return fmt::format("elements of {} channels (legal: 1, 2, 4)", i.channels);
  }
  const Limits most = limits_of(i, surface);
  const uint64_t sizes[] = {i.width, i.height, i.depth, i.layers};
  const uint64_t limits[] = {most.width, most.height, most.depth, i.layered ? most.layers : 1};
  constexpr const char* kNames[] = {"width", "height", "depth", "number of layers"};
  for (int k = 0; k < 4; ++k) {
    if (sizes[k] == 0 || sizes[k] > limits[k]) {
      return fmt::format("a {} of {} of a {}{} {} (legal: 1 to {})", kNames[k], sizes[k],
                         i.layered ? "layered " : "", kGeometries[static_cast<int>(i.geometry)],
                         surface ? "surface" : "texture", limits[k]);
    }
  }
  if (i.geometry == Geometry::kCube && i.width != i.height) {
    return fmt::format("faces of {} x {} elements (legal: as many rows as columns)", i.width, i.height);
  }
  if (i.levels == 0 || i.levels > (i.storage == Storage::kBlocks ? most_levels(i) : 1)) {
    return fmt::format("{} levels (legal: 1 to {})", i.levels,
                       i.storage == Storage::kBlocks ? most_levels(i) : 1);
  }
  if ((i.storage == Storage::kBuffer && i.geometry != Geometry::k1d) ||
      (i.storage == Storage::kPitch && i.geometry != Geometry::k2d) ||
      (i.storage != Storage::kBlocks && i.layered)) {
    return "linear memory of this shape (legal: 1d, and 2d with a pitch)";
  }
  const uint32_t align = i.storage == Storage::kPitch ? 32 : i.texel_bytes();
  if (i.storage == Storage::kPitch && (i.pitch % align != 0 || i.pitch < i.width * i.texel_bytes())) {
    return fmt::format("a pitch of {} bytes (legal: a multiple of {}, at least {})", i.pitch, align,
                       i.width * i.texel_bytes());
  }
  if (i.data % align != 0) {
    return fmt::format("data at {:#x} (legal: at a multiple of {})", i.data, align);
  }
  return "";
}

std::string wrong_sampler(const Descriptor& d) {
  const Sampler& s = d.sampler;
  const Image& i = d.image;
  const bool floats = is_float(i.element) || s.as_float;
  if (s.as_float && (is_float(i.element) || bytes_of(i.element) == 4)) {
    return fmt::format("{} read as fractions of one (legal: u8, s8, u16, s16)",
                       kElements[static_cast<int>(i.element)]);
  }
  if (s.linear && !floats) {
    return fmt::format("a linear filter of {} (legal: of f16, f32, and of u8, s8, u16, s16 read as float)",
                       kElements[static_cast<int>(i.element)]);
  }
  if (s.srgb && (i.element != Element::kU8 || !s.as_float)) {
    return "sRGB (legal: of u8 read as float)";
  }
  if (i.storage == Storage::kBuffer && (s.linear || s.normalized)) {
    return "a buffer with a filter or normalised coordinates (legal: neither)";
  }
  if (i.geometry == Geometry::kCube && !s.normalized) {
    return "a cube map without normalised coordinates (legal: with)";
  }
  return "";
}

}  // namespace

uint32_t bytes_of(Element e) {
  constexpr uint8_t kBytes[] = {1, 1, 2, 2, 4, 4, 2, 4};
  return kBytes[static_cast<size_t>(e)];
}

bool is_float(Element e) { return e == Element::kF16 || e == Element::kF32; }

bool is_signed(Element e) { return e == Element::kS8 || e == Element::kS16 || e == Element::kS32; }

std::string wrong_with(const Descriptor& d) {
  std::string why = d.kind == Kind::kSampler ? "" : wrong_image(d.image, d.kind == Kind::kSurface);
  if (why.empty() && d.kind == Kind::kTexture) {
    why = wrong_sampler(d);
  }
  return why;
}

void write(Memory& memory, uint64_t at, const Descriptor& d) {
  if (const std::string why = wrong_with(d); !why.empty()) {
    throw Error(why);
  }
  Descriptor out = d;
  out.magic = kMagic;
  std::vector<uint8_t> bytes(kDescriptorBytes);
  std::memcpy(bytes.data(), &out, sizeof out);
  memory.write(at, bytes);
}

uint64_t make(Memory& memory, const Descriptor& d) {
  if (const std::string why = wrong_with(d); !why.empty()) {
    throw Error(why);
  }
  const uint64_t at = memory.allocate(kDescriptorBytes);
  write(memory, at, d);
  return at;
}

Descriptor read(const Memory& memory, uint64_t handle) {
  Descriptor out;
  if (handle < kMostObjects) {
    handle = memory.objects() + handle * kDescriptorBytes;
  }
  const Memory::Range* const r = memory.range(handle);
  const uint8_t* const at = r != nullptr ? r->at(handle, kDescriptorBytes) : nullptr;
  if (at != nullptr) {
    Descriptor found;
    std::memcpy(&found, at, sizeof found);
    if (found.magic == kMagic) {
      out = found;
    }
  }
  return out;
}

std::string described(const Descriptor& d) {
  if (d.kind == Kind::kNone) {
    return "no object";
  }
  if (d.kind == Kind::kSampler) {
    return "a sampler";
  }
  const Image& i = d.image;
  return fmt::format(
      "a {}{} {} of {} x {}", i.layered ? "layered " : "", kGeometries[static_cast<int>(i.geometry)],
      d.kind == Kind::kSurface ? "surface" : "texture", kElements[static_cast<int>(i.element)], i.channels);
}

}  // namespace heddle::exec::texture
