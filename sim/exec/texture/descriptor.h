// Texture, sampler and surface objects. A handle is the address, in the simulated global memory, of a
// Descriptor, or below kMostObjects the number of one in the table at Memory::objects(), as a program's are:
// machine code has 32 bits for it. A .texref, .samplerref or .surfref variable is a descriptor. What they
// mean: LC11 to LC19, GM17.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/exec/memory.h"

namespace heddle::exec::texture {

enum class Geometry : uint8_t { k1d, k2d, k3d, kCube };
// kBuffer: elements one behind the other; kPitch: rows of Image::pitch bytes; kBlocks: an array, as
// layout.h has it.
enum class Storage : uint8_t { kBuffer, kPitch, kBlocks };
enum class Element : uint8_t { kU8, kS8, kU16, kS16, kU32, kS32, kF16, kF32 };
enum class AddressMode : uint8_t { kWrap, kClamp, kMirror, kBorder };

uint32_t bytes_of(Element e);
bool is_float(Element e);
bool is_signed(Element e);

// What lies in memory.
struct Image {
  Geometry geometry = Geometry::k2d;
  Storage storage = Storage::kBlocks;
  Element element = Element::kF32;
  uint8_t channels = 1;  // 1, 2, 4
  bool layered = false;
  uint8_t levels = 1;
  uint32_t width = 1, height = 1, depth = 1;  // elements, of level 0
  uint32_t layers = 1;                        // faces of cubes are not counted
  uint32_t pitch = 0;                         // bytes, of kPitch
  uint64_t data = 0;                          // address

  uint32_t texel_bytes() const { return channels * bytes_of(element); }
  uint32_t faces() const { return geometry == Geometry::kCube ? 6 : 1; }
  uint32_t slices() const { return layers * faces(); }  // pictures of their own
};

struct Sampler {
  std::array<AddressMode, 3> address{AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  bool linear = false;         // filter
  bool normalized = false;     // coordinates
  bool as_float = false;       // 8 and 16-bit integers are read as [0, 1] or [-1, 1]
  bool srgb = false;           // 8-bit ones in that space; with as_float
  bool linear_levels = false;  // filter between levels
  float bias = 0, least_level = 0, most_level = 0;
  std::array<float, 4> border{};
};

enum class Kind : uint32_t { kNone, kTexture, kSampler, kSurface };

struct Descriptor {
  uint64_t magic = 0;  // kMagic: the bytes are a descriptor
  Kind kind = Kind::kNone;
  Image image;
  Sampler sampler;
};
inline constexpr uint64_t kMagic = 0x7865745f656c6465;
inline constexpr uint64_t kDescriptorBytes = 128;
static_assert(sizeof(Descriptor) <= kDescriptorBytes);
// As silicon's headers of textures, which 20 bits of a handle name.
inline constexpr uint64_t kMostObjects = uint64_t{1} << 20;

// "textures of 70000 rows (legal: ...)"; empty when all is well. By the guide's limits for 6.0 and later
// (B4), and what may be combined: linear filters only of what is read as floating point, levels only of
// arrays.
std::string wrong_with(const Descriptor& d);

// Puts it there; the room is the caller's, kDescriptorBytes of one allocation. Throws Error for what
// wrong_with() says.
void write(Memory& memory, uint64_t at, const Descriptor& d);
// A handle of its own. Throws as write().
uint64_t make(Memory& memory, const Descriptor& d);
// The descriptor at the handle. Its kind is kNone where there is none.
Descriptor read(const Memory& memory, uint64_t handle);

// For messages: ".2d array of f32 x 4", "no object".
std::string described(const Descriptor& d);

}  // namespace heddle::exec::texture
