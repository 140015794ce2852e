// Textures and surfaces that a user makes of arrays.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/npy/npy.h"
#include "sim/exec/memory.h"
#include "sim/exec/texture/descriptor.h"

namespace heddle::modules {

// In words, as options have them; "" where the array says it.
struct TextureRequest {
  bool surface = false;
  std::string dims;               // 1d, 2d, 3d, a1d, a2d, cube, acube
  uint32_t channels = 1;          // more: the array's last index counts them
  std::string memory = "array";   // array, linear (1d), pitch (2d)
  std::string address = "clamp";  // wrap, clamp, mirror, border: of all dimensions
  std::string filter = "point";   // point, linear
  std::string read = "element";   // element, float
  bool normalized = false;        // coordinates
  std::array<float, 4> border{};
};

// FILE.npy or zeros:TYPE:SHAPE ..., then options: "image.npy,address=wrap,filter=linear,normalized=1".
inline constexpr const char* kTextureForms =
    "texture:ARRAY or surface:ARRAY and options: dims=1d|2d|3d|a1d|a2d|cube|acube, channels=1|2|4, "
    "memory=array|linear|pitch, address=wrap|clamp|mirror|border, filter=point|linear, read=element|float, "
    "normalized=0|1, border=NUMBER";

// The options of such a text behind its array. Throws Error that says what is legal.
TextureRequest texture_request(bool surface, const std::vector<std::string>& options);

struct TextureObject {
  uint64_t handle = 0;
  exec::texture::Descriptor descriptor;
};

// Copies the array (its last index but channels counts x, then y, then z or the layer; cubes: faces) and
// makes an object of it. Throws Error for a shape, a type or options that cannot be.
TextureObject make_texture(const TextureRequest& request, const npy::Array& array, exec::Memory& memory);

// What is in it now, in the array's shape and type.
npy::Array contents(const TextureObject& object, const npy::Array& shape, const exec::Memory& memory);

}  // namespace heddle::modules
